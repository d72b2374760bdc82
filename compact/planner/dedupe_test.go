package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// dedupeLog is a view built message by message; events count from 1.
type dedupeLog []projection.Message

func (l dedupeLog) calls(calls ...conversation.ToolCall) dedupeLog {
	return append(l, projection.Message{Role: projection.RoleAssistant, Calls: calls, State: projection.StateVerbatim, Events: []uint64{uint64(len(l) + 1)}})
}

func (l dedupeLog) call(id, tool, arguments string) dedupeLog {
	return l.calls(conversation.ToolCall{ID: id, Name: tool, Arguments: arguments})
}

func (l dedupeLog) result(id, tool, text string) dedupeLog {
	return append(l, projection.Message{
		Role: projection.RoleTool, CallID: id, Tool: tool, Text: text, State: projection.StateVerbatim, Events: []uint64{uint64(len(l) + 1)},
	})
}

// state sets the state of the newest message.
func (l dedupeLog) state(s projection.State) dedupeLog {
	l[len(l)-1].State = s
	return l
}

// onlyDedupe returns rules that only deduplicate by identity, for these tools.
func onlyDedupe(tools map[string]preset.ToolRule) preset.Rules {
	return preset.Rules{Values: preset.Values{Dedupe: adachsoft.Params{Enabled: true, InputTrimBytes: adachsoft.DefaultTrimBytes, OutputTrimBytes: adachsoft.DefaultTrimBytes}}, Tools: tools}
}

var (
	longLine = strings.Repeat("a long line ", 10) // 120 bytes
	writes   = `{"path":"a/b","text":"` + longLine + `","mode":1.0}`
)

func TestDedupeItemsNameOmittedFields(t *testing.T) {
	t.Parallel()
	byPath := map[string]preset.ToolRule{"write": {Identifiers: []string{"path"}}, "read": {Identifiers: []string{"path"}}}
	log := dedupeLog{{Role: projection.RoleUser, Text: longLine, State: projection.StateVerbatim, Events: []uint64{1}}}.
		calls(conversation.ToolCall{ID: "1", Name: "write", Arguments: writes}, conversation.ToolCall{ID: "2", Name: "read", Arguments: `{"path":"a/b"}`}).
		result("1", "write", "ok").
		result("2", "read", longLine).
		calls(conversation.ToolCall{ID: "3", Name: "write", Arguments: writes}, conversation.ToolCall{ID: "4", Name: "read", Arguments: `{"path":"a/b"}`}).
		result("3", "write", "ok").
		result("4", "read", `{"text":"`+longLine+`","lines":1,"more":["`+longLine+`"]}`).
		call("5", "read", `{"path":"a/b"}`).
		result("5", "read", longLine)
	want := []conversation.MaskItem{
		{Event: 2, Part: conversation.PartArguments, Call: "1", Fields: []string{"text"}, Threshold: 100},
		{Event: 4, Part: conversation.PartResult, Fields: []string{"content"}, Threshold: 100},
		{Event: 7, Part: conversation.PartResult, Fields: []string{"text", "more"}, Threshold: 100},
	}
	if diff := cmp.Diff(want, dedupeItems(log, onlyDedupe(byPath))); diff != "" {
		t.Error(diff)
	}
	off := onlyDedupe(byPath)
	off.Dedupe.Enabled = false
	if items := dedupeItems(log, off); items != nil {
		t.Errorf("turned off: %v", items)
	}
}

func TestDedupeItemsSparePinnedAndBrokenCalls(t *testing.T) {
	t.Parallel()
	start := func() dedupeLog { return dedupeLog{}.call("1", "read", `{}`) }
	finish := func(l dedupeLog) dedupeLog { return l.call("2", "read", `{}`).result("2", "read", longLine) }
	for name, c := range map[string]struct {
		log  dedupeLog
		want int
	}{
		"nothing":            {finish(start().result("1", "read", longLine)), 1},
		"cut on arrival":     {finish(start().result("1", "read", longLine).state(projection.StateCapped)), 1},
		"a stub":             {finish(start().result("1", "read", longLine).state(projection.StateMasked)), 0},
		"a pinned result":    {finish(start().result("1", "read", longLine).state(projection.StatePinned)), 0},
		"an orphan":          {finish(start().result("9", "read", longLine)), 0},
		"no UTF-8":           {finish(start().result("1", "read", "\xff"+longLine)), 0},
		"half a surrogate":   {finish(start().result("1", "read", `{"a":"\ud83d`+longLine+`"}`)), 1}, // text, not an object
		"a broken call":      {finish(dedupeLog{}.call("1", "read", `{"a":`).result("1", "read", longLine)), 0},
		"stripped arguments": {finish(start().state(projection.StateMasked).result("1", "read", longLine)), 0},
		"cut arguments":      {finish(start().state(projection.StateCapped).result("1", "read", longLine)), 0},
		"pinned arguments":   {finish(dedupeLog{}.call("1", "read", `{"a":"`+longLine+`"}`).state(projection.StatePinned)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if items := dedupeItems(c.log, onlyDedupe(nil)); len(items) != c.want {
				t.Errorf("chosen: %v; want %d", items, c.want)
			}
		})
	}
	synthetic := finish(start().result("1", "read", longLine))
	synthetic[1].Events = nil
	if items := dedupeItems(synthetic, onlyDedupe(nil)); items != nil {
		t.Errorf("of a message without events: %v", items)
	}
}

// FuzzDedupe selects, projects and selects again with any texts as arguments, results and identifiers.
func FuzzDedupe(f *testing.F) {
	f.Add(writes, writes, longLine, `{"a":"`+longLine+`"}`, "path", 100)
	f.Add(`{"path":1.0}`, `{"path":1}`, `{"a":1e400}`, `[`, "path", 0)
	f.Add(`{"_tool_compaction":"`+longLine+`"}`, `{}`, "\xff", "", "_tool_compaction", -1)
	f.Add(`{"":{},"":"\ud83d"}`, `{"`, `{"a":"[omitted]"}`, `{}`, "", 5)
	f.Fuzz(func(t *testing.T, args1, args2, text1, text2, identifier string, threshold int) {
		log := dedupeLog{}.call("1", "f", args1).result("1", "f", text1).call("2", "f", args2).result("2", "f", text2)
		rules := onlyDedupe(map[string]preset.ToolRule{"f": {Identifiers: []string{identifier}}})
		rules.Dedupe.InputTrimBytes, rules.Dedupe.OutputTrimBytes = threshold, threshold

		messages := make([]adachsoft.Message, len(log))
		for i := range log {
			messages[i] = dedupeMessage(&log[i])
		}
		whole := adachsoft.Dedupe(messages, rules.ResolvedDedupe())
		if diff := cmp.Diff(fmt.Sprint(messages[2:]), fmt.Sprint(whole[2:])); diff != "" {
			t.Fatalf("the newest occurrence changed:\n%s", diff)
		}
		if diff := cmp.Diff(fmt.Sprint(whole), fmt.Sprint(adachsoft.Dedupe(whole, rules.ResolvedDedupe()))); diff != "" {
			t.Fatalf("doing it again changes more:\n%s", diff)
		}
		for _, item := range dedupeItems(log, rules) {
			m := &log[item.Event-1]
			m.State = projection.StateMasked
			if item.Call == "" {
				m.Text = adachsoft.Stub(m.Tool, m.CallID)
				continue
			}
			shown, ok := adachsoft.OmitFields(m.Calls[0].Arguments, item.Fields, item.Threshold)
			if want := whole[item.Event-1].Calls[0].Arguments.String(); !ok || shown != want {
				t.Fatalf("shown %s, %v; want %s", shown, ok, want)
			}
			if _, ok := ordered.Parse(shown); !ok {
				t.Fatalf("what is shown is no object: %s", shown)
			}
			m.Calls[0].Arguments = shown
		}
		if again := dedupeItems(log, rules); again != nil {
			t.Fatalf("chosen again: %v", again)
		}
	})
}
