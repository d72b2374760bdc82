package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// MCP servers offer further tools. They start with the first message of a conversation. Rules:
//
//   - Their tools are declared after the others, in the order of their names. Where all declarations would take more than a share
//     of the window, two tools replace them: find_tools returns declarations as text, and call_tool calls a tool.
//   - The choice is made once in a conversation, so that the provider's cache stays valid. The model can call every tool of a
//     running server by its own name and through call_tool.
//   - A call needs approval like any call that may change something, whatever the server says about its tool.

// Servers are the MCP servers of a conversation.
type Servers interface {
	// Start starts the servers that are not running, and returns when each is ready or has failed.
	Start(ctx context.Context)
	// Tools lists the tools of the servers that are ready, in the order of their names.
	Tools() []ServerTool
	// Call calls a tool. The error is a failure of the server.
	Call(ctx context.Context, server, tool string, arguments json.RawMessage, progress func(string)) (ServerResult, error)
}

// ServerResult is what a tool of a server returned.
type ServerResult struct {
	Text    string
	IsError bool // the text is an error of the tool
	Images  []ImageFile
}

// ServerTool is a tool that a server offers. Its texts are the server's own words.
type ServerTool struct {
	Server, Name string
	FullName     string // mcp__SERVER__TOOL, for the model and in rules
	Description  string
	Schema       json.RawMessage // of its arguments, a JSON object
}

// Spec declares the tool.
func (t ServerTool) Spec() conversation.ToolSpec {
	return conversation.ToolSpec{Name: t.FullName, Description: t.Description, Parameters: conversation.RawJSON(t.Schema)}
}

// Defer says whether the model looks up tools of servers with find_tools, in place of having them declared.
type Defer string

// The values of tools.defer.
const (
	DeferAuto   Defer = "auto" // where the declarations would take more than a share of the window
	DeferAlways Defer = "always"
	DeferNever  Defer = "never"
)

// HasServers reports whether servers are configured.
func (b *Box) HasServers() bool { return b.options.Servers != nil }

// ServerTools lists the tools of the servers that are running.
func (b *Box) ServerTools() []ServerTool {
	if b.options.Servers == nil {
		return nil
	}
	return b.options.Servers.Tools()
}

// Declare starts the servers and returns the declarations of their tools. declared are those of the other tools. window is the
// size of the context window in tokens; tokens estimates what declarations take of it.
func (b *Box) Declare(ctx context.Context, declared []conversation.ToolSpec, window int,
	tokens func([]conversation.ToolSpec) int) []conversation.ToolSpec {
	if b.options.Servers == nil {
		return nil
	}
	b.options.Servers.Start(ctx)
	all := b.options.Servers.Tools()
	if len(all) == 0 {
		return nil
	}
	fits := func(more []conversation.ToolSpec) bool {
		return float64(tokens(slices.Concat(declared, more))) <= b.options.DeferRatio*float64(window)
	}
	var specs []conversation.ToolSpec
	for _, t := range all {
		specs = append(specs, t.Spec())
	}
	if b.options.Defer == DeferNever || b.options.Defer != DeferAlways && fits(specs) {
		return specs
	}
	// The overview has as many names as fit, found by bisection: the model need not look up what it can see.
	most := len(all)
	for low := 0; low < most; {
		if n := (low + most + 1) / 2; fits(b.onDemandSpecs(all, n)) {
			low = n
		} else {
			most = n - 1
		}
	}
	onDemand := b.onDemandSpecs(all, most)
	if b.options.Defer != DeferAlways && tokens(specs) <= tokens(onDemand) { // looking up would cost more than it saves
		return specs
	}
	return onDemand
}

// onDemandSpecs declares find_tools, which lists the first named tools, and call_tool.
func (b *Box) onDemandSpecs(all []ServerTool, named int) []conversation.ToolSpec {
	find := b.findTools(toolsOverview(all, named))
	return []conversation.ToolSpec{
		{Name: find.name, Description: find.about, Parameters: params.Schema(find.params, false), ReadOnly: true},
		{Name: conversation.ToolCallTool, Description: "Call a tool that find_tools showed, with the arguments that it takes.",
			Parameters: conversation.RawJSON(`{"type":"object","properties":{"name":{"type":"string"},` +
				`"arguments":{"type":"object"}},"required":["name","arguments"]}`)},
	}
}

// toolsOverview lists the servers with the number of their tools, and the first named tools with a line each.
func toolsOverview(all []ServerTool, named int) string {
	counts := map[string]int{}
	var servers []string
	for _, t := range all {
		if counts[t.Server]++; counts[t.Server] == 1 {
			servers = append(servers, t.Server)
		}
	}
	for i, s := range servers {
		servers[i] = fmt.Sprintf("%s (%d)", s, counts[s])
	}
	text := "Servers and their tools: " + strings.Join(servers, ", ") + "."
	for i, t := range all[:named] {
		if i == 0 {
			text += " Some of them:"
		}
		text += "\n" + t.line(80)
	}
	return text
}

// line returns the name of the tool with the beginning of its description, in at most so many characters.
func (t ServerTool) line(chars int) string {
	return strings.TrimSuffix(t.FullName+": "+conversation.OneLine(t.Description, chars), ": ")
}

func (b *Box) findTools(overview string) tool {
	about := "Look up tools of servers by words of what they do, or by their names. Returns what each takes; call them with call_tool. " +
		overview
	return tool{
		name: conversation.ToolFindTools, about: about, brief: about, readOnly: true, subject: []string{"query"},
		params: []params.Param{{Name: "query", About: "words of the task, or names of tools", Required: true}},
		run: func(_ context.Context, args params.Values, _ func(string)) (result, error) {
			return b.lookUp(args.Text("query"))
		},
	}
}

// How much find_tools shows: declarations of the best tools, and names of further ones.
const (
	shownTools   = 5
	shownSchema  = 8000 // bytes of one schema
	furtherTools = 20
)

// lookUp shows the tools that fit a query best.
func (b *Box) lookUp(query string) (result, error) {
	found := rankTools(b.options.Servers.Tools(), query)
	if len(found) == 0 {
		return result{}, fmt.Errorf("no tool has one of these words. %s", toolsOverview(b.options.Servers.Tools(), 0))
	}
	best := found[:min(shownTools, len(found))]
	loaded := conversation.ToolsLoaded{}
	var out strings.Builder
	for _, t := range best {
		schema := string(t.Schema)
		if len(schema) > shownSchema {
			schema = "(its schema is too long to show: " + fmt.Sprint(len(schema)) + " bytes)"
		}
		text := fmt.Sprintf("%s\n%s\narguments: %s\n\n", t.FullName, t.Description, schema)
		out.WriteString(text)
		loaded.Tools = append(loaded.Tools, conversation.LoadedTool{Name: t.FullName, Size: conversation.Measure(text)})
	}
	if rest := found[len(best):]; len(rest) > 0 {
		out.WriteString("Further tools, to be looked up by name:\n")
		for _, t := range rest[:min(furtherTools, len(rest))] {
			out.WriteString(t.line(80) + "\n")
		}
	}
	out.WriteString(`Call one with call_tool: {"name": "` + best[0].FullName + `", "arguments": {...}}`)
	return result{text: out.String(), events: []conversation.Body{loaded}}, nil
}

// rankTools lists the tools that have words of a query in their name or description, the best first. A tool whose name the query
// holds comes before all others.
func rankTools(all []ServerTool, query string) []ServerTool {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" \t\n,;.:_-/()\"'`", r) })
	score := map[string]int{}
	var found []ServerTool
	for _, t := range all {
		name, about := strings.ToLower(t.Server+" "+t.Name), strings.ToLower(t.Description)
		n := 0
		if strings.Contains(query, t.FullName) || strings.Contains(" "+query+" ", " "+t.Name+" ") {
			n += 1000
		}
		for _, w := range words {
			if strings.Contains(name, w) {
				n += 4
			}
			if strings.Contains(about, w) {
				n++
			}
		}
		if n > 0 {
			score[t.FullName] = n
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b ServerTool) int { return score[b.FullName] - score[a.FullName] })
	return found
}

// findServerTool finds the server's tool that a call names, and its arguments. ok is false for a call of another tool.
func (b *Box) findServerTool(call conversation.ToolCall) (found ServerTool, raw json.RawMessage, ok bool, err error) {
	name, arguments := call.Name, call.Arguments
	if name == conversation.ToolCallTool && b.options.Servers != nil {
		var inner struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal([]byte(arguments), &inner); err != nil || inner.Name == "" {
			return ServerTool{}, nil, true, errors.New(`call_tool takes {"name": "mcp__SERVER__TOOL", "arguments": {...}}`)
		}
		name, arguments = inner.Name, string(inner.Arguments)
		var text string // weak models write the object as a text
		if json.Unmarshal(inner.Arguments, &text) == nil && text != "" {
			arguments = text
		}
	} else if !strings.HasPrefix(name, conversation.ServerPrefix) {
		return ServerTool{}, nil, false, nil
	}
	if b.options.Servers == nil {
		return ServerTool{}, nil, true, fmt.Errorf("%s cannot be called: no MCP server is configured any more", name)
	}
	for _, t := range b.options.Servers.Tools() {
		if t.FullName == name || t.Name == name && call.Name == conversation.ToolCallTool {
			if arguments = strings.TrimSpace(arguments); arguments == "" || arguments == "null" {
				arguments = "{}"
			}
			var raw bytes.Buffer
			if err := json.Compact(&raw, []byte(arguments)); err != nil || raw.Bytes()[0] != '{' {
				return ServerTool{}, nil, true, fmt.Errorf("the arguments of %s must be one JSON object; it takes %s", name, conversation.OneLine(string(t.Schema), 2000))
			}
			return t, raw.Bytes(), true, nil
		}
	}
	return ServerTool{}, nil, true, fmt.Errorf("no running server has the tool %s. Look tools up with %s if it is declared, or do without; the user sees the servers with /mcp", name, conversation.ToolFindTools)
}

// Unwrap returns the call of a server's tool that a call of call_tool holds. It returns any other call as it is.
func (b *Box) Unwrap(call conversation.ToolCall) conversation.ToolCall {
	if t, arguments, ok, err := b.findServerTool(call); ok && err == nil {
		call.Name, call.Arguments = t.FullName, string(arguments)
	}
	return call
}

// serverTool is one call of a server's tool.
func (b *Box) serverTool(t ServerTool, arguments json.RawMessage) tool {
	return tool{
		name: t.FullName, access: permission.AccessServer,
		effect: func(context.Context, params.Values) (permission.Effect, error) {
			return permission.OfServer(t.Server, t.FullName, string(arguments)), nil
		},
		run: func(ctx context.Context, _ params.Values, progress func(string)) (result, error) {
			answer, err := b.options.Servers.Call(ctx, t.Server, t.Name, arguments, progress)
			r := result{text: answer.Text}
			if answer.IsError {
				r.status = conversation.ResultError
			}
			b.keepImages(ctx, &r, answer.Images)
			return r, err
		},
	}
}
