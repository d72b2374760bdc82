package jsonl_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// textStore keeps texts under names that it makes.
type textStore map[string]string

func (s textStore) keep(text string) (string, error) {
	name := "blob " + text[:min(len(text), 8)]
	s[name] = text
	return name, nil
}

func (s textStore) text(name string) (string, bool) {
	text, ok := s[name]
	return text, ok
}

// exportAndImport writes a log to a file and reads it back.
func exportAndImport(t interface {
	Helper()
	Fatal(...any)
}, events []conversation.Event, texts textStore, into textStore) []conversation.Event {
	t.Helper()
	var b bytes.Buffer
	conversationtest.Must(t, jsonl.Write(&b, jsonl.FromLog(events, texts.text)))
	d, _, err := jsonl.Read(&b)
	conversationtest.Must(t, err)
	back, err := d.Events(jsonl.Options{Keep: into.keep})
	conversationtest.Must(t, err)
	return back
}

func TestSecondRoundTripChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Log(t)
		if len(jsonl.FromLog(events, textStore{}.text).Messages) == 0 {
			return
		}
		once := exportAndImport(t, events, textStore{}, textStore{})
		if diff := cmp.Diff(once, exportAndImport(t, once, textStore{}, textStore{})); diff != "" {
			t.Fatalf("(-once +twice):\n%s", diff)
		}
	})
}

func TestMalformedLogsKeepTheirNumberOfMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Malformed(t)
		want := len(projection.Project(events).Messages)
		if want == 0 {
			return
		}
		if got := len(projection.Project(exportAndImport(t, events, textStore{}, textStore{})).Messages); got != want {
			t.Fatalf("%d messages became %d", want, got)
		}
	})
}

func TestLogsRoundTrip(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 4000)
	cut, total := conversation.Cut(long, 1000)
	var l conversation.Log
	for i, b := range []conversation.Body{
		conversation.Instructions{System: "system", SystemSize: conversation.Measure("Be brief.")},
		conversation.Renamed{Title: "A title", By: "auto"},
		conversation.UserMessage{Text: "a <b> & \u2028 c"},
		conversation.AssistantMessage{Text: "one", Reasoning: "why", Stop: conversation.StopCalls, Model: "openai/x",
			Calls: []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: "no JSON"}, {ID: "2", Name: "run", Arguments: "{}"}}},
		conversation.Usage{Reply: 4, Revision: 4, Model: "openai/x", Prompt: 10, Cached: 5, CacheWrite: -1, Completion: 3, Reasoning: -1},
		conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: cut, Total: total, Blob: "long"},
		conversation.ToolResult{CallID: "2", Tool: "run", Status: conversation.ResultError, Text: "no"},
	} {
		at := conversationtest.Epoch.Add(time.Duration(i/3) * time.Second)
		conversationtest.Must(t, l.Commit(l.Prepare(at, b)))
	}
	into := textStore{}
	got := exportAndImport(t, l.Events(), textStore{"system": "Be brief.", "long": long}, into)
	whole, ok := got[5].Body.(conversation.ToolResult)
	if !ok || into[whole.Blob] != long {
		t.Fatalf("the result came back as %+v", got[5].Body)
	}
	whole.Text, whole.Size, whole.Blob = cut, l.Events()[5].Body.(conversation.ToolResult).Size, "long"
	got[5].Body = whole
	got[0].Body = l.Events()[0].Body
	if diff := cmp.Diff(l.Events(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportedEventsHaveTheTimesOfTheFile(t *testing.T) {
	t.Parallel()
	d := read(t, `{"role":"user","content":"a"}
{"role":"assistant","content":"b","ts":1767323045123,"usage":{"prompt_tokens":1}}
{"role":"user","content":"c"}`)
	at := time.UnixMilli(1767323045123).UTC()
	times := func(d jsonl.Document, start time.Time) (out []time.Time) {
		events, err := d.Events(jsonl.Options{Start: start})
		conversationtest.Must(t, err)
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
	texts := textStore{}
	events, err := d.Events(jsonl.Options{Keep: texts.keep})
	conversationtest.Must(t, err)
	in, ok := events[0].Body.(conversation.Instructions)
	if !ok || texts[in.System] != "one\n\ntwo" || in.SystemSize != conversation.Measure("one\n\ntwo") {
		t.Errorf("the prompt is %+v of %q", in, texts)
	}
	if u, ok := events[2].Body.(conversation.UserMessage); !ok || u.Text != "three" || len(events) != 3 {
		t.Errorf("the later system message is %+v, of %d events, want 3", events[2].Body, len(events))
	}
}

// Usage that another program reported does not count for the meter of this one.
func TestImportedUsageDoesNotSetTheMeter(t *testing.T) {
	t.Parallel()
	d := read(t, `{"meta":{"model":"openai/x"}}
{"role":"user","content":"a"}
{"role":"assistant","content":"b","usage":{"prompt_tokens":100000,"completion_tokens":3}}`)
	events, err := d.Events(jsonl.Options{})
	conversationtest.Must(t, err)
	m := meter.New(meter.Options{}).WithView(projection.Project(events)).WithHistory(events, "openai/x")
	if r := m.Reading(); r.Used > 100 || !r.Estimated {
		t.Errorf("the meter says %d tokens of a conversation of a few words", r.Used)
	}
}

func TestErrorOfStoringATextEndsTheImport(t *testing.T) {
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
		t.Errorf("a result was cut although no cap was set")
	}
}
