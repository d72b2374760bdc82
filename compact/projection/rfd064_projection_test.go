package projection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// wire is a message of a request, without the fields that are equal in all tests.
type wire struct {
	Role  projection.Role
	Text  string
	Calls []string // id, tool and arguments
	For   string   // of a result: the call's id
}

// request hardens the view of a log for an endpoint without requirements. A trailing
// reply stays: the example ends with one.
func request(t *testing.T, log []conversation.Event) []wire {
	t.Helper()
	messages, _ := projection.Harden(projection.Project(log), projection.Capabilities{})
	var out []wire
	for _, m := range messages {
		if m.Reasoning != "" && !m.ReasoningStripped {
			t.Errorf("reasoning is sent: %q", m.Reasoning)
		}
		w := wire{Role: m.Role, Text: m.Text, For: m.CallID}
		for _, c := range m.Calls {
			w.Calls = append(w.Calls, c.ID+" "+c.Name+" "+c.Arguments)
		}
		out = append(out, w)
	}
	return out
}

const mainPath = `{"path":"src/main.rs"}`

// rfd064Example is the raw stream of RFD 064's projection example, and a turn that
// is not compacted.
func rfd064Example() *compacttest.LogBuilder {
	l := &compacttest.LogBuilder{}
	work := func(text, reasoning, id, tool, result string) {
		l.Add(conversation.AssistantMessage{Text: text, Reasoning: reasoning, Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: mainPath}}},
			conversation.ToolResult{CallID: id, Tool: tool, Status: conversation.ResultOK, Text: result})
	}
	l.User("set up the project")
	work("I'll create the project structure.", "", "1", "fs_create_file", strings.Repeat("code\n", 200))
	l.Reply("Created src/main.rs with a basic setup.")
	l.User("add error handling")
	work("", "500 tokens of thinking", "2", "fs_read_file", strings.Repeat("code\n", 200))
	work("", "", "3", "fs_modify_file", strings.Repeat("diff\n", 300))
	l.Reply("Added error handling to main.")
	l.User("now add logging")
	work("", "400 tokens of thinking", "4", "fs_modify_file", strings.Repeat("diff\n", 250))
	l.Reply("Added tracing-based logging.")
	return l
}

// afterwards is the later turn 3 of the example.
func afterwards(l *compacttest.LogBuilder) *compacttest.LogBuilder {
	return l.User("thanks").Add(conversation.AssistantMessage{Text: "Welcome.", Stop: conversation.StopEnd})
}

var laterTurn = []wire{{Role: projection.RoleUser, Text: "thanks"}, {Role: projection.RoleAssistant, Text: "Welcome."}}

func TestRFD064ProjectionExampleDefault(t *testing.T) {
	t.Parallel()
	l := rfd064Example()
	// Exactly the hints that the text of the example names.
	rules := preset.RulesOf(preset.JP)
	rules.Tools = map[string]preset.ToolRule{
		"fs_read_file":   {Request: preset.HintKeep, Response: preset.HintStrip},
		"fs_create_file": {Request: preset.HintStrip},
		"fs_modify_file": {Request: preset.HintStrip},
	}
	p := rules.Policies(rules.Profiles[preset.ProfileDefault], []string{"fs_create_file", "fs_read_file", "fs_modify_file"})
	l.Add(conversation.Summary{Style: conversation.StyleJP, Spans: l.All(), FromTurn: 0, ToTurn: 2, Policies: &p})
	afterwards(l)
	assistant, tool, user := projection.RoleAssistant, projection.RoleTool, projection.RoleUser
	want := append([]wire{
		{Role: user, Text: "set up the project"},
		{Role: assistant, Text: "I'll create the project structure.", Calls: []string{"1 fs_create_file {}"}},
		{Role: tool, For: "1", Text: "[compacted] fs_create_file: success"},
		{Role: assistant, Text: "Created src/main.rs with a basic setup."},
		{Role: user, Text: "add error handling"},
		{Role: assistant, Calls: []string{"2 fs_read_file " + mainPath}},
		{Role: tool, For: "2", Text: "[compacted] fs_read_file: success"},
		{Role: assistant, Calls: []string{"3 fs_modify_file {}"}},
		{Role: tool, For: "3", Text: "[compacted] fs_modify_file: success"},
		{Role: assistant, Text: "Added error handling to main."},
		{Role: user, Text: "now add logging"},
		{Role: assistant, Calls: []string{"4 fs_modify_file {}"}},
		{Role: tool, For: "4", Text: "[compacted] fs_modify_file: success"},
		{Role: assistant, Text: "Added tracing-based logging."},
	}, laterTurn...)
	if d := cmp.Diff(want, request(t, l.Events())); d != "" {
		t.Error(d)
	}
}

func TestRFD064ProjectionExampleHeavy(t *testing.T) {
	t.Parallel()
	const text = "Set up a Rust project at src/main.rs with error handling and tracing-based logging."
	l := rfd064Example()
	l.Add(conversation.Summary{Style: conversation.StyleJP, Spans: l.All(), FromTurn: 0, ToTurn: 2, Text: text})
	afterwards(l)
	want := append([]wire{
		{Role: projection.RoleUser, Text: "[Summary of previous conversation]"},
		{Role: projection.RoleAssistant, Text: text},
	}, laterTurn...)
	if d := cmp.Diff(want, request(t, l.Events())); d != "" {
		t.Error(d)
	}
}

// TestRFD064StackingTable is RFD 064's example of two compactions: A, made after turn
// 20, summarises turns 0 to 20; B, made after turn 30, strips the responses of
// turns 0 to 30.
func TestRFD064StackingTable(t *testing.T) {
	t.Parallel()
	l := &compacttest.LogBuilder{}
	turn := func() {
		l.User("go on")
		l.Add(conversation.AssistantMessage{Reasoning: "why", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "call_" + strings.Repeat("i", l.Log.Turns()), Name: "grep", Arguments: `{"pattern":"x"}`}}},
			conversation.ToolResult{CallID: "call_" + strings.Repeat("i", l.Log.Turns()), Tool: "grep", Status: conversation.ResultOK, Text: "found it"})
	}
	for range 21 {
		turn()
	}
	l.Add(conversation.Summary{Style: conversation.StyleJP, Spans: l.All(), FromTurn: 0, ToTurn: 20, Text: "A"})
	for range 10 {
		turn()
	}
	l.Add(conversation.Summary{Style: conversation.StyleJP, Spans: l.All(), FromTurn: 0, ToTurn: 30,
		Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Response: true}})
	byTurn := map[int][]projection.Message{}
	for _, m := range projection.Project(l.Events()).Messages {
		for turn := range 31 {
			if l.Events()[m.Events[0]-1].Turn <= turn && turn <= l.Events()[m.Events[len(m.Events)-1]-1].Turn {
				byTurn[turn] = append(byTurn[turn], m)
			}
		}
	}
	for _, turn := range []int{0, 5, 20} { // A: Summarize, also where B covers the event
		m := byTurn[turn]
		if len(m) != 2 || m[0].Text != "[Summary of previous conversation]" || m[1].Text != "A" {
			t.Errorf("turn %d: %+v", turn, m)
		}
	}
	for _, turn := range []int{21, 25, 30} {
		m := byTurn[turn]
		if len(m) != 3 || m[0].Text != "go on" || m[1].Calls[0].Arguments != `{"pattern":"x"}` || m[2].Text != "[compacted] grep: success" {
			t.Errorf("turn %d: tool calls are not stripped by B: %+v", turn, m)
		} else if m[1].Reasoning != "why" || m[1].ReasoningStripped {
			t.Errorf("turn %d: reasoning is not kept: %+v", turn, m[1])
		}
	}
}

func TestRFD064LatestPolicyWinsForEachTypeOfContent(t *testing.T) {
	t.Parallel()
	strip := func(p conversation.Policies) conversation.Summary {
		return conversation.Summary{Style: conversation.StyleJP, Spans: []conversation.Span{{First: 1, Last: 3}}, Policies: &p}
	}
	all := strip(conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true})
	for name, c := range map[string]struct {
		overlays          []conversation.Body
		arguments, result string
		stripped          bool
	}{
		"both":                  {[]conversation.Body{all}, "{}", "[compacted] grep: success", false},
		"requests only, later":  {[]conversation.Body{all, strip(conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Request: true})}, "{}", "found", false},
		"responses only, later": {[]conversation.Body{all, strip(conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Response: true})}, `{"a":1}`, "[compacted] grep: success", false},
		"no opinion, later":     {[]conversation.Body{all, strip(conversation.Policies{Reasoning: conversation.ReasoningStrip})}, "{}", "[compacted] grep: success", true},
		"omitted, then stripped": {[]conversation.Body{strip(conversation.Policies{ToolCalls: conversation.ToolCallsOmit}), all}, "{}",
			"[compacted] grep: success", false},
	} {
		l := (&compacttest.LogBuilder{}).User("u").Add(conversation.AssistantMessage{Reasoning: "why", Calls: []conversation.ToolCall{{ID: "1", Name: "grep", Arguments: `{"a":1}`}}},
			conversation.ToolResult{CallID: "1", Tool: "grep", Status: conversation.ResultOK, Text: "found"}).Add(c.overlays...)
		// The order of the log counts, whatever the clocks said.
		log := slices.Clone(l.Events())
		for i := range log {
			log[i].Time = conversationtest.Epoch.AddDate(0, 0, -i)
		}
		m := projection.Project(log).Messages
		if len(m) != 3 || m[1].Calls[0].Arguments != c.arguments || m[2].Text != c.result || m[1].ReasoningStripped != c.stripped {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
