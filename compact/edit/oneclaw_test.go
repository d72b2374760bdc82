package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// Lines of ONE (OneClaw FEAT-011) that are about this package. The others are in
// package agent.

func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Parallel()
	t.Run("The 85% threshold is defined as a constant (not hardcoded inline)", func(t *testing.T) {
		t.Parallel()
		if preset.DefaultTriggerRatio != 0.85 || preset.DefaultProtectedRatio != 0.25 || meter.CharsPerToken != 4 {
			t.Errorf("%v, %v and %v, want 0.85, 0.25 and 4", preset.DefaultTriggerRatio, preset.DefaultProtectedRatio, meter.CharsPerToken)
		}
		for _, p := range []preset.Name{preset.OneClaw, preset.Plimsoll} {
			r := preset.RulesOf(p)
			if r.TriggerRatio != preset.DefaultTriggerRatio || r.ProtectedRatio != preset.DefaultProtectedRatio {
				t.Errorf("%s: %v and %v", p, r.TriggerRatio, r.ProtectedRatio)
			}
		}
	})
}

// With system prompt and tools that fill most of the window, little talk is over
// the threshold: all of it is protected, and nothing may be left out either.
func TestOneClawLeavesAloneWhatIsProtected(t *testing.T) {
	t.Parallel()
	crowded := func(k *compacttest.Look) { k.System = 70_000 }
	l := (&compacttest.Tale{}).Says(5000).Answers(5000).Says(5000).Answers(5000)
	k := compacttest.ByPreset(preset.OneClaw, planner.MomentReply).With(crowded)
	for failures := range 4 {
		if got := compacttest.Tell(k.With(func(k *compacttest.Look) { k.Check.Past.Failures = failures }).Plan(l)); got != "" {
			t.Errorf("after %d failures: %q", failures, got)
		}
	}
	if got := compacttest.Tell(k.Plan(l.Says(3000).Answers(3000))); got != "threshold: cover 1-1, drops" {
		t.Errorf("no longer all of it: %q", got)
	}
}

// A cumulative summary says again what the last one said. Only what says no more
// than that is worth nothing.
func TestOneClawEarlierSummaryMayBeCarriedOver(t *testing.T) {
	t.Parallel()
	log := compacttest.With(nil, spokenOf(0, 4)...)
	prior := ""
	for n := range 8 {
		prior += fmt.Sprintf("Fact %d was settled in turn %d, for the reason that was given there. ", n, n)
	}
	prior = strings.TrimSpace(prior)
	log = compacttest.With(answered(t, log, heavyPass(t, log, preset.OneClaw, 1, true), prior), spokenOf(4, 4)...)
	for text, want := range map[string]error{
		prior: summary.ErrEcho,
		prior + " Later the words of turn 4 to 6 were gone through as well.": nil,
		strings.Repeat("more words in reply. ", 50):                          summary.ErrEcho,
	} {
		pass := heavyPass(t, log, preset.OneClaw, 1, true)
		err := pass.Accept(summary.Answer{Text: text, Stop: conversation.StopEnd, Input: pass.Job.Input})
		if !errors.Is(err, want) {
			t.Errorf("%.60q of %d bytes: %v, want %v", text, len(text), err, want)
		}
	}
}
