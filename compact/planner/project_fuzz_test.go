package planner_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// checkProjection projects any events, also such as no log would take, and
// hardens the view for every kind of endpoint.
func checkProjection(t *testing.T, events []conversation.Event) {
	t.Helper()
	v := projection.Project(events)
	if len(events) > 0 {
		extended := projection.Project(events[:len(events)/2]).Extend(events)
		if len(extended.Messages)+len(extended.Absent) == 0 && len(v.Messages)+len(v.Absent) > 0 {
			t.Fatal("extending lost everything")
		}
	}
	for _, c := range []projection.Capabilities{{}, {Alternate: true}, {NoTools: true}, {CallIDs: projection.CallIDMistral, EchoReasoning: true}} {
		messages, err := projection.Harden(v, c)
		for _, problem := range compacttest.Problems(messages, c) {
			t.Error(problem)
		}
		if sendable := len(messages) > 0 && messages[len(messages)-1].Role != projection.RoleAssistant; sendable != (err == nil) {
			t.Errorf("sendable %v, error %v", sendable, err)
		}
	}
	conversation.Epochs(events)
	m := meter.New(compacttest.Window(1000)).WithView(v)
	planner.BandSpans(v, m, planner.BandRule{Target: 100, Protected: 10})
	planner.DropSpans(v, m, 100)
	planner.MaskItems(v, preset.RulesOf(preset.Plimsoll), m)
}

// FuzzProject reads bytes as lines of a stored log, in any order and with any
// numbers.
func FuzzProject(f *testing.F) {
	for i := range 40 {
		var data []byte
		for _, e := range rapid.Custom(compacttest.RandomLog).Example(i) {
			line, err := conversation.Marshal(e)
			if err != nil {
				f.Fatal(err)
			}
			data = append(append(data, line...), '\n')
		}
		f.Add(data)
	}
	f.Add([]byte(`{"seq":18446744073709551615,"turn":0,"time":"2026-01-01T00:00:00Z","user":{"text":"x"}}
{"seq":3,"turn":9,"time":"2026-01-01T00:00:00Z","drop":{"spans":[{"first":0,"last":18446744073709551615},{"first":9,"last":2}]}}
{"seq":3,"turn":0,"time":"2026-01-01T00:00:00Z","pin":{"events":[3,3,0]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []conversation.Event
		for line := range bytes.Lines(data) {
			if e, err := conversation.Unmarshal(line); err == nil {
				events = append(events, e)
			}
		}
		checkProjection(t, events)
	})
}

// FuzzProjectRandomLog makes logs with overlays of bytes.
func FuzzProjectRandomLog(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		events := compacttest.RandomLog(t)
		v := projection.Project(events)
		if d := cmp.Diff(v, projection.Project(events), compacttest.IgnoreUnexported); d != "" {
			t.Fatal(d)
		}
		messages, _ := projection.Harden(v, projection.Capabilities{})
		compacttest.CheckRequest(t, messages, projection.Capabilities{})
	}))
}
