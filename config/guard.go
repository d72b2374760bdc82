// What a workspace's file may decide. It comes with a cloned repository, so by itself it may make Plimsoll more careful,
// never less. Rules:
//
//   - permissions.mode may become stricter; deny grows; allow and private_addresses may only be emptied.
//   - A tool may become stricter (approval towards deny, enabled: false) and change its compaction; it may not get a
//     command, nor the description and parameters that go with one.
//   - Endpoints (providers, discovery.local turned on) and key bindings (one of them approves calls) are the user's.

package config

import (
	"slices"
	"strings"
)

// Refused is a key of a workspace's file that was not applied, for the caller to show. One that asks and is told to
// apply it loads again with [LoadOptions.TrustWorkspace].
type Refused struct {
	File  string
	Line  int    // 1-based
	Key   string // dotted
	Value string // the whole value on one line, safe for a terminal, header values hidden
	Why   string // completes the sentence "not applied: it ..."
}

// guard sorts a workspace's file into what applies and what is refused, measured against the configuration so far.
type guard struct {
	current Config
	file    string
	trusted bool
	refused []Refused
}

func (g *guard) root(root *node) *node {
	return keep(root, func(e entry) (entry, bool) {
		switch e.key {
		case "providers":
			return g.each(e, func(p entry) (entry, bool) {
				return g.refuse(p, "changes where conversations are sent", "providers", p.key)
			})
		case "permissions":
			return g.each(e, g.permission)
		case "tools":
			return g.each(e, func(t entry) (entry, bool) {
				left, _ := g.each(t, func(k entry) (entry, bool) { return g.tool(t.key, k) })
				return left, len(left.value.entries) > 0
			})
		case "discovery":
			return g.each(e, func(k entry) (entry, bool) {
				if k.key == "local" && k.value.value == true && !g.current.Discovery.Local {
					return g.refuse(k, "looks for servers that you told Plimsoll not to look for", "discovery", "local")
				}
				return k, true
			})
		case "ui":
			return g.each(e, func(k entry) (entry, bool) {
				if k.key == "keys" && len(k.value.entries) > 0 {
					return g.refuse(k, "changes what your keys do", "ui", "keys")
				}
				return k, true
			})
		}
		return e, true
	})
}

func (g *guard) permission(e entry) (entry, bool) {
	refuse := func(why string) (entry, bool) { return g.refuse(e, why, "permissions", e.key) }
	switch e.key {
	case "mode":
		if looser(e.value.text, g.current.Permissions.Mode, "plan", "ask", "auto-edit", "yolo") {
			return refuse("lets tools do more without asking")
		}
	case "allow":
		if len(e.value.items) > 0 {
			return refuse("lets calls run without asking")
		}
	case "private_addresses":
		if len(e.value.items) > 0 {
			return refuse("lets http_request reach private addresses")
		}
	case "deny":
		e.value = union(g.current.Permissions.Deny, e.value)
	}
	return e, true
}

func (g *guard) tool(name string, e entry) (entry, bool) {
	refuse := func(why string) (entry, bool) { return g.refuse(e, why, "tools", name, e.key) }
	now := g.current.Tools[name]
	switch e.key {
	case "command", "description", "parameters":
		return refuse("defines a command that the model can run on this machine")
	case "approval":
		// Without a setting the mode decides, which may be to ask: only allow is surely looser, and nothing is stricter.
		if looser(e.value.text, now.Approval, "deny", "ask", "", "allow") {
			return refuse("lets the tool run without asking")
		}
	case "enabled":
		if e.value.value == true && now.Enabled != nil && !*now.Enabled {
			return refuse("turns on a tool that you turned off")
		}
	}
	return e, true
}

// refuse notes an entry and drops it, unless the workspace is trusted.
func (g *guard) refuse(e entry, why string, path ...string) (entry, bool) {
	if g.trusted {
		return e, true
	}
	g.refused = append(g.refused, Refused{
		File: g.file, Line: e.line, Key: Path(path...), Value: flow(e.value, e.key == "headers"), Why: why,
	})
	return entry{}, false
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
		b.WriteString(escape(keyShaped.ReplaceAllString(n.text, hidden)))
	}
}
