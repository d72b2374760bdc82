package jsonl_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// shelf keeps texts by a name of its own.
type shelf map[string]string

func (s shelf) keep(text string) (string, error) {
	name := "blob " + text[:min(len(text), 8)]
	s[name] = text
	return name, nil
}

func (s shelf) text(name string) (string, bool) {
	text, ok := s[name]
	return text, ok
}

// there is a log after the way through a file and back.
func there(t interface {
	Helper()
	Fatal(...any)
}, events []conversation.Event, texts shelf, into shelf) []conversation.Event {
	t.Helper()
	var b bytes.Buffer
	if err := jsonl.Write(&b, jsonl.Of(events, texts.text)); err != nil {
		t.Fatal(err)
	}
	d, _, err := jsonl.Read(&b, jsonl.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := d.Events(jsonl.Options{Keep: into.keep})
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// sent is what a request made of a log carries.
func sent(events []conversation.Event) []projection.Message {
	messages, err := projection.Harden(projection.Project(events), projection.Capabilities{})
	if err != nil && !errors.Is(err, projection.ErrNothingToSend) {
		panic(err)
	}
	return messages
}

func TestWhatIsSentIsTheSameAfterTheWayThroughAFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Log(t)
		if len(events) == 0 {
			return
		}
		back := there(t, events, shelf{}, shelf{})
		if diff := cmp.Diff(sent(events), sent(back), cmpopts.IgnoreFields(projection.Message{}, "Events")); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
		// A second time around nothing changes at all.
		again := there(t, back, shelf{}, shelf{})
		if diff := cmp.Diff(back, again); diff != "" {
			t.Fatalf("(-once +twice):\n%s", diff)
		}
	})
}

func TestMalformedLogsGoThroughAFileMessageByMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Malformed(t)
		want := len(projection.Project(events).Messages)
		if want == 0 {
			return
		}
		if got := len(projection.Project(there(t, events, shelf{}, shelf{})).Messages); got != want {
			t.Fatalf("%d messages became %d", want, got)
		}
	})
}

func TestCutsThatNameTheRestComeBack(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 4000) + "plan.go band.go"
	for _, recall := range []string{"e3", ""} {
		cut, total := conversation.ArrivalCap{Chars: 1000, Names: true}.Apply(long, recall)
		var l conversation.Log
		if err := l.Commit(l.Prepare(conversationtest.Epoch,
			conversation.UserMessage{Text: "go"},
			conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "1", Name: "run", Arguments: "{}"}}},
			conversation.ToolResult{CallID: "1", Tool: "run", Status: conversation.ResultOK, Text: cut, Total: total, Blob: "long"})); err != nil {
			t.Fatal(err)
		}
		doc := jsonl.Of(l.Events(), shelf{"long": long}.text)
		if got := doc.Messages[2]; got.Text != long || got.Result.Shown != 1000 {
			t.Fatalf("the file holds %d characters, %d of them shown", len(got.Text), got.Result.Shown)
		}
		for _, names := range []bool{false, true} {
			into := shelf{}
			back, err := doc.Events(jsonl.Options{Names: names, Keep: into.keep})
			if err != nil {
				t.Fatal(err)
			}
			want, _ := conversation.ArrivalCap{Chars: 1000, Names: names}.Apply(long, "e3")
			if got := back[2].Body.(conversation.ToolResult); got.Text != want || into[got.Blob] != long {
				t.Errorf("it comes back as %q", got.Text[1000:])
			}
		}
	}
}

func TestALogComesBackWithAllThatAFileCanHold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 4000)
	texts := shelf{"system": "Be brief.", "long": long}
	cut, total := conversation.Cut(long, conversation.ResultMaxChars)
	shorter, _ := conversation.Cut(long, 1000)
	lost, _ := conversation.Cut(long, 500)
	cost := 0.25
	var l conversation.Log
	for i, b := range []conversation.Body{
		conversation.Instructions{System: "system", Tools: "tools", SystemSize: conversation.Measure("Be brief.")},
		conversation.Renamed{Title: "A title", By: "user"},
		conversation.UserMessage{Text: "a <b> & \u2028 c"},
		conversation.AssistantMessage{Text: "one", Reasoning: "why", Stop: conversation.StopCalls, Model: "openai/x",
			Calls: []conversation.ToolCall{
				{ID: "1", Name: "read_file", Arguments: "no JSON", Extra: conversation.RawJSON(`{"sig":"<x>"}`)}, {ID: "2", Name: "run", Arguments: "{}"},
				{ID: "3", Name: "run", Arguments: "{}"}, {ID: "4", Name: "run", Arguments: "{}"}, {ID: "5", Name: "run", Arguments: "{}"}},
			Extras: map[string]conversation.RawJSON{"reasoning_details": conversation.RawJSON(`[1]`)}},
		conversation.Usage{Reply: 4, Model: "openai/x", Prompt: 10, Cached: 5, CacheWrite: -1, Completion: 3, Reasoning: 1,
			CostUSD: &cost, Priced: "2026-11-10", Estimate: 9.5, BodyHash: "00", Short: true},
		conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: cut, Total: total, Blob: "long"},
		conversation.ToolResult{CallID: "2", Tool: "run", Status: conversation.ResultError, Text: shorter, Total: total, Blob: "long"},
		conversation.ToolResult{CallID: "3", Tool: "run", Status: conversation.ResultDenied, Text: lost, Total: total, Blob: "gone"},
		conversation.ToolResult{CallID: "4", Tool: "run", Status: conversation.ResultInterrupted, Text: long, Duration: 1500 * time.Millisecond},
		conversation.ToolResult{CallID: "5", Tool: "run", Status: conversation.ResultOK, Detail: "exit code 0"},
		conversation.AssistantMessage{Text: "half", Stop: conversation.StopFailed, Model: "demo/y", Error: "the line broke"},
	} {
		if err := l.Commit(l.Prepare(conversationtest.Epoch.Add(time.Duration(i)*time.Second), b)); err != nil {
			t.Fatal(err)
		}
	}
	want := append([]conversation.Event(nil), l.Events()...)
	into := shelf{}
	got := there(t, want, texts, into)

	// What a file has no place for: tools, names of texts, who gave the title.
	change := func(i int, f func(conversation.Body) conversation.Body) { want[i].Body = f(want[i].Body) }
	change(0, func(conversation.Body) conversation.Body {
		return conversation.Instructions{System: "blob Be brief", SystemSize: conversation.Measure("Be brief.")}
	})
	change(1, func(conversation.Body) conversation.Body { return conversation.Renamed{Title: "A title", By: "auto"} })
	for _, i := range []int{5, 6, 7} {
		change(i, func(b conversation.Body) conversation.Body {
			r := b.(conversation.ToolResult)
			if r.Blob = "blob lorem ip"; i == 7 {
				r.Blob = ""
			}
			return r
		})
	}
	// The title and the reports stand with their neighbours, and so have their time.
	want[1].Time, want[4].Time = want[0].Time, want[3].Time
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if into["blob Be brief"] != "Be brief." || into["blob lorem ip"] != long {
		t.Errorf("the texts beside the events are not those of the log")
	}
}

func TestEventsHaveTheTimesOfTheFile(t *testing.T) {
	t.Parallel()
	d := read(t, `{"role":"user","content":"a"}
{"role":"assistant","content":"b","ts":1767323045123,"usage":{"prompt_tokens":1}}
{"role":"user","content":"c"}`)
	at := time.UnixMilli(1767323045123).UTC()
	times := func(d jsonl.Document, start time.Time) (out []time.Time) {
		events, err := d.Events(jsonl.Options{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			out = append(out, e.Time)
		}
		return out
	}
	if diff := cmp.Diff([]time.Time{at, at, at, at}, times(d, conversationtest.Epoch)); diff != "" {
		t.Error(diff)
	}
	d.Meta.Created = at.Add(-time.Hour)
	if got := times(d, conversationtest.Epoch)[0]; !got.Equal(d.Meta.Created) {
		t.Errorf("the first event is of %v, not of the time the file says", got)
	}
	untimed := read(t, `{"role":"user","content":"a"}`)
	if got := times(untimed, conversationtest.Epoch)[0]; !got.Equal(conversationtest.Epoch) {
		t.Errorf("without any time the first event is of %v", got)
	}
}

func TestLaterSystemMessagesBecomeUserMessages(t *testing.T) {
	t.Parallel()
	d := read(t, `{"role":"system","content":"one"}
{"role":"system","content":"two"}
{"role":"user","content":"a"}
{"role":"system","content":"three"}`)
	texts := shelf{}
	events, err := d.Events(jsonl.Options{Keep: texts.keep})
	if err != nil {
		t.Fatal(err)
	}
	in, ok := events[0].Body.(conversation.Instructions)
	if !ok || texts[in.System] != "one\n\ntwo" || in.SystemSize != conversation.Measure("one\n\ntwo") {
		t.Errorf("the prompt is %+v of %q", in, texts)
	}
	if u, ok := events[2].Body.(conversation.UserMessage); !ok || u.Text != "three" || len(events) != 3 {
		t.Errorf("the later one is %+v, of %d events", events[2].Body, len(events))
	}
}

// What others report says nothing of a window that this program fills.
func TestReportsOfOthersDoNotSayHowFullTheWindowIs(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta":{"model":"openai/x"}}
{"role":"user","content":"a"}
{"role":"assistant","content":"b","usage":{"prompt_tokens":100000,"completion_tokens":3}}
{"role":"user","content":"c"}
{"role":"assistant","content":"d","usage":{"prompt_tokens":9,"completion_tokens":3,"x_estimate":5}}
{"role":"assistant","content":"e","usage":{"prompt_tokens":9,"completion_tokens":3,"x_estimate":5,"x_revision":7}}`)
	events, err := d.Events(jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, e := range events {
		if u, ok := e.Body.(conversation.Usage); ok {
			got = append(got, u.Revision)
		}
	}
	if diff := cmp.Diff([]uint64{2, 0, 7}, got); diff != "" {
		t.Error(diff)
	}
	m := meter.New(meter.Options{}).WithView(projection.Project(events)).WithHistory(events[:3], "openai/x")
	if r := m.Reading(); r.Used > 100 || !r.Estimated {
		t.Errorf("the meter says %d tokens of a conversation of a few words", r.Used)
	}
}

func TestATextThatCannotBeKeptEndsTheImport(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	keep := func(string) (string, error) { return "", full }
	for _, text := range []string{
		`{"role":"system","content":"one"}`,
		`{"role":"tool","tool_call_id":"x","content":"` + strings.Repeat("y", 30_001) + `"}`,
	} {
		if _, err := read(t, text).Events(jsonl.Options{Keep: keep}); !errors.Is(err, full) {
			t.Errorf("the error is %v", err)
		}
	}
	events, err := read(t, `{"role":"tool","tool_call_id":"x","content":"`+strings.Repeat("y", 30_001)+`"}`).Events(jsonl.Options{MaxChars: -1})
	if r, ok := events[0].Body.(conversation.ToolResult); err != nil || !ok || r.Total != 0 || len(r.Text) != 30_001 {
		t.Errorf("what is not to be cut was cut")
	}
}
