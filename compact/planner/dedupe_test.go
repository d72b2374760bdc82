package planner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// onlyDedupe are rules of nothing but identity dedup, with tools.
func onlyDedupe(tools map[string]preset.ToolRule) preset.Rules {
	return preset.Rules{Dedupe: preset.DedupeParams{Enabled: true, InputTrimBytes: adachsoft.DefaultTrimBytes, OutputTrimBytes: adachsoft.DefaultTrimBytes}, Tools: tools}
}

var (
	longLine = strings.Repeat("a long line ", 10) // 120 bytes
	writes   = `{"path":"a/b","text":"` + longLine + `","mode":1.0}`
)

func TestDedupeItemsNameWhatIsOmitted(t *testing.T) {
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

func TestDedupeItemsLeaveAlone(t *testing.T) {
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
