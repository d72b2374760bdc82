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
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/preset"
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
	"permissions.mode": func(was, now Config) bool {
		return !looser(now.Permissions.Mode, was.Permissions.Mode, "plan", "ask", "auto-edit", "yolo")
	},
	"permissions.allow":             func(_, now Config) bool { return len(now.Permissions.Allow) == 0 },
	"permissions.private_addresses": func(_, now Config) bool { return len(now.Permissions.PrivateAddresses) == 0 },
	"ui.theme":                      func(_, now Config) bool { return !IsThemePath(now.UI.Theme) },
	"ui.mouse":                      nil,
	"ui.leave_transcript":           nil,
	"discovery.local":               func(was, now Config) bool { return was.Discovery.Local || !now.Discovery.Local },
	"context.window": func(was, now Config) bool {
		return was.Context.Window > 0 && now.Context.Window > 0 && now.Context.Window <= was.Context.Window
	},
	"tool_results.max_chars": func(was, now Config) bool {
		most := cmp.Or(was.ToolResults.MaxChars, leastAuto)
		return now.ToolResults.MaxChars <= most && (now.ToolResults.MaxChars > 0 || was.ToolResults.MaxChars == 0)
	},
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
		return !looser(now.Compaction.Summary.When, was.Compaction.Summary.When, preset.SummaryNever, preset.SummaryByHand, preset.SummaryAtLoadLine)
	},
}

// concerns say what a key does that the user has to know, by the beginning of the key; the longest counts.
var concerns = map[string]string{
	"model":              "chooses which model gets your conversations",
	"fallback":           "chooses which models get your conversations",
	"providers":          "changes where conversations are sent",
	"models":             "changes what requests ask of models",
	"compaction.summary": "changes who summarizes your conversations, and how",
	"compaction":         "changes what is sent of your conversations, and what that costs",
	"permissions":        "lets tools do more without asking",
	"ui.keys":            "changes what your keys do",
	"ui.theme":           "makes Plimsoll read a file",
	"context.window":     "changes how much is sent",
	"tool_results":       "changes how much of a result is sent and kept",
	"":                   "is yours to decide",
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

// sort gives the values of a file that apply.
func (g *guard) sort(leaves []leaf) []leaf {
	var out []leaf
	for _, l := range leaves {
		if l, ok := g.judge(l, l.keys()); ok {
			out = append(out, l)
		}
	}
	return out
}

// judge sorts one value.
func (g *guard) judge(l leaf, path []string) (leaf, bool) {
	key := Path(path...)
	within, listed := allowed[key]
	switch {
	case path[0] == "providers" && path[len(path)-1] == "key_command":
		g.never = append(g.never, &Problem{File: g.file, Line: l.line, Message: "a workspace never names the program that prints keys: " + escape(key)})
		return l, false
	case l.isEmpty():
		return l, g.trusted // it says nothing, but a name of its own would count as a provider or a tool
	case key == "permissions.deny":
		return g.union(l), true
	case path[0] == "tools" && len(path) > 2:
		return l, g.tool(l, path)
	case listed && (within == nil || within(g.current, g.with(l))):
		return l, true
	}
	return l, g.refuse(l, concern(key))
}

// with is the configuration so far with one value more.
func (g *guard) with(l leaf) Config {
	now := g.current
	(&decoder{src: &source{}, origins: map[string]Origin{}}).lay([]leaf{l}, &now)
	return now
}

func (g *guard) tool(l leaf, path []string) bool {
	now := g.current.Tools[path[1]]
	switch path[2] {
	case "approval":
		// Without a setting the mode decides, which may be to ask: only allow is surely looser, and nothing is stricter.
		return !looser(l.text(), now.Approval, "deny", "ask", "", "allow") || g.refuse(l, "lets the tool run without asking")
	case "enabled":
		return l.value == false || now.Enabled == nil || *now.Enabled || g.refuse(l, "turns on a tool that you turned off")
	case "exempt":
		if l.value == true {
			return true
		}
	}
	return g.refuse(l, "changes what is sent of the tool's calls")
}

// refuse notes a value, and reports whether it applies all the same.
func (g *guard) refuse(l leaf, why string) bool {
	path := l.keys()
	g.refused = append(g.refused, Refused{
		File: g.file, Line: l.line, Key: Path(path...), Value: shown(l, slices.Contains(path[:len(path)-1], "headers")), Why: why,
	})
	return g.trusted
}

// looser tells whether a word stands further right in a scale, strictest first, than the word in force.
func looser[T ~string](word, now T, scale ...T) bool {
	return slices.Index(scale, word) > slices.Index(scale, now)
}

// union is a list with what is denied already.
func (g *guard) union(l leaf) leaf {
	var items []any
	for _, text := range g.current.Permissions.Deny {
		items = append(items, text)
	}
	more, _ := l.value.([]any)
	for _, item := range more {
		if !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	l.value = items
	return l
}

// maxShown bounds the text of one refused value; the cut is marked, so that users do not trust what they were not shown.
const maxShown = 4000

// shown writes a value on one line.
func shown(l leaf, secret bool) string {
	if secret {
		return hidden
	}
	text := l.text()
	if items, ok := l.value.([]any); ok {
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = fmt.Sprint(item)
		}
		text = "[" + strings.Join(texts, ", ") + "]"
	}
	text = escape(keyShaped().ReplaceAllString(text, hidden))
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "… (longer than shown: look at the file)"
}
