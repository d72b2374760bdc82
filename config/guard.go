// What a workspace's file may decide. It comes with a cloned repository, so without the user's word it may change looks
// and make Plimsoll more careful, and nothing else. Rules:
//
//   - allowed lists the keys it may set; every other key waits for the user's word on this content of the file.
//   - permissions.mode may become stricter; deny grows; allow and private_addresses may only be emptied.
//   - providers.NAME.key_command is never taken from it.
//   - A tool may become stricter (approval towards deny, enabled: false) and keep more of its results.
//   - A limit may become tighter, and compaction may keep more and ask a model less often.

package config

import (
	"reflect"
	"slices"
	"strings"
)

// Refused is a key of a workspace's file that only the user can put in force, for the caller to show: by
// [LoadOptions.Trust] it was not applied ([Loaded.Refused]), or was ([Loaded.Trusted]).
type Refused struct {
	File  string
	Line  int    // 1-based
	Key   string // dotted
	Value string // the whole value on one line, safe for a terminal, header values hidden
	Why   string // completes the sentence "not applied: it ..."
}

// guard sorts a workspace's file into what applies and what waits for the user, measured against the configuration so far.
type guard struct {
	current Config
	file    string
	trusted bool
	refused []Refused
	never   Problems // what a trusted file may not decide either
}

// allowed are the keys that a workspace's file may set, each with whether a value is within its bounds; nil: any is.
var allowed = map[string]func(was, now Config) bool{
	"ui.theme":            func(_, now Config) bool { return !IsThemePath(now.UI.Theme) },
	"ui.mouse":            nil,
	"ui.leave_transcript": nil,
	"discovery.local":     func(was, now Config) bool { return was.Discovery.Local || !now.Discovery.Local },
	"context.window": func(was, now Config) bool {
		return was.Context.Window > 0 && now.Context.Window > 0 && now.Context.Window <= was.Context.Window
	},
	"tool_results.max_chars": func(was, now Config) bool { return now.ToolResults.MaxChars.within(was.ToolResults.MaxChars) },
	"tool_results.keep_full": func(_, now Config) bool { return now.ToolResults.KeepFull },
	"compaction.keep_last":   func(was, now Config) bool { return now.Compaction.KeepLast >= was.Compaction.KeepLast },
	"compaction.protected_ratio": func(was, now Config) bool {
		return now.Compaction.ProtectedRatio >= was.Compaction.ProtectedRatio
	},
	"compaction.mask.keep_tokens": func(was, now Config) bool {
		return now.Compaction.Mask.KeepTokens >= was.Compaction.Mask.KeepTokens
	},
	"compaction.mask.keep_results": func(was, now Config) bool {
		return now.Compaction.Mask.KeepResults >= was.Compaction.Mask.KeepResults
	},
	"compaction.mask.first_turn_tokens": func(was, now Config) bool {
		return now.Compaction.Mask.FirstTurnTokens >= was.Compaction.Mask.FirstTurnTokens
	},
	"compaction.micro.keep_recent": func(was, now Config) bool {
		return now.Compaction.Micro.KeepRecent >= was.Compaction.Micro.KeepRecent
	},
	"compaction.summary.review": func(_, now Config) bool { return now.Compaction.Summary.Review },
	"compaction.summary.when": func(was, now Config) bool {
		return !looser(now.Compaction.Summary.When, was.Compaction.Summary.When, summaryNever, summaryByHand, summaryAtLoadLine)
	},
}

// concerns say what a key does that the user has to know, by the beginning of the key; the longest counts.
var concerns = map[string]string{
	"model":                           "chooses which model gets your conversations",
	"fallback":                        "chooses which models get your conversations",
	"providers":                       "changes where conversations are sent",
	"models":                          "changes what requests ask of models",
	"compaction.summary.model":        "chooses which model gets your conversations to summarize them",
	"compaction.summary.instructions": "tells the model what to make of your conversations",
	"compaction.profiles":             "can name a model and instructions for summaries",
	"compaction":                      "changes what is sent of your conversations, and what that costs",
	"permissions.mode":                "lets tools do more without asking",
	"permissions.allow":               "lets calls run without asking",
	"permissions.private_addresses":   "lets http_request reach private addresses",
	"discovery.local":                 "looks for servers that you told Plimsoll not to look for",
	"ui.keys":                         "changes what your keys do",
	"ui.theme":                        "makes Plimsoll read a file",
	"context.window":                  "changes how much is sent",
	"tool_results":                    "changes how much of a result is sent and kept",
	"":                                "is yours to decide",
}

// concern is what to say of a key.
func concern(key string) string {
	best := ""
	for prefix := range concerns {
		if (key == prefix || strings.HasPrefix(key, prefix+".")) && len(prefix) > len(best) {
			best = prefix
		}
	}
	return concerns[best]
}

func (g *guard) root(root *node) *node {
	return keep(root, func(e entry) (entry, bool) { return g.entry(e) })
}

// entry sorts what stands at a path.
func (g *guard) entry(e entry, above ...string) (entry, bool) {
	path := append(slices.Clone(above), e.key)
	key := Path(path...)
	within, listed := allowed[key]
	switch {
	case e.value.kind == nullNode, e.value.kind == tableNode && len(e.value.entries) == 0:
		return e, g.trusted // it says nothing, but a name of its own would count as a provider or a tool
	case len(path) == 2 && path[0] == "permissions":
		return g.permission(e)
	case len(path) == 3 && path[0] == "tools":
		return g.tool(path[1], e)
	case listed && (within == nil || within(g.current, g.with(e, path))):
		return e, true
	case e.value.kind == tableNode && (g.leads(key) || len(path) == 1 || len(path) == 2 && path[0] == "tools"):
		e, _ = g.each(e, func(below entry) (entry, bool) { return g.entry(below, path...) })
		return e, len(e.value.entries) > 0
	}
	return g.refuse(e, concern(key), path...)
}

// leads reports whether keys below one may be set.
func (g *guard) leads(key string) bool {
	for name := range allowed {
		if strings.HasPrefix(name, key+".") {
			return true
		}
	}
	return false
}

// with is the configuration so far with one entry more, which is none of a table whose keys the user chooses.
func (g *guard) with(e entry, path []string) Config {
	root := &node{kind: tableNode, entries: []entry{e}}
	for _, key := range slices.Backward(path[:len(path)-1]) {
		root = &node{kind: tableNode, entries: []entry{{key: key, value: root}}}
	}
	now := g.current
	d := &decoder{src: &source{}, origins: map[string]Origin{}}
	d.table(root, reflect.ValueOf(&now).Elem(), nil)
	return now
}

func (g *guard) permission(e entry) (entry, bool) {
	switch e.key {
	case "mode":
		if !looser(e.value.text, g.current.Permissions.Mode, "plan", "ask", "auto-edit", "yolo") {
			return e, true
		}
	case "allow", "private_addresses":
		if len(e.value.items) == 0 {
			return e, true
		}
	case "deny":
		e.value = union(g.current.Permissions.Deny, e.value)
		return e, true
	}
	return g.refuse(e, concern(Path("permissions", e.key)), "permissions", e.key)
}

func (g *guard) tool(name string, e entry) (entry, bool) {
	refuse := func(why string) (entry, bool) { return g.refuse(e, why, "tools", name, e.key) }
	now := g.current.Tools[name]
	switch e.key {
	case "approval":
		// Without a setting the mode decides, which may be to ask: only allow is surely looser, and nothing is stricter.
		if looser(e.value.text, now.Approval, "deny", "ask", "", "allow") {
			return refuse("lets the tool run without asking")
		}
		return e, true
	case "enabled":
		if e.value.value == true && now.Enabled != nil && !*now.Enabled {
			return refuse("turns on a tool that you turned off")
		}
		return e, true
	case "exempt":
		if e.value.value == true {
			return e, true
		}
	}
	return refuse("changes what is sent of the tool's calls")
}

// refuse notes an entry and drops it, unless the workspace is trusted.
func (g *guard) refuse(e entry, why string, path ...string) (entry, bool) {
	g.refused = append(g.refused, Refused{
		File: g.file, Line: e.line, Key: Path(path...), Value: flow(e.value, e.key == "headers"), Why: why,
	})
	if path[0] == "providers" {
		e.value = keep(e.value, func(below entry) (entry, bool) {
			if below.key == "key_command" {
				g.never = append(g.never, &Problem{File: g.file, Line: below.line,
					Message: "a workspace never names the program that prints keys: " + escape(Path(append(path, below.key)...))})
			}
			return below, below.key != "key_command"
		})
	}
	return e, g.trusted
}

// each filters the entries below an entry.
func (g *guard) each(e entry, f func(entry) (entry, bool)) (entry, bool) {
	e.value = keep(e.value, f)
	return e, true
}

// keep gives a copy of a table with the entries that f lets through. What is no table stays as it is.
func keep(n *node, f func(entry) (entry, bool)) *node {
	if n == nil || n.kind != tableNode {
		return n
	}
	out := *n
	out.entries = nil
	for _, e := range n.entries {
		if kept, ok := f(e); ok {
			out.entries = append(out.entries, kept)
		}
	}
	return &out
}

// looser tells whether a word stands further right in a scale, strictest first, than the word in force.
func looser(word, now string, scale ...string) bool {
	return slices.Index(scale, word) > slices.Index(scale, now)
}

// union gives a list with what is there and what a node adds.
func union(have []string, add *node) *node {
	out := &node{kind: listNode, line: add.line, col: add.col}
	for _, text := range have {
		out.items = append(out.items, &node{kind: textNode, text: text, value: text, line: add.line, col: add.col})
	}
	for _, item := range add.items {
		if !slices.Contains(have, item.text) {
			out.items = append(out.items, item)
		}
	}
	return out
}

// maxShown bounds the text of one refused value; what is cut is said, so that nobody trusts what was not shown.
const maxShown = 4000

// flow writes a value on one line.
func flow(n *node, secret bool) string {
	var b strings.Builder
	writeFlow(&b, n, secret)
	text := b.String()
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "… (longer than shown: look at the file)"
}

func writeFlow(b *strings.Builder, n *node, secret bool) {
	if b.Len() > maxShown {
		return
	}
	switch n.kind {
	case listNode:
		b.WriteString("[")
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item, secret)
		}
		b.WriteString("]")
	case tableNode:
		b.WriteString("{")
		for i, e := range n.entries {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(escape(e.key) + ": ")
			writeFlow(b, e.value, secret || e.key == "headers")
		}
		b.WriteString("}")
	default:
		if secret {
			b.WriteString(hidden)
			return
		}
		b.WriteString(escape(keyShaped().ReplaceAllString(n.text, hidden)))
	}
}
