package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// seen is a view as text: for every message a line that says where it comes
// from, and what it says.
func seen(log []conversation.Event) string {
	v := projection.Project(log)
	var b strings.Builder
	for _, m := range v.Messages {
		fmt.Fprintf(&b, "== %s of %v, turn %d, %s", m.Role, m.Events, m.Turn, m.State)
		if m.Overlay != 0 {
			fmt.Fprintf(&b, " by %d", m.Overlay)
		}
		if m.Repeats != 0 {
			fmt.Fprintf(&b, ", points to %d", m.Repeats)
		}
		if m.Why != "" {
			b.WriteString(": " + m.Why)
		}
		b.WriteString("\n")
		if m.Reasoning != "" {
			fmt.Fprintf(&b, "(reasoning, stripped %v) %s\n", m.ReasoningStripped, m.Reasoning)
		}
		if m.Text != "" {
			b.WriteString(strings.ReplaceAll(m.Text, "\r", "<CR>") + "\n")
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "(call %s) %s %s\n", c.ID, c.Name, c.Arguments)
		}
	}
	for _, a := range v.Absent {
		fmt.Fprintf(&b, "-- absent: %d, turn %d, %s by %d: %s\n", a.Event, a.Turn, a.State, a.Overlay, a.Why)
	}
	for _, n := range v.Notes {
		b.WriteString("-- note: " + n + "\n")
	}
	return b.String()
}

// example is a log with the name of what it shows.
type example struct {
	name string
	log  *compacttest.LogBuilder
}

func TestStubGrammar(t *testing.T) {
	t.Parallel()
	const ok, failed = conversation.ResultOK, conversation.ResultError
	cut, total := conversation.Cut(strings.Repeat("a page of it\n", 5000), 30_000)
	recall := (&compacttest.LogBuilder{}).User("u").Call("read_file", `{"path":"a.go"}`, ok, compacttest.NumberedLines(90, "func")).
		Call(conversation.ToolRecall, `{"id":"e3"}`, ok, compacttest.NumberedLines(90, "func"))
	var text strings.Builder
	for _, c := range []example{
		{"ok", (&compacttest.LogBuilder{}).Call("read_file", `{"path":"a.go"}`, ok, compacttest.NumberedLines(312, "an even line of source")).Mask(250)},
		{"no preview", (&compacttest.LogBuilder{}).Call("read_file", `{"path":"a.go"}`, ok, compacttest.NumberedLines(312, "an even line of source")).Mask(0)},
		{"error", (&compacttest.LogBuilder{}).Call("run_command", `{}`, failed, compacttest.NumberedLines(40, "PASS")+"server_test.go:12: error: address in use\n"+compacttest.NumberedLines(40, "more output")).Mask(100)},
		{"error in tail", (&compacttest.LogBuilder{}).Call("run_command", `{}`, failed, compacttest.NumberedLines(80, "PASS")+"error: exit status 1\n").Mask(100)},
		{"error unnamed", (&compacttest.LogBuilder{}).Call("run_command", `{}`, failed, compacttest.NumberedLines(80, "PASS")+strings.Repeat("the end ", 60)+"\n\n").Mask(30)},
		{"interrupted", (&compacttest.LogBuilder{}).Call("run_command", `{}`, conversation.ResultInterrupted, compacttest.NumberedLines(80, "so far")).Mask(60)},
		{"denied", (&compacttest.LogBuilder{}).Call("run_command", `{}`, conversation.ResultDenied, compacttest.NumberedLines(80, "the user said no")).Mask(60)},
		{"one line", (&compacttest.LogBuilder{}).Call("run_command", `{}`, ok, strings.Repeat("minified;", 1000)).Mask(60)},
		{"long line behind a short one", (&compacttest.LogBuilder{}).Call("run_command", `{}`, ok, "ok\n"+strings.Repeat("minified;", 1000)+"\nend").Mask(60)},
		{"cjk", (&compacttest.LogBuilder{}).Call("read_file", `{}`, ok, strings.Repeat("漢字かな交じり文を読む。\n", 100)).Mask(60)},
		{"crlf", (&compacttest.LogBuilder{}).Call("read_file", `{}`, ok, strings.Repeat("a line of a file from elsewhere\r\n", 100)).Mask(70)},
		{"megabyte", (&compacttest.LogBuilder{}).Call("read_file", `{}`, ok, strings.Repeat("0123456789abcde\n", 1<<16)).Mask(250)},
		{"cut", (&compacttest.LogBuilder{}).Add(conversation.ToolResult{CallID: "x", Tool: "fetch", Status: ok, Text: cut, Total: total}).Mask(60)},
		{"recalled", recall.Mask(0)},
		{"recalled miss", (&compacttest.LogBuilder{}).Call("read_file", `{}`, ok, "x").
			Call(conversation.ToolRecall, `{"id":"e1"}`, failed, compacttest.NumberedLines(90, "there is no e1 here")).Mask(0)},
		{"no status", (&compacttest.LogBuilder{}).Call("read_file", `{}`, "", compacttest.NumberedLines(90, "of a foreign log")).Mask(0)},
		{"odd tool", (&compacttest.LogBuilder{}).Call("multi_tool_use.parallel\n", `{}`, ok, compacttest.NumberedLines(90, "there is no such tool")).Mask(0)},
	} {
		messages := projection.Project(c.log.Events()).Messages
		last := messages[len(messages)-1]
		if last.State != projection.StateMasked {
			t.Errorf("%s: %s", c.name, last.State)
		}
		text.WriteString("#### " + c.name + "\n" + strings.ReplaceAll(last.Text, "\r", "<CR>") + "\n\n")
	}
	compacttest.Golden(t, "stubs", text.String())
}

func TestAStubThatIsNotShorterIsNotShown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", strings.Repeat("x", 100), compacttest.NumberedLines(30, "a line of it")} {
		l := (&compacttest.LogBuilder{}).Call("read_file", `{}`, conversation.ResultOK, text).Mask(250)
		if m := projection.Project(l.Events()).Messages[1]; m.Text != text || m.Overlay != 0 || m.State != projection.StateVerbatim {
			t.Errorf("%d characters became %+v", len(text), m)
		}
	}
}

func TestStubsOfTheOtherPresets(t *testing.T) {
	t.Parallel()
	for style, want := range map[conversation.Style]map[conversation.ResultStatus]string{
		conversation.StyleJP: {conversation.ResultOK: "[compacted] fs_read_file: success", conversation.ResultError: "[compacted] fs_read_file: error",
			conversation.ResultInterrupted: "[compacted] fs_read_file: error"},
		conversation.StyleJCLI: {conversation.ResultOK: "[Previous: used fs_read_file]", conversation.ResultError: "[Previous: used fs_read_file]"},
	} {
		for status, text := range want {
			l := (&compacttest.LogBuilder{}).Call("fs_read_file", `{"path":"a"}`, status, "x") // shorter than the stub: the letter holds
			l.Add(conversation.Mask{Style: style, Items: []conversation.MaskItem{
				{Event: 2, Part: conversation.PartResult}, {Event: 1, Part: conversation.PartArguments, Call: "call_1"}}})
			v := projection.Project(l.Events())
			if v.Messages[1].Text != text || v.Messages[0].Calls[0].Arguments != "{}" {
				t.Errorf("%s, %s: %q, %q", style, status, v.Messages[1].Text, v.Messages[0].Calls[0].Arguments)
			}
		}
	}
}

// voyage is three turns, the second with work in it.
func voyage() *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).User("Set up the project.").Reply("Done.")
	l.User("Read a.go.").Call("read_file", `{"path":"a.go"}`, conversation.ResultOK, compacttest.NumberedLines(6, "of a.go")).Reply("Read.")
	return l.User("And now?").Reply("Go on.")
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	const plimsoll, jp = conversation.StylePlimsoll, conversation.StyleJP
	appended := voyage()
	appended.Add(conversation.Summary{Style: plimsoll, FromTurn: 0, ToTurn: 1, Text: "  The project was set up.\n", Appendix: "### Files read\n\n- a.go",
		Spans: []conversation.Span{{First: 1, Last: 6}}})
	var text strings.Builder
	for _, c := range []example{
		{"one band", appended},
		{"two bands", voyage().Summary(plimsoll, 1, 2, 0, 0, "It was set up.").Summary(plimsoll, 3, 6, 1, 1, "a.go was read.")},
		{"first user stays", voyage().Summary(plimsoll, 2, 6, 0, 1, "It was set up, and a.go read.")},
		{"pinned inside", voyage().Summary(plimsoll, 1, 6, 0, 1, "It was set up, and a.go read.").Add(conversation.Pin{Events: []uint64{5}})},
		{"pinned first", voyage().Summary(plimsoll, 1, 6, 0, 1, "It was set up, and a.go read.").Add(conversation.Pin{Events: []uint64{1}})},
		{"newer inside", voyage().Summary(plimsoll, 1, 8, 0, 2, "All of it.").Summary(plimsoll, 3, 6, 1, 1, "a.go was read.")},
		{"newer over", voyage().Summary(plimsoll, 3, 6, 1, 1, "a.go was read.").Summary(plimsoll, 1, 8, 0, 2, "All of it.")},
		{"broken range", voyage().Add(conversation.Summary{Style: plimsoll, FromTurn: 0, ToTurn: 2, Text: "All but one.",
			Spans: []conversation.Span{{First: 1, Last: 2}, {First: 4, Last: 8}}})},
		{"oneclaw", voyage().Summary(conversation.StyleOneClaw, 1, 6, 0, 1, "The user set up a project.")},
		{"jcli", voyage().Summary(conversation.StyleJCLI, 1, 6, 0, 1, "The user set up a project.")},
		{"oneclaw then band", voyage().Summary(conversation.StyleOneClaw, 1, 2, 0, 0, "It was set up.").Summary(plimsoll, 3, 6, 1, 1, "a.go was read.")},
		{"pinned between", voyage().Add(conversation.Summary{Style: plimsoll, FromTurn: 0, ToTurn: 2, Text: "All but one.",
			Spans: []conversation.Span{{First: 1, Last: 2}, {First: 4, Last: 8}}}, conversation.Pin{Events: []uint64{3}})},
		{"jp", voyage().Summary(jp, 1, 6, 0, 1, "The user set up a project.")},
		{"jp newer inside", voyage().Summary(jp, 1, 8, 0, 2, "All of it.").Summary(jp, 3, 6, 1, 1, "a.go was read.")},
		{"jp then band", voyage().Summary(jp, 1, 2, 0, 0, "It was set up.").Summary(plimsoll, 3, 6, 1, 1, "a.go was read.")},
		{"there is no such event", voyage().Summary(plimsoll, 1, 60, 0, 1, "It was set up.")},
		{"cut by a rewind", voyage().Summary(plimsoll, 1, 6, 0, 1, "It was set up.").Add(conversation.Rewind{Turn: 1})},
		{"after a rewind", voyage().Add(conversation.Rewind{Turn: 1}).Summary(plimsoll, 1, 6, 0, 1, "It was set up.")},
	} {
		text.WriteString("#### " + c.name + "\n" + seen(c.log.Events()) + "\n")
	}
	compacttest.Golden(t, "blocks", text.String())
}

func TestNotesAndEnds(t *testing.T) {
	t.Parallel()
	drop := func(first, last uint64) conversation.Drop {
		return conversation.Drop{Spans: []conversation.Span{{First: first, Last: last}}}
	}
	omit := func(style conversation.Style) conversation.Summary {
		return conversation.Summary{Style: style, Spans: []conversation.Span{{First: 1, Last: 6}}, FromTurn: 0, ToTurn: 1,
			Policies: &conversation.Policies{Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsOmit}}
	}
	works := func() *compacttest.LogBuilder {
		l := (&compacttest.LogBuilder{}).User("Read a.go.").Add(conversation.AssistantMessage{Text: "I read it.", Reasoning: "It is there.", Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"path":"a.go"}`}, {ID: "b", Name: "grep_files", Arguments: `{"pattern":"x"}`}}},
			conversation.ToolResult{CallID: "a", Tool: "read_file", Status: conversation.ResultOK, Text: compacttest.NumberedLines(60, "of a.go")},
			conversation.ToolResult{CallID: "b", Tool: "grep_files", Status: conversation.ResultOK, Text: "a.go:1: x"})
		return l.Call("read_file", `{"path":"b.go"}`, conversation.ResultOK, compacttest.NumberedLines(60, "of b.go")).Reply("Read.")
	}
	long := `{"path":"a.go","content":"` + strings.Repeat("package a\\n", 300) + `","mode":420,"n":[1,2.0]}`
	caps := (&compacttest.LogBuilder{}).User("u").Call("create_file", long, conversation.ResultOK, compacttest.NumberedLines(500, "of the answer"))
	var text strings.Builder
	for _, c := range []example{
		{"drop", voyage().Add(drop(2, 6))},
		{"drop one", voyage().Add(drop(2, 2))},
		{"drop pinned", voyage().Add(drop(2, 6), conversation.Pin{Events: []uint64{4}})},
		{"omit", works().Add(omit(conversation.StylePlimsoll))},
		{"omit jp", works().Add(omit(conversation.StyleJP))},
		{"omit too small", (&compacttest.LogBuilder{}).User("u").Call("t", `{}`, conversation.ResultOK, "x").Add(omit(conversation.StylePlimsoll))},
		{"cap", caps.Add(conversation.Cap{Items: []conversation.CapItem{{Event: 2, Call: "call_1", Head: 30, Tail: 20}, {Event: 3, Head: 60, Tail: 60}}})},
		{"rewind", voyage().Add(conversation.Rewind{Turn: 1})},
	} {
		text.WriteString("#### " + c.name + "\n" + seen(c.log.Events()) + "\n")
	}
	compacttest.Golden(t, "notes", text.String())
}

func TestPointer(t *testing.T) {
	t.Parallel()
	text := compacttest.NumberedLines(20, "of a.go")
	log := func(repeats uint64, more ...conversation.Body) []conversation.Event {
		l := (&compacttest.LogBuilder{}).User("Read a.go twice.").Call("read_file", `{"path":"a.go"}`, conversation.ResultOK, text)
		l.Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "again", Name: "read_file", Arguments: `{"path":"a.go"}`}}},
			conversation.ToolResult{CallID: "again", Tool: "read_file", Status: conversation.ResultOK, Text: text, Repeats: repeats})
		return l.Add(more...).Events()
	}
	compacttest.Golden(t, "pointer", seen(log(3)))
	mask := func(seqs ...uint64) conversation.Mask {
		m := conversation.Mask{Style: conversation.StylePlimsoll, Preview: 10}
		for _, seq := range seqs {
			m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartResult})
		}
		return m
	}
	for name, c := range map[string]struct {
		log           []conversation.Event
		first, second projection.State
	}{
		"pointed to":                     {log(3), projection.StateVerbatim, projection.StateMasked},
		"not a result":                   {log(2), projection.StateVerbatim, projection.StateVerbatim},
		"later":                          {log(9), projection.StateVerbatim, projection.StateVerbatim},
		"itself":                         {log(5), projection.StateVerbatim, projection.StateVerbatim},
		"the first masked":               {log(3, mask(3)), projection.StateVerbatim, projection.StateMasked},
		"both masked":                    {log(3, mask(3, 5)), projection.StateMasked, projection.StateMasked},
		"the second masked":              {log(3, mask(5)), projection.StateVerbatim, projection.StateMasked},
		"the first masked by the letter": {log(3, conversation.Mask{Style: conversation.StyleJCLI, Items: mask(3).Items}), projection.StateMasked, projection.StateVerbatim},
		"too short to point to": {(&compacttest.LogBuilder{}).User("x").Call("t", "{}", conversation.ResultOK, "short").OpenCall("again").
			Add(conversation.ToolResult{CallID: "again", Tool: "t", Text: "short", Repeats: 3}).Events(), projection.StateVerbatim, projection.StateVerbatim},
		"the first summarised":                {log(3, conversation.Summary{Spans: []conversation.Span{{First: 2, Last: 3}}, Text: "s"}), projection.StateSummarised, projection.StateVerbatim},
		"the second pinned":                   {log(3, conversation.Pin{Events: []uint64{5}}), projection.StateVerbatim, projection.StatePinned},
		"the first pinned and both masked":    {log(3, conversation.Pin{Events: []uint64{3}}, mask(3, 5)), projection.StatePinned, projection.StateMasked},
		"the second pinned, the first masked": {log(3, conversation.Pin{Events: []uint64{5}}, mask(3)), projection.StateMasked, projection.StatePinned},
	} {
		v := projection.Project(c.log)
		var states []projection.State
		for _, m := range v.Messages {
			if m.Role == projection.RoleTool || m.State == projection.StateSummarised {
				states = append(states, m.State)
			}
		}
		if len(states) != 2 || states[0] != c.first || states[1] != c.second {
			t.Errorf("%s: %v, want %s and %s", name, states, c.first, c.second)
		}
	}
}
