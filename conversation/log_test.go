package conversation_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestPrepareNumbersEventsAndTurns(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	at := time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.FixedZone("x", 3600))
	bodies := []conversation.Body{
		conversation.ModelChanged{Model: "m"}, conversation.UserMessage{Text: "a"}, conversation.AssistantMessage{Text: "b"},
		conversation.UserMessage{Text: "c"}, conversation.Notice{Text: "d"},
	}
	first := l.Prepare(at, bodies[:2]...)
	if l.Len() != 0 {
		t.Fatal("Prepare appended events to the log")
	}
	conversationtest.Must(t, l.Commit(first))
	conversationtest.Must(t, l.Commit(l.Prepare(at, bodies[2:]...)))
	var seqs []uint64
	var turns []int
	for _, e := range l.Events() {
		seqs, turns = append(seqs, e.Seq), append(turns, e.Turn)
	}
	if d := cmp.Diff([]uint64{1, 2, 3, 4, 5}, seqs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{0, 0, 0, 1, 1}, turns); d != "" {
		t.Error(d)
	}
	if got := l.Events()[0].Time; got != at.UTC().Truncate(time.Millisecond) || got.Location() != time.UTC {
		t.Errorf("the time is %v, want UTC in milliseconds", got)
	}
	if l.Turns() != 2 || l.Turn() != 1 {
		t.Errorf("%d turns, the newest %d; want 2, 1", l.Turns(), l.Turn())
	}
}

func TestPrepareRepairsProviderExtras(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	e := l.Prepare(conversationtest.Epoch, conversation.AssistantMessage{
		Extras: map[string]conversation.RawJSON{"good": conversation.RawJSON(`{"a":1}`), "cut": conversation.RawJSON(`{"a":`), "bytes": conversation.RawJSON("\"\xff\"")},
		Calls:  []conversation.ToolCall{{ID: "a", Name: "x", Extra: conversation.RawJSON("[\"\xff\"]")}, {ID: "b", Name: "x", Extra: conversation.RawJSON("nope")}},
	})[0]
	data, err := conversation.Marshal(e)
	if err != nil || !utf8.Valid(data) {
		t.Fatalf("the stored extras are %q, error %v", data, err)
	}
	got := e.Body.(conversation.AssistantMessage)
	want := map[string]conversation.RawJSON{"good": conversation.RawJSON(`{"a":1}`), "bytes": conversation.RawJSON("\"\uFFFD\"")}
	if d := cmp.Diff(want, got.Extras); d != "" {
		t.Error(d)
	}
	if string(got.Calls[0].Extra) != "[\"\uFFFD\"]" || got.Calls[1].Extra != nil {
		t.Errorf("the calls are %v, want the extras repaired or dropped", got.Calls)
	}
}

func TestCommitRefusesGaps(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]conversation.Event{
		"gap":     {{Seq: 2, Body: conversation.UserMessage{}}},
		"twice":   {{Seq: 1, Body: conversation.UserMessage{}}, {Seq: 1, Body: conversation.UserMessage{}}},
		"no body": {{Seq: 1}},
	} {
		if _, err := conversation.NewLog(events); err == nil {
			t.Errorf("%s: the log was accepted", name)
		}
	}
}

func TestRevisionIsTheNewestOverlayEvenOfAnUnknownKind(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	events := l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "a"},
		conversation.Unknown{Name: conversation.KindMask, Raw: conversation.RawJSON(`{}`)},
		conversation.Unknown{Name: "hologram", Raw: conversation.RawJSON(`{}`)}, conversation.UserMessage{Text: "b"})
	conversationtest.Must(t, l.Commit(events))
	if l.Revision() != 2 {
		t.Errorf("revision %d, want 2", l.Revision())
	}
}

func TestPreparedTextIsCleanAndMeasured(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range conversationtest.Malformed(t) {
			switch b := e.Body.(type) {
			case conversation.UserMessage:
				checkText(t, b.Text, b.Size)
			case conversation.ToolResult:
				checkText(t, b.Text, b.Size)
			case conversation.AssistantMessage:
				checkText(t, b.Text, b.Size)
				checkText(t, b.Reasoning, b.ReasoningSize)
				for _, c := range b.Calls {
					var object map[string]any
					if err := json.Unmarshal([]byte(c.Arguments), &object); err != nil {
						t.Fatalf("arguments %q: %v", c.Arguments, err)
					}
				}
			}
		}
	})
}

func checkText(t *rapid.T, text string, size conversation.Size) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		t.Fatalf("not clean: %q", text)
	}
	if n := utf8.RuneCountInString(text); size.Chars() != n {
		t.Fatalf("%q measured %+v, has %d characters", text, size, n)
	}
}

func TestMeasureCountsByScript(t *testing.T) {
	t.Parallel()
	got := conversation.Measure("hello, 世界! 안녕 かな Привет 👋")
	want := conversation.Size{ASCII: 12, CJK: 6, Other: 7}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRepairArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		out string
		ok  bool
	}{
		"":               {"{}", true},
		"  ":             {"{}", true},
		`{"a":1}`:        {`{"a":1}`, true},
		"{ \"a\": 1 }\n": {"{ \"a\": 1 }\n", true},
		`{ "pa`:          {`{"_invalid":"{ \"pa"}`, false},
		`[1]`:            {`{"_invalid":"[1]"}`, false},
		`{"a":1}{"b":2}`: {`{"_invalid":"{\"a\":1}{\"b\":2}"}`, false},
		`<&>`:            {`{"_invalid":"<&>"}`, false},
	} {
		if out, ok := conversation.RepairArguments(in); out != want.out || ok != want.ok {
			t.Errorf("RepairArguments(%q) = %q, %v; want %q, %v", in, out, ok, want.out, want.ok)
		}
	}
}

func TestUnitsKeepCallsAndResultsTogether(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	call := func(id string) conversation.ToolCall { return conversation.ToolCall{ID: id, Name: "t"} }
	events := l.Prepare(conversationtest.Epoch,
		conversation.UserMessage{Text: "a"},                                                 // 0
		conversation.AssistantMessage{Calls: []conversation.ToolCall{call("x"), call("y")}}, // 1
		conversation.Usage{},                                                     // 2
		conversation.ToolResult{CallID: "x"},                                     // 3
		conversation.ToolResult{CallID: "y"},                                     // 4
		conversation.ToolResult{CallID: "unknown"},                               // 5
		conversation.AssistantMessage{Calls: []conversation.ToolCall{call("z")}}, // 6
	)
	want := []conversation.Unit{
		{Events: []int{0}}, {Events: []int{1, 3, 4}}, {Events: []int{5}}, {Events: []int{6}, Open: true},
	}
	if d := cmp.Diff(want, conversation.Units(events)); d != "" {
		t.Error(d)
	}
}

func TestEveryMessageIsInExactlyOneUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Malformed(t)
		seen := map[int]int{}
		for _, u := range conversation.Units(events) {
			for i, at := range u.Events {
				seen[at]++
				if i > 0 && at <= u.Events[i-1] {
					t.Fatalf("unit out of order: %v", u.Events)
				}
			}
		}
		for i, e := range events {
			want := 0
			switch e.Body.(type) {
			case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
				want = 1
			}
			if seen[i] != want {
				t.Fatalf("event %d (%s) is in %d units", i, e.Body.Kind(), seen[i])
			}
		}
	})
}

func TestIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := conversation.NewID()
		if !conversation.ValidID(id) || seen[id] {
			t.Fatalf("bad or repeated id %q", id)
		}
		seen[id] = true
	}
	for _, s := range []string{"", "abcd", "abcdefgh23456", "ABCDEFGH2345", "abcdefgh1345"} {
		if conversation.ValidID(s) {
			t.Errorf("%q is accepted as an ID", s)
		}
	}
}
