package edit_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// checkThen checks the gauge that a pass would give.
func checkThen(t interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
}, pass *edit.Proposal, now meter.Reading) meter.Reading {
	t.Helper()
	then, p, sum := pass.Then(), pass.Preview(), 0
	for _, seg := range projection.Segments() {
		if sum += then.Segments[seg]; then.Segments[seg] < 0 {
			t.Errorf("%v is %d", seg, then.Segments[seg])
		}
	}
	if then.Used != p.After || sum != then.Used || then.AfterSend != then.Used+then.Segments[projection.Draft] {
		t.Errorf("the gauge would show %d in segments of %d, and %d after sending; the preview says %d", then.Used, sum, then.AfterSend, p.After)
	}
	if diff := cmp.Diff([]any{now.Window, now.LoadLine, now.HardLine, now.Reserve, now.CostUSD, now.Segments[projection.Draft]},
		[]any{then.Window, then.LoadLine, then.HardLine, then.Reserve, then.CostUSD, then.Segments[projection.Draft]}); diff != "" {
		t.Error(diff)
	}
	return then
}

func TestTheGaugeAfterAPassShowsWhatThePreviewSays(t *testing.T) {
	t.Parallel()
	passes, summaries := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		log := compacttest.AnyLog(rt)
		m := meter.New(meter.Options{
			Window: meter.Window{Tokens: 30_000}, EchoReasoning: rapid.Bool().Draw(rt, "echo"),
			Calibration: conversation.Calibration{Factor: rapid.Float64Range(0.5, 2).Draw(rt, "factor"), Samples: 3},
		}).WithPrompt(conversation.Measure("be brief"), conversation.Size{}).WithView(projection.Project(log)).
			WithHistory(log, "test/m").WithDraft(conversation.Measure("and then?"), rapid.IntRange(0, 2).Draw(rt, "drafts"))
		w := edit.NewRequest()
		w.Profile, w.KeepLast = rapid.SampledFrom([]string{preset.ProfileDefault, preset.ProfileHeavy}).Draw(rt, "profile"), 1
		pass, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), edit.Inputs{Meter: m, Now: time.Unix(0, 0)}, w)
		if err != nil {
			return
		}
		passes++
		then := checkThen(rt, &pass, m.Reading())
		if pass.Job == nil {
			return
		}
		summaries++
		if n := pass.Preview().Summary.Estimate; n > 0 && then.Segments[projection.Summary] == 0 {
			rt.Errorf("a summary of %d tokens has none of %d", n, then.Used)
		}
	})
	if passes < 10 || summaries < 5 {
		t.Errorf("only %d passes, %d with a summary", passes, summaries)
	}
}
