package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// Lines of ONE (OneClaw FEAT-011) that are about this package. The others are in
// package agent.

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
