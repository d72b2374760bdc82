package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// passed appends overlays as one epoch of so many tokens before and after.
func (l *tale) passed(m conversation.Made, bodies ...conversation.Body) *tale {
	m.Epoch = 0
	return l.add(conversation.Stamp(bodies, uint64(l.log.Len()+1), m)...)
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
	forced := made(conversation.SourceAuto, compact.TriggerLoadLine, 900, 400)
	said := func() *tale { return filesRead(4, 60) } // 16 events
	summary := conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{span(5, 8)}, Text: "s"}
	drop := conversation.Drop{Spans: []conversation.Span{span(2, 4)}}
	capped := conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 60, Tail: 60}}}
	undo := func(l *tale, epoch uint64, after int) *tale {
		return l.passed(made(conversation.SourceManual, "command", 1, after), conversation.Revert{Epoch: epoch})
	}
	for name, c := range map[string]struct {
		log  *tale
		want compact.Past
	}{
		"nothing":         {said(), compact.Past{}},
		"an empty log":    {&tale{}, compact.Past{}},
		"a pass":          {said().passed(forced, masks(3)), compact.Past{After: 400, Settled: true}},
		"the newest pass": {said().passed(forced, masks(3)).passed(made(conversation.SourceManual, "command", 800, 300), masks(7)), compact.Past{After: 400}},
		"a pass by hand":  {said().passed(made(conversation.SourceManual, "command", 800, 300), summary), compact.Past{After: 300}},

		"taken back":                  {undo(said().passed(forced, masks(3)), 17, 1500), compact.Past{Undone: 1500}},
		"taken back, nobody says how": {undo(said().passed(forced, masks(3)), 17, 0), compact.Past{Undone: 900}},
		"the newer one taken back": {undo(said().passed(forced, masks(3)).passed(made(conversation.SourceAuto, "stride", 800, 300), masks(7)), 18, 1300),
			compact.Past{After: 400, Undone: 1300}},
		"the older one taken back": {undo(said().passed(forced, masks(3)).passed(made(conversation.SourceAuto, "stride", 800, 300), masks(7)), 17, 1200),
			compact.Past{Undone: 1200}},
		"both taken back": {undo(undo(said().passed(forced, masks(3)).passed(made(conversation.SourceAuto, "stride", 800, 300), masks(7)), 18, 1300), 17, 1700),
			compact.Past{Undone: 1700}},
		"both, the older one first": {undo(undo(said().passed(forced, masks(3)).passed(made(conversation.SourceAuto, "stride", 800, 300), masks(7)), 17, 1300), 18, 1700),
			compact.Past{Undone: 1700}},
		"a mask by hand taken back": {undo(said().passed(made(conversation.SourceManual, "command", 800, 300), masks(3)), 17, 1500), compact.Past{}},
		"a mask by hand since it was taken back": {undo(said().passed(forced, masks(3)), 17, 1500).
			passed(made(conversation.SourceManual, "command", 800, 300), masks(7)), compact.Past{Undone: 1500}},
		"a mask by hand taken back after it": {undo(undo(said().passed(forced, masks(3)), 17, 1500).
			passed(made(conversation.SourceManual, "command", 800, 300), masks(7)), 19, 1400), compact.Past{Undone: 1500}},
		"by a profile since it was taken back": {undo(said().passed(forced, masks(3)), 17, 1500).
			passed(conversation.Made{Source: conversation.SourceManual, Trigger: "command", Profile: "default"}, masks(7)), compact.Past{}},
		"by a profile and taken back": {undo(said().
			passed(conversation.Made{Source: conversation.SourceManual, Trigger: "command", Profile: "default"}, masks(7)), 17, 1400), compact.Past{Undone: 1400}},
		"tried before a mask by hand": {said().add(tried(700, conversation.OutcomeFailed)).passed(made(conversation.SourceManual, "command", 800, 300), masks(3)), compact.Past{}},

		"turns brought back are no undo":              {undo(said().passed(forced, masks(3)).add(failed("m")).pass(conversation.Rewind{Turn: 3}), 19, 1500), compact.Past{After: 400, Failures: 1}},
		"turns brought back by the event of a rewind": {said().add(failed("m")).pass(conversation.Rewind{Turn: 3}).pass(conversation.Revert{Event: 18}), compact.Past{Failures: 1}},
		"an undo of what is not there":                {undo(said().add(failed("m")), 99, 1500), compact.Past{}},

		"another pass since":  {undo(said().passed(forced, masks(3)), 17, 1500).passed(made(conversation.SourceAuto, "load line", 990, 500), summary), compact.Past{After: 500}},
		"brought back":        {undo(undo(said().passed(forced, masks(3)), 17, 1500), 18, 600), compact.Past{After: 400}},
		"one overlay is left": {said().passed(forced, masks(3), masks(7)).passed(forced, conversation.Revert{Event: 17}), compact.Past{After: 400}},

		"a failure":                        {said().add(failed("m")), compact.Past{Failures: 1}},
		"two":                              {said().add(failed("m"), conversation.UserMessage{Text: "x"}, failed("m")), compact.Past{Failures: 2}},
		"refused before a model was asked": {said().add(failed(""), failed("m")), compact.Past{Failures: 1}},
		"tried at so many tokens":          {said().add(tried(700, conversation.OutcomeFailed)), compact.Past{Tried: 700, Failures: 1}},
		"stopped at so many tokens":        {said().add(tried(700, conversation.OutcomeCancelled)), compact.Past{Tried: 700}},
		"stale at so many tokens":          {said().add(tried(700, conversation.OutcomeStale)), compact.Past{}},
		"tried before a pass":              {said().add(tried(700, conversation.OutcomeFailed)).passed(forced, masks(3)), compact.Past{After: 400, Failures: 1, Settled: true}},
		"tried with another model":         {said().add(tried(700, conversation.OutcomeFailed), conversation.ModelChanged{Model: "n"}), compact.Past{}},
		"cancelled":                        {said().add(conversation.Attempt{Outcome: conversation.OutcomeCancelled, Model: "m"}), compact.Past{}},
		"stale":                            {said().add(conversation.Attempt{Outcome: conversation.OutcomeStale, Model: "m"}), compact.Past{}},

		"a pass without a model since the failure":  {said().add(failed("m"), failed("m")).passed(forced, masks(3)), compact.Past{After: 400, Failures: 2, Settled: true}},
		"drops do as well":                          {said().add(failed("m"), failed("m")).passed(made(conversation.SourceRecovery, "", 900, 400), drop), compact.Past{After: 400, Failures: 2, Settled: true}},
		"caps do as well":                           {said().add(failed("m")).passed(made(conversation.SourceAuto, compact.TriggerHardLine, 900, 400), capped), compact.Past{After: 400, Failures: 1, Settled: true}},
		"one to save money does not":                {said().add(failed("m"), failed("m")).passed(made(conversation.SourceAuto, compact.TriggerCold, 900, 400), masks(3)), compact.Past{Failures: 2}},
		"one before the failure does not":           {said().add(failed("m")).passed(forced, masks(3)).add(failed("m")), compact.Past{After: 400, Failures: 2}},
		"failures before a summary":                 {said().add(failed("m"), failed("m")).passed(forced, summary), compact.Past{After: 400}},
		"failures before masks and a summary":       {said().add(failed("m"), failed("m")).passed(forced, masks(3), summary), compact.Past{After: 400}},
		"failures before and after a summary":       {said().add(failed("m"), failed("m")).passed(forced, summary).add(failed("m")), compact.Past{After: 400, Failures: 1}},
		"failures before a compaction by hand":      {said().add(failed("m")).passed(made(conversation.SourceManual, "command", 900, 400), masks(3)), compact.Past{}},
		"failures before another model":             {said().add(failed("m"), conversation.ModelChanged{Model: "n"}), compact.Past{}},
		"what is known of the same model":           {said().add(conversation.ModelChanged{Model: "n"}, failed("m"), conversation.ModelChanged{Model: "n", Window: 4096}), compact.Past{Failures: 1}},
		"failures before an undo":                   {undo(said().passed(forced, masks(3)).add(failed("m")), 17, 1500), compact.Past{Undone: 1500}},
		"a pin does not speak for the user's wish":  {said().add(failed("m"), conversation.Pin{Events: []uint64{3}}), compact.Past{Failures: 1}},
		"a failure, and masks by hand before it":    {said().passed(made(conversation.SourceManual, "command", 900, 400), masks(3)).add(failed("m")), compact.Past{Failures: 1}},
		"a pass of the tool does not count as hand": {said().add(failed("m")).passed(made(conversation.SourceTool, "tool", 900, 400), masks(3)), compact.Past{Failures: 1}},
	} {
		if d := cmp.Diff(c.want, compact.PastOf(c.log.events())); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestPastOfAnyLogIsThereAndTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := randomLog(t)
		past := compact.PastOf(log)
		if past.Failures != 0 || past != compact.PastOf(log) {
			t.Fatalf("%+v", past)
		}
	})
}
