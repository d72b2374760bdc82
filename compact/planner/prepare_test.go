package planner_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// preparing is a look that may prepare a summary, without masks.
func preparing(change ...func(*compacttest.Look)) compacttest.Look {
	k := compacttest.At(planner.MomentReply)
	k.Check.Prepares, k.Rules.Mask.Enabled = true, false
	for _, c := range change {
		c(&k)
	}
	return k
}

// In turns of 5,000 tokens, the load line at 80,000 is two turns away from 70,000 on.
func TestASummaryIsPreparedATurnOrTwoBeforeTheLoadLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turns  int
		change func(*compacttest.Look)
		want   bool
	}{
		"three turns away":       {turns: 13},
		"two turns away":         {turns: 14, want: true},
		"one turn away":          {turns: 15, want: true},
		"at the next request":    {turns: 14, change: func(k *compacttest.Look) { k.Check.Moment = planner.MomentRequest }, want: true},
		"nobody waits for it":    {turns: 15, change: func(k *compacttest.Look) { k.Check.Prepares = false }},
		"by hand only":           {turns: 15, change: func(k *compacttest.Look) { k.Rules.Summary.When = preset.SummaryByHand }},
		"never":                  {turns: 15, change: func(k *compacttest.Look) { k.Rules.Summary.When = preset.SummaryNever }},
		"two failures":           {turns: 15, change: func(k *compacttest.Look) { k.Check.Past.Failures = 2 }},
		"one failed just before": {turns: 15, change: func(k *compacttest.Look) { k.Check.Past = planner.Past{Failures: 1, Tried: 73_000} }},
		"one failed, and growth": {turns: 15, change: func(k *compacttest.Look) { k.Check.Past = planner.Past{Failures: 1, Tried: 70_000} }, want: true},
		"undone a little before": {turns: 15, change: func(k *compacttest.Look) { k.Check.Past.Undone = 70_000 }},
		"it rests for long":      {turns: 15, change: func(k *compacttest.Look) { k.Check.Past.After = 75_000 }},
		"another preset":         {turns: 15, change: func(k *compacttest.Look) { k.Rules.Preset = preset.OneClaw }},
		"nothing automatic":      {turns: 15, change: func(k *compacttest.Look) { k.Rules.Auto.Enabled = false }},
		"no window":              {turns: 15, change: func(k *compacttest.Look) { k.Options.Window = meter.Window{} }},
	} {
		k := preparing()
		if c.change != nil {
			c.change(&k)
		}
		p := k.Plan((&compacttest.Tale{}).Talks(c.turns))
		if p.Prepare != c.want || p.Prepare != (len(p.Spans) > 0) || p.Acts() || p.Note != nil {
			t.Errorf("%s: prepares %t, acts %t, %q", name, p.Prepare, p.Acts(), compacttest.Tell(p))
		}
	}
}

// prepared is a summary of spans that a model wrote, on a log.
func prepared(t *testing.T, k compacttest.Look, log []conversation.Event, spans []conversation.Span) *edit.Proposal {
	t.Helper()
	c := k.Of(log)
	pass, err := edit.ProposeSummary(log, k.Rules, edit.Inputs{Meter: c.Meter}, spans, conversation.Made{})
	if err != nil {
		t.Fatal(err)
	}
	text := "### Goal\nThe talk goes on in long replies, one to each message, and nothing of them has to be kept word for word."
	if err := pass.Accept(summary.Answer{Text: text + strings.Repeat(" Nothing else is of note.", 40), Stop: conversation.StopEnd, Input: pass.Job.Input, Model: "test/m"}); err != nil {
		t.Fatal(err)
	}
	return &pass
}

func TestAPreparedSummaryJoinsTheStepThatEvictsWhatItCovers(t *testing.T) {
	t.Parallel()
	k := preparing()
	l := (&compacttest.Tale{}).Talks(15)
	pass := prepared(t, k, l.Events(), k.Plan(l).Spans)
	step := compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) { k.Rules.Mask.Enabled = false })
	l.Talks(2).Says(100)
	plan, c := step.Plan(l), step.Of(l.Events())
	now := edit.Inputs{Meter: c.Meter}
	made := conversation.Made{Source: conversation.SourceAuto, Trigger: plan.Trigger}
	joined, err := edit.EvictWith(l.Events(), step.Rules, now, made, plan.Note, true, pass)
	if err != nil {
		t.Fatal(err)
	}
	bodies := joined.Bodies(100)
	if len(bodies) != 2 {
		t.Fatalf("%d overlays", len(bodies))
	}
	text, note := bodies[0].(conversation.Summary), bodies[1].(conversation.Summary)
	if text.Text == "" || text.Appendix != "" || note.Text != "" || note.Made.Epoch != text.Made.Epoch || note.Made.Why == "" {
		t.Errorf("made %+v and %+v", text, note)
	}
	alone, _ := plan.Note.(conversation.Summary)
	made.Why = "no summary: here is why"
	without, err := edit.ProposeOverlays(l.Events(), step.Rules, now, made, alone)
	if err != nil {
		t.Fatal(err)
	}
	told, _ := conversation.MadeOf(without.Bodies(100)[0])
	if same := strings.Replace(note.Made.Why, ", 1 summary", "; no summary: here is why", 1); same != told.Why || !strings.Contains(same, "messages evicted") {
		t.Errorf("with a summary %q, without one %q", note.Made.Why, told.Why)
	}
	if diff := cmp.Diff(alone.Appendix, note.Appendix); diff != "" {
		t.Errorf("the note does not speak of all that is evicted: %s", diff)
	}
	view := projection.Project(append(l.Events(), conversation.Following(l.Events(), now.Now, bodies...)...))
	if first := view.Messages[0]; first.State != projection.StateSummarised || first.Events[len(first.Events)-1] != alone.Spans[len(alone.Spans)-1].Last {
		t.Errorf("the block stands for %v", first.Events)
	}

	// A smaller step leaves the text for a later one, unless it may evict more.
	small := alone
	small.Spans = []conversation.Span{compacttest.Span(1, 4)}
	if _, err := edit.EvictWith(l.Events(), step.Rules, now, made, small, false, pass); !errors.Is(err, edit.ErrNotEvicted) {
		t.Errorf("a step that evicts less: %v", err)
	}
	if _, err := edit.EvictWith(l.Events(), step.Rules, now, made, small, true, pass); err != nil {
		t.Errorf("a step that may evict more: %v", err)
	}
}
