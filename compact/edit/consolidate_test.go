package edit_test

import (
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// bandsOf is a log with two summaries side by side, and the number of its events
// that are no overlays.
func bandsOf(t *testing.T) ([]conversation.Event, uint64) {
	t.Helper()
	log := compacttest.FilesRead(12, 2000).User("And now?").Events()
	said := uint64(len(log))
	unit := (said - 1) / 12
	for _, span := range []conversation.Span{{First: 1, Last: 4 * unit}, {First: 4*unit + 1, Last: 8 * unit}} {
		pass := summaryOf(t, log, 1_000_000, preset.InputAuto, span)
		if err := pass.Extract(); err != nil {
			t.Fatal(err)
		}
		log = append(log, conversation.Following(log, conversationtest.Epoch, pass.Bodies(0)...)...)
	}
	return log, said
}

// summaryOf is the pass for a summary of a span, in a window of so many tokens.
func summaryOf(t *testing.T, log []conversation.Event, tokens int, input preset.SummaryInput, span conversation.Span) edit.Proposal {
	t.Helper()
	r := preset.RulesOf(preset.Plimsoll)
	r.Summary.Input = input
	s := edit.Inputs{Meter: meter.New(compacttest.Window(tokens)).WithView(projection.Project(log)), Now: conversationtest.Epoch, Cold: true}
	pass, err := edit.ProposeSummary(log, r, s, []conversation.Span{span}, conversation.Made{})
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

// Bands become one from what was said where that fits the model that writes, and
// otherwise from what they say, with the depth on record.
func TestBandsBecomeOneFromWhatWasSaidIfThatFits(t *testing.T) {
	t.Parallel()
	log, said := bandsOf(t)
	whole := conversation.Span{First: 1, Last: said - 1}
	for name, c := range map[string]struct {
		tokens int
		input  preset.SummaryInput
		want   preset.SummaryInput
	}{
		"it fits":                   {1_000_000, preset.InputAuto, preset.InputRaw},
		"it does not":               {8192, preset.InputAuto, preset.InputMerged},
		"what was said is demanded": {8192, preset.InputRaw, preset.InputRaw},
	} {
		pass := summaryOf(t, log, c.tokens, c.input, whole)
		if pass.Job.Input != c.want {
			t.Errorf("%s: reads %s, want %s", name, pass.Job.Input, c.want)
			continue
		}
		if err := pass.Extract(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, isSummary := pass.Bodies(0)[0].(conversation.Summary)
		if merged := c.want == preset.InputMerged; !isSummary || (s.Depth == 1) != merged || (len(s.Parents) == 2) != merged {
			t.Errorf("%s: depth %d, parents %v", name, s.Depth, s.Parents)
		}
		if s.Spans[0].First != 1 || s.FromTurn != 0 {
			t.Errorf("%s: covers %v from turn %d", name, s.Spans, s.FromTurn)
		}
	}
	if merged, raw := summaryOf(t, log, 8192, preset.InputAuto, whole).Job.Tokens(), summaryOf(t, log, 8192, preset.InputRaw, whole).Job.Tokens(); merged > raw/2 {
		t.Errorf("%d tokens are read in place of %d", merged, raw)
	}
}

// A refusal says that the estimate was too low, by no more than it may have been.
func TestARefusalPutsTheMeterRight(t *testing.T) {
	t.Parallel()
	view := projection.Project((&compacttest.Tale{}).User(strings.Repeat("word ", 4000)).Events()) // 5,000 tokens by the rule of thumb
	for name, c := range map[string]struct{ prompt, used, after int }{
		"nothing is said":      {0, 5004, 5004},
		"less than was sent":   {4000, 5004, 5004},
		"a third more":         {6672, 6672, 6672},
		"far more than likely": {20_016, 20_016, 10_008},
	} {
		m := meter.New(compacttest.Window(100_000)).WithView(view).WithRefusal(c.prompt)
		if got := m.Reading().Used; got < c.used-8 || got > c.used+8 {
			t.Errorf("%s: used %d, want %d", name, got, c.used)
		}
		if got := m.EstimatedTokens(); got < c.after-8 || got > c.after+8 {
			t.Errorf("%s: %d once something else is sent, want %d", name, got, c.after)
		}
	}
}
