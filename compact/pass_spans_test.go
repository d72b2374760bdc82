package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact"
	"plimsoll/conversation"
)

func TestPlainMetersCountTextAlone(t *testing.T) {
	t.Parallel()
	log := (&tale{}).user(strings.Repeat("漢", 40)).call("read_file", `{"a":1}`, conversation.ResultOK, strings.Repeat("é", 20))
	m := compact.NewMeter(compact.MeterOptions{Plain: true}).WithPrompt(conversation.Size{ASCII: 400}, conversation.Size{}).
		WithView(compact.Project(log.events()))
	// 400 of the prompt, 40 and 20 of text, 9 and 7 of the call.
	if got, want := m.RequestEstimate(), 476/4.0; got != want {
		t.Errorf("a request has %v tokens, want %v", got, want)
	}
	if got := m.Weigh(conversation.Size{CJK: 3, Other: 3, ASCII: 2}); got != 2 {
		t.Errorf("8 code points weigh %v tokens, want 2", got)
	}
}

// summaryPass is a pass over spans that some rule chose, in a window of 10,000 tokens.
func summaryPass(t *testing.T, p compact.Preset, log []conversation.Event, spans ...conversation.Span) (compact.Pass, error) {
	t.Helper()
	m := compact.NewMeter(window(10_000)).WithView(compact.Project(log))
	return compact.NewSummaryPass(log, compact.PresetRules(p), compact.Situation{Meter: m, Cold: true}, spans,
		conversation.Made{Source: conversation.SourceAuto, Trigger: "load line"})
}

func TestSummaryPassesTellHowTheyCameAbout(t *testing.T) {
	t.Parallel()
	log := filesRead(5, 100).user("And now?").events()
	pass, err := summaryPass(t, compact.PresetPlimsoll, log, span(2, 8))
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Extract(); err != nil {
		t.Fatal(err)
	}
	bodies := pass.Bodies(99)
	if len(bodies) != 1 {
		t.Fatalf("%d overlays, want one", len(bodies))
	}
	s, _ := bodies[0].(conversation.Summary)
	if d := cmp.Diff([]conversation.Span{span(2, 8)}, s.Spans); d != "" || s.FromTurn != 0 || s.ToTurn != 1 {
		t.Errorf("it covers turns %d to %d:\n%s", s.FromTurn, s.ToTurn, d)
	}
	if s.Made.Epoch != 99 || s.Made.Source != conversation.SourceAuto || s.Made.Preset != "plimsoll" || s.Made.Before <= s.Made.After {
		t.Errorf("it was made so: %+v", s.Made)
	}
	if _, err := summaryPass(t, compact.PresetPlimsoll, log); !errors.Is(err, compact.ErrNoRange) {
		t.Errorf("without events: %v", err)
	}
}

func TestCumulativeSummaryPassesTakeTheEarlierSummaryIn(t *testing.T) {
	t.Parallel()
	log := filesRead(5, 100).summary(conversation.StyleOneClaw, 1, 8, 0, 1, "what came before").user("And now?").events()
	pass, err := summaryPass(t, compact.PresetOneClaw, log, span(9, 12))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]conversation.Span{span(1, 12)}, pass.Spans); d != "" {
		t.Error(d)
	}
	if pass.Job == nil || pass.Job.Input != compact.InputMerged {
		t.Errorf("the job is %+v", pass.Job)
	}
}
