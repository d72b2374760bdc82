package planner_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// What went wrong with compaction elsewhere, one test for each kind that
// projecting, hardening, epochs and selection can keep from happening.

// TestCatalogueB20OwnWordsNeverSoundLikeAFailure reads what masks, caps and drops put in the
// place of texts that hold none of these words themselves.
func TestCatalogueB20OwnWordsNeverSoundLikeAFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		call := conversation.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"` + strings.Repeat("x", 3000) + `"}`}
		status := rapid.SampledFrom([]conversation.ResultStatus{conversation.ResultOK, conversation.ResultInterrupted}).Draw(t, "status")
		result := conversation.ToolResult{CallID: "a", Tool: "read_file", Status: status, Text: strings.Repeat("a line of it\n", 500)}
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "hi"}, conversation.AssistantMessage{Calls: []conversation.ToolCall{call}}, result,
			conversation.AssistantMessage{Text: strings.Repeat("then ", 300)})); err != nil {
			t.Fatal(err)
		}
		w := conversationtest.NewWriter(t, l.Events())
		w.Add(t, w.Reduction(t), conversation.Drop{Spans: w.Spans(t)})
		for _, m := range projection.Project(w.Events()).Messages {
			text := strings.ToLower(m.Text)
			for _, word := range []string{"missing", "omitted", "failed", "truncated", "unavailable", "lost"} {
				if strings.Contains(text, word) {
					t.Fatalf("%q has the word %q", m.Text, word)
				}
			}
		}
	})
}

func TestCatalogueB20NoPlaceholderStandsInArguments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 2 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll), w.PolicyForm(t, conversation.StyleJP))
		}
		said := map[string]string{}
		for _, e := range w.Events() {
			b, _ := e.Body.(conversation.AssistantMessage) // others have no calls
			for _, c := range b.Calls {
				said[c.ID] = c.Arguments
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			for _, c := range m.Calls {
				if c.Arguments != "{}" && c.Arguments != said[c.ID] {
					t.Fatalf("the arguments %s became %s", said[c.ID], c.Arguments)
				}
			}
		}
	})
}

func TestCatalogueB21StubsNameTheEventThatHoldsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 3 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll))
			w.Turn(t)
		}
		log := w.Events()
		for _, m := range projection.Project(log).Messages {
			_, text, stub := strings.Cut(m.Text, "The whole text: recall ")
			if m.State != projection.StateMasked || m.Role != projection.RoleTool || !stub {
				continue
			}
			id, _, _ := strings.Cut(text, "\n")
			at, ok := conversation.ParseRecallID(id)
			if !ok {
				t.Fatalf("no id: %q", id)
			}
			if r, _ := log[m.Events[0]-1].Body.(conversation.ToolResult); r.Tool == conversation.ToolRecall && r.Status == conversation.ResultOK {
				continue // of what it brought back: it says so itself
			}
			if seq, one := at.Event(); !one || seq != m.Events[0] {
				t.Fatalf("the stub of event %d names %s", m.Events[0], id)
			}
		}
	})
}

// failed is a call for a summary that came to nothing.
func failed(model string) conversation.Attempt {
	return conversation.Attempt{Source: conversation.SourceAuto, Outcome: conversation.OutcomeFailed, Why: "too busy", Model: model}
}

// tried is a pass by itself that came to nothing when a request had so many
// tokens.
func tried(tokens int, outcome string) conversation.Attempt {
	a := failed("m")
	a.Before, a.Outcome = tokens, outcome
	return a
}

func TestPastIsReadFromTheLog(t *testing.T) {
	t.Parallel()
	made := func(source conversation.Source, trigger string, before, after int) conversation.Made {
		return conversation.Made{Source: source, Trigger: trigger, Before: before, After: after}
	}
	forced := made(conversation.SourceAuto, planner.TriggerLoadLine, 900, 400)
	said := func() *compacttest.Tale { return compacttest.FilesRead(4, 60) } // 16 events
	summary := conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{compacttest.Span(5, 8)}, Text: "s"}
	undo := func(l *compacttest.Tale, epoch uint64, after int) *compacttest.Tale {
		return l.EpochOf(made(conversation.SourceManual, "command", 1, after), conversation.Revert{Epoch: epoch})
	}
	for name, c := range map[string]struct {
		log  *compacttest.Tale
		want planner.Past
	}{
		"nothing":        {said(), planner.Past{}},
		"a pass":         {said().EpochOf(forced, compacttest.Masks(3)), planner.Past{After: 400, Settled: true}},
		"a pass by hand": {said().EpochOf(made(conversation.SourceManual, "command", 800, 300), summary), planner.Past{After: 300}},

		"taken back":                  {undo(said().EpochOf(forced, compacttest.Masks(3)), 17, 1500), planner.Past{Undone: 1500}},
		"taken back, nobody says how": {undo(said().EpochOf(forced, compacttest.Masks(3)), 17, 0), planner.Past{Undone: 900}},
		"the newer one taken back": {undo(said().EpochOf(forced, compacttest.Masks(3)).EpochOf(made(conversation.SourceAuto, "stride", 800, 300), compacttest.Masks(7)), 18, 1300),
			planner.Past{After: 400, Undone: 1300}},
		"the older one taken back": {undo(said().EpochOf(forced, compacttest.Masks(3)).EpochOf(made(conversation.SourceAuto, "stride", 800, 300), compacttest.Masks(7)), 17, 1200),
			planner.Past{Undone: 1200}},
		"a mask by hand taken back": {undo(said().EpochOf(made(conversation.SourceManual, "command", 800, 300), compacttest.Masks(3)), 17, 1500), planner.Past{}},
		"by a profile since it was taken back": {undo(said().EpochOf(forced, compacttest.Masks(3)), 17, 1500).
			EpochOf(conversation.Made{Source: conversation.SourceManual, Trigger: "command", Profile: "default"}, compacttest.Masks(7)), planner.Past{}},

		"turns brought back are no undo": {undo(said().EpochOf(forced, compacttest.Masks(3)).Add(failed("m")).Epoch(conversation.Rewind{Turn: 3}), 19, 1500), planner.Past{After: 400, Failures: 1}},

		"another pass since": {undo(said().EpochOf(forced, compacttest.Masks(3)), 17, 1500).EpochOf(made(conversation.SourceAuto, "load line", 990, 500), summary), planner.Past{After: 500}},
		"brought back":       {undo(undo(said().EpochOf(forced, compacttest.Masks(3)), 17, 1500), 18, 600), planner.Past{After: 400}},

		"a failure":                        {said().Add(failed("m")), planner.Past{Failures: 1}},
		"refused before a model was asked": {said().Add(failed(""), failed("m")), planner.Past{Failures: 1}},
		"tried at so many tokens":          {said().Add(tried(700, conversation.OutcomeFailed)), planner.Past{Tried: 700, Failures: 1}},
		"stopped at so many tokens":        {said().Add(tried(700, conversation.OutcomeCancelled)), planner.Past{Tried: 700}},
		"tried before a pass":              {said().Add(tried(700, conversation.OutcomeFailed)).EpochOf(forced, compacttest.Masks(3)), planner.Past{After: 400, Failures: 1, Settled: true}},
		"tried with another model":         {said().Add(tried(700, conversation.OutcomeFailed), conversation.ModelChanged{Model: "n"}), planner.Past{}},

		"a pass without a model since the failure": {said().Add(failed("m"), failed("m")).EpochOf(forced, compacttest.Masks(3)), planner.Past{After: 400, Failures: 2, Settled: true}},
		"one to save money does not":               {said().Add(failed("m"), failed("m")).EpochOf(made(conversation.SourceAuto, planner.TriggerCold, 900, 400), compacttest.Masks(3)), planner.Past{Failures: 2}},
		"failures before a summary":                {said().Add(failed("m"), failed("m")).EpochOf(forced, summary), planner.Past{After: 400}},
		"failures before and after a summary":      {said().Add(failed("m"), failed("m")).EpochOf(forced, summary).Add(failed("m")), planner.Past{After: 400, Failures: 1}},
		"failures before a compaction by hand":     {said().Add(failed("m")).EpochOf(made(conversation.SourceManual, "command", 900, 400), compacttest.Masks(3)), planner.Past{}},
		"failures before another model":            {said().Add(failed("m"), conversation.ModelChanged{Model: "n"}), planner.Past{}},
		"failures before an undo":                  {undo(said().EpochOf(forced, compacttest.Masks(3)).Add(failed("m")), 17, 1500), planner.Past{Undone: 1500}},
		"a pin does not speak for the user's wish": {said().Add(failed("m"), conversation.Pin{Events: []uint64{3}}), planner.Past{Failures: 1}},
	} {
		if d := cmp.Diff(c.want, planner.PastOf(c.log.Events())); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestPastOfAnyLogIsThereAndTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.RandomLog(t)
		past := planner.PastOf(log)
		if past.Failures != 0 || past != planner.PastOf(log) {
			t.Fatalf("%+v", past)
		}
	})
}
