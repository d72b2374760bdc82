package inspect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// ToolUse is what a tool costs a conversation.
type ToolUse struct {
	Name     string
	Source   string // the server, or "" for a tool that is not of a server
	Tokens   int    // that its declaration takes of every request; of a deferred tool, what its lookups took
	Deferred bool   // the model looked it up; requests do not declare it
	Uses     int    // calls
	Spent    int    // tokens of its calls and results as they arrived
}

// ToolUses lists the tools that a conversation declares, in their order, and then those that it looked up or called besides.
// Tokens are uncalibrated estimates.
func ToolUses(log []conversation.Event, declared []conversation.ToolSpec) []ToolUse {
	var all []ToolUse
	index := map[string]int{}
	at := func(name string, deferred bool) *ToolUse {
		i, known := index[name]
		if !known {
			i = len(all)
			index[name] = i
			all = append(all, ToolUse{Name: name, Source: serverOf(name), Deferred: deferred})
		}
		return &all[i]
	}
	for _, t := range declared {
		at(t.Name, false).Tokens = int(meter.Estimate(conversation.Measure(t.Name + t.Description + string(t.Parameters))))
	}
	calls := map[string]string{} // the tool of each call
	for i := range log {
		switch b := log[i].Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				name := cmp.Or(lookedUp(c), c.Name)
				calls[c.ID] = name
				u := at(name, true)
				u.Uses++
				u.Spent += int(meter.Estimate(c.Size))
			}
		case conversation.ToolResult:
			at(cmp.Or(calls[b.CallID], b.Tool), true).Spent += int(meter.Estimate(b.Size))
		case conversation.ToolsLoaded:
			for _, t := range b.Tools {
				at(t.Name, true).Tokens += int(meter.Estimate(t.Size))
			}
		}
	}
	return all
}

// Addition is what one kind of source brought into the conversation, whether it is still sent or not.
type Addition struct {
	Kind   string // tools, skills, instructions or hooks
	Items  int
	Tokens int // uncalibrated estimate
}

// additionsOf sums the declarations that were looked up, the skills and instructions that were loaded and the texts of hooks.
func additionsOf(log []conversation.Event) []Addition {
	all := []Addition{{Kind: "tools"}, {Kind: "skills"}, {Kind: "instructions"}, {Kind: "hooks"}}
	add := func(kind int, size conversation.Size) {
		if size.Chars() > 0 {
			all[kind].Items, all[kind].Tokens = all[kind].Items+1, all[kind].Tokens+int(meter.Estimate(size))
		}
	}
	for i := range log {
		switch b := log[i].Body.(type) {
		case conversation.ToolsLoaded:
			for _, t := range b.Tools {
				add(0, t.Size)
			}
		case conversation.SkillLoaded:
			add(1, b.Size)
		case conversation.InstructionsLoaded:
			add(2, b.Size)
		case conversation.HookRan:
			add(3, b.Added)
		}
	}
	return slices.DeleteFunc(all, func(a Addition) bool { return a.Items == 0 })
}

// serverOf is the server in the name of a tool, "" for a tool that is not of a server.
func serverOf(tool string) string {
	rest, ok := strings.CutPrefix(tool, conversation.ServerPrefix)
	server, _, _ := strings.Cut(rest, "__")
	if !ok {
		return ""
	}
	return server
}

// lookedUp is the tool that a call of call_tool names, "" for other calls.
func lookedUp(c conversation.ToolCall) string {
	var args struct {
		Name string `json:"name"`
	}
	if c.Name != conversation.ToolCallTool || json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return ""
	}
	return args.Name
}
