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

// ToolUses lists the tools that a conversation declares, in their order, and then those that it looked up or called besides. Tokens
// are uncalibrated estimates.
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

// KeptOut is how many tokens the declarations of the servers would take that the newest requests leave to be looked up, 0 if they
// are declared.
func KeptOut(log []conversation.Event, declared []conversation.ToolSpec) int {
	if !slices.ContainsFunc(declared, func(t conversation.ToolSpec) bool { return t.Name == conversation.ToolFindTools }) {
		return 0
	}
	newest := map[string]int{}
	for i := range log {
		if b, ok := log[i].Body.(conversation.MCPServer); ok && b.Tools > 0 {
			newest[b.Server] = int(meter.Estimate(b.Size))
		}
	}
	total := 0
	for _, n := range newest {
		total += n
	}
	return total
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
