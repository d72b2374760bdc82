package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/core"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

// fakeServers are servers with made-up tools, which answer with what they were asked.
type fakeServers struct {
	tools   []tools.ServerTool
	started int
	called  []string
}

func (f *fakeServers) Start(context.Context)     { f.started++ }
func (f *fakeServers) Tools() []tools.ServerTool { return f.tools }

func (f *fakeServers) Call(_ context.Context, server, tool string, arguments json.RawMessage, progress func(string)) (tools.ServerResult, error) {
	f.called = append(f.called, server+" "+tool+" "+string(arguments))
	progress("half of it")
	switch tool {
	case "refuse":
		return tools.ServerResult{Text: "no such row", IsError: true}, nil
	case "die":
		return tools.ServerResult{}, errors.New("the server of it has ended")
	}
	return tools.ServerResult{Text: "done"}, nil
}

// serverTool is a tool with a description and a schema of ordinary size.
func serverTool(server, name, about string) tools.ServerTool {
	return tools.ServerTool{Server: server, Name: name, FullName: "mcp__" + server + "__" + name, Description: about,
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"the file, relative to the root"}},"required":["path"]}`)}
}

// manyTools are n tools of two servers.
func manyTools(n int) []tools.ServerTool {
	var all []tools.ServerTool
	for i := range n {
		all = append(all, serverTool([]string{"alpha", "beta"}[i*2/n], fmt.Sprintf("tool_%03d", i), fmt.Sprintf("Does thing number %d with a file of the project, and says what it did.", i)))
	}
	return all
}

func tokensOf(specs []conversation.ToolSpec) int {
	text, _ := core.EncodeTools(specs)
	return int(meter.New(meter.Options{}).WithPrompt(conversation.Size{}, conversation.Measure(text)).RequestEstimate())
}

func withServers(f *fakeServers, change ...func(*tools.Options)) func(*tools.Options) {
	return func(o *tools.Options) {
		o.Servers = f
		for _, c := range change {
			c(o)
		}
	}
}

func namesOf(specs []conversation.ToolSpec) []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

func TestManyToolsOfServersAreLookedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tools, window int
		mode          tools.Defer
		deferred      bool
	}{
		{3, 128_000, tools.DeferAuto, false}, {200, 32_000, tools.DeferAuto, true}, {200, 8_192, tools.DeferAuto, true},
		{200, 32_000, tools.DeferNever, false}, {1, 1_000_000, tools.DeferAlways, true},
	} {
		f := &fakeServers{tools: manyTools(c.tools)}
		b, _ := open(t, nil, withServers(f, func(o *tools.Options) { o.Defer = c.mode }))
		specs := b.Declare(t.Context(), b.Specs(), c.window, tokensOf)
		if deferred := slices.Equal(namesOf(specs), []string{"find_tools", "call_tool"}); deferred != c.deferred || !deferred && len(specs) != c.tools {
			t.Errorf("%+v: declared %v", c, namesOf(specs))
		}
		if most := c.window / 10; c.window >= 32_000 && c.deferred && tokensOf(append(b.Specs(), specs...)) > most {
			t.Errorf("%+v: the declarations take %d tokens, more than %d", c, tokensOf(append(b.Specs(), specs...)), most)
		}
		if c.deferred && c.window == 32_000 && !strings.Contains(specs[0].Description, "alpha (100), beta (100)") {
			t.Errorf("find_tools does not say which servers there are: %s", specs[0].Description)
		}
		if again := b.Declare(t.Context(), b.Specs(), c.window, tokensOf); tokensOf(again) != tokensOf(specs) || f.started != 2 {
			t.Errorf("%+v: declared differently at a second time", c)
		}
	}
}

func TestLookedUpToolIsCalled(t *testing.T) {
	t.Parallel()
	all := append(manyTools(40), serverTool("tracker", "create_issue", "Open an issue in the tracker."), serverTool("tracker", "refuse", "Fails."))
	f := &fakeServers{tools: all}
	b, _ := open(t, nil, withServers(f))
	found := run(t, b, "find_tools", map[string]any{"query": "open an issue"})
	if found.Status != conversation.ResultOK || !strings.HasPrefix(found.Text, "mcp__tracker__create_issue\nOpen an issue in the tracker.\narguments: {\"type\":\"object\"") {
		t.Fatalf("find_tools: %+v", found)
	}
	if loaded, ok := found.Events[0].(conversation.ToolsLoaded); !ok || loaded.Tools[0].Name != "mcp__tracker__create_issue" || loaded.Tools[0].Size.Chars() == 0 {
		t.Errorf("the event is %+v", found.Events)
	}
	args := map[string]any{"name": "mcp__tracker__create_issue", "arguments": map[string]any{"path": "a <b>"}}
	c := call(t, "call_tool", args)
	r := b.Review(t.Context(), c)
	if r.Need != conversation.NeedApproval || r.ReadOnly || !strings.HasPrefix(r.Title, `mcp__tracker__create_issue {"path":"a `) || r.Offer.Rules[0] != "mcp__tracker__create_issue" {
		t.Errorf("review: %+v", r)
	}
	if err := b.Allow(t.Context(), c, conversation.GrantRun, nil); err != nil {
		t.Fatal(err)
	}
	if r := b.Review(t.Context(), call(t, "mcp__tracker__create_issue", map[string]any{"path": "b"})); r.Need != conversation.NeedNothing {
		t.Errorf("the grant does not cover a direct call: %+v", r)
	}
	if out := run(t, b, "call_tool", args); out.Text != "done" || len(f.called) != 1 || !strings.HasPrefix(f.called[0], "tracker create_issue {") {
		t.Errorf("called %q, result %+v", f.called, out)
	}
	if out := run(t, b, "call_tool", map[string]any{"name": "refuse", "arguments": `{"path": "x"}`}); out.Status != conversation.ResultError || out.Text != "no such row" {
		t.Errorf("an error of the tool: %+v", out)
	}
}

func TestWrongCallsOfServersAreExplained(t *testing.T) {
	t.Parallel()
	f := &fakeServers{tools: []tools.ServerTool{serverTool("files", "die", "")}}
	b, _ := open(t, nil, withServers(f))
	for _, c := range []struct {
		tool, want string
		args       map[string]any
	}{
		{"find_tools", "no tool has one of these words", map[string]any{"query": "zebra"}},
		{"find_tools", `needs "query"`, map[string]any{}},
		{"call_tool", "call_tool takes", map[string]any{"arguments": map[string]any{}}},
		{"call_tool", "no running server has the tool mcp__files__gone", map[string]any{"name": "mcp__files__gone"}},
		{"call_tool", "must be one JSON object; it takes", map[string]any{"name": "mcp__files__die", "arguments": []int{1}}},
		{"mcp__gone__x", "no running server has the tool", map[string]any{}},
		{"mcp__files__die", "the server of it has ended", map[string]any{}},
	} {
		if out := run(t, b, c.tool, c.args); out.Status != conversation.ResultError || !strings.Contains(out.Text, c.want) {
			t.Errorf("%s %v: %+v, want an error with %q", c.tool, c.args, out, c.want)
		}
	}
	none, _ := open(t, nil)
	if out := run(t, none, "mcp__files__die", map[string]any{}); !strings.Contains(out.Text, "no MCP server is configured") {
		t.Errorf("without servers: %+v", out)
	}
}

func TestRulesNameServersAndTheirTools(t *testing.T) {
	t.Parallel()
	f := &fakeServers{tools: []tools.ServerTool{serverTool("files", "read", ""), serverTool("files", "write", ""), serverTool("files__x", "read", ""), serverTool("web", "get", "")}}
	for _, c := range []struct {
		config permission.Config
		needs  map[string]conversation.Need // by tool
	}{
		{permission.Config{Allow: []string{"mcp__files"}}, map[string]conversation.Need{
			"mcp__files__read": conversation.NeedNothing, "mcp__files__x__read": conversation.NeedApproval, "mcp__web__get": conversation.NeedApproval}},
		{permission.Config{Allow: []string{"mcp__files"}, Deny: []string{"mcp__files__write"}}, map[string]conversation.Need{
			"mcp__files__read": conversation.NeedNothing, "mcp__files__write": conversation.NeedRefusal}},
		{permission.Config{Approval: map[string]permission.Approval{"mcp__web": permission.ApprovalDeny, "mcp__files": permission.ApprovalAllow, "mcp__files__write": permission.ApprovalAsk}},
			map[string]conversation.Need{"mcp__web__get": conversation.NeedRefusal, "mcp__files__read": conversation.NeedNothing, "mcp__files__write": conversation.NeedApproval}},
		{permission.Config{Mode: conversation.ModePlan}, map[string]conversation.Need{"mcp__files__read": conversation.NeedRefusal}},
		{permission.Config{Mode: conversation.ModeYolo}, map[string]conversation.Need{"mcp__files__read": conversation.NeedNothing}},
	} {
		b, _ := open(t, nil, withServers(f, func(o *tools.Options) { o.Permissions = c.config }))
		for tool, want := range c.needs {
			if r := b.Review(t.Context(), call(t, tool, map[string]any{})); r.Need != want {
				t.Errorf("%+v: %s needs %v, want %v", c.config, tool, r.Need, want)
			}
		}
	}
	if _, err := tools.New(tools.Options{Workspace: t.TempDir(), Permissions: permission.Config{Allow: []string{"mcp__files(x)"}}}); err == nil {
		t.Error("a rule of a server takes a pattern")
	}
}
