package inspect_test

import (
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
)

// evicting is a look ahead at a step that evicts turns 0 to 7, in a conversation of
// 70,000 tokens whose load line is at 80,000.
func evicting(change func(*inspect.Forecast)) inspect.Forecast {
	o := inspect.Forecast{State: planner.TimingReady, At: 80_000, Left: 10_000, Turns: 2, Until: -1, EvictTo: 7, After: 27_612, ColdTo: -1,
		ColdLine: 50_000, Asks: true, Rule: "preset plimsoll"}
	change(&o)
	return o
}

func TestTheOutlookIsToldInASentenceOrTwo(t *testing.T) {
	t.Parallel()
	const when = "At 80,000 tokens, about 10,000 (2 turns) from now: "
	for name, c := range map[string]struct {
		change      func(*inspect.Forecast)
		until, want string
	}{
		"a note": {func(*inspect.Forecast) {}, "", when + "turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"one turn": {func(o *inspect.Forecast) { o.EvictFrom = 7 }, "",
			when + "turn 7 is evicted, and a note replaces it; about 27,600 tokens remain."},
		"a summary": {func(o *inspect.Forecast) { o.Until = 7 }, "",
			when + "turns 0–7 are evicted, and a note with a summary replaces them; about 27,600 tokens remain."},
		"a summary of more": {func(o *inspect.Forecast) { o.EvictFrom, o.Until = 5, 7 }, "",
			when + "turns 5–7 are evicted, and a note replaces them with one summary of turns 0–7; about 27,600 tokens remain."},
		"what is still to come": {func(o *inspect.Forecast) { o.EvictMore, o.Until = true, 7 }, "",
			when + "the oldest turns are evicted, and a note with a summary replaces them; about 27,600 tokens remain."},
		"at the line": {func(o *inspect.Forecast) { o.Left, o.Turns = 0, 0 }, "",
			"With your next message: turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"above it": {func(o *inspect.Forecast) { o.State, o.ColdTo = planner.TimingNow, 3 }, "",
			"Next: turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"too little": {func(o *inspect.Forecast) { o.EvictTo = -1 }, "",
			"At 80,000 tokens, about 10,000 (2 turns) from now: older turns are compacted, if there are enough by then."},
		"undone": {func(o *inspect.Forecast) { o.State = planner.TimingHeld }, "",
			"Auto-compaction is paused until 80,000 tokens: you undid a compaction. Then turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"just compacted": {func(o *inspect.Forecast) { o.State = planner.TimingResting }, "",
			"Auto-compaction is paused until 80,000 tokens: it has just run. Then turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"turns are missing": {func(o *inspect.Forecast) { o.Left, o.Wait, o.Turns = 0, 2, 2 }, "",
			"After 2 more turns: turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain."},
		"a pause": {func(o *inspect.Forecast) { o.EvictTo, o.ColdTo, o.ColdAfter = -1, 3, 48_120 }, "14:32",
			"At 80,000 tokens, about 10,000 (2 turns) from now: older turns are compacted, if there are enough by then. " +
				"If you pause until 14:32, the provider's cache goes cold: then turns 0–3 are evicted before the next request, and a note replaces them; about 48,100 tokens remain."},
		"a pause of a length nobody knows": {func(o *inspect.Forecast) { o.ColdTo, o.ColdAfter = 0, 48_120 }, "",
			when + "turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain. " +
				"If you pause until the provider's cache goes cold, turn 0 is evicted before the next request, and a note replaces it; about 48,100 tokens remain."},
		"a cold cache": {func(o *inspect.Forecast) { o.Cold, o.ColdTo, o.ColdAfter = true, 3, 48_120 }, "14:32",
			when + "turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain. " +
				"The provider's cache is cold, so compacting costs nothing extra: turns 0–3 are evicted before the next request, and a note replaces them; about 48,100 tokens remain."},
		"nobody is asked": {func(o *inspect.Forecast) { o.Asks, o.Failures = false, 3 }, "",
			when + "turns 0–7 are evicted, and a note replaces them; about 27,600 tokens remain. " +
				"No more summaries are requested after 3 failures; a note alone replaces what is evicted."},
	} {
		if got := evicting(c.change).WordsUntil(c.until); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestTheOutlookOfOtherRulesIsToldInASentenceOrTwo(t *testing.T) {
	t.Parallel()
	grown := func(n int) *compacttest.Tale { return (&compacttest.Tale{}).Stints(n) }
	for name, c := range map[string]struct {
		look compacttest.Look
		log  *compacttest.Tale
		want string
	}{
		"off": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.Rules.Enabled = false }), grown(17),
			"Auto-compaction is off; older turns are compacted only if the server refuses a request as too long."},
		"unknown": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.Options.Window, k.Rules.Mask.Enabled = meter.Window{}, false }), grown(17),
			"The window is unknown; older turns are compacted only if the server refuses a request as too long."},
		"unknown, with masks": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.Options.Window, k.Rules.Mask.Enabled = meter.Window{}, true }), grown(17),
			"The window is unknown: old results are masked where it pays, and more is compacted only if the server refuses a request."},
		"a source that asks nobody any more": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) {
			k.Rules, k.Check.Past.Failures = preset.RulesOf(preset.JCLI), 3
		}), grown(3), "Old results are shortened before every request; none needs it now. No more summaries are requested after 3 failures."},
		"a profile that needs a model": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) {
			k.Rules, k.Check.Past.Failures = preset.RulesOf(preset.JPAuto), 2
			k.Rules.Auto.Profile = preset.ProfileHeavy
		}), grown(17), "No more summaries are requested after 2 failures."},
		"a layer alone": {compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) {
			k.Rules = preset.RulesOf(preset.Adachsoft)
		}), grown(3), "Old results are shortened before every request: 2 results by the next."},
	} {
		if got := inspect.NewForecast(c.look.Rules, c.look.Of(c.log.Events())).Words(); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestAProfileThatFailedRestsBeforeItSummarises(t *testing.T) {
	t.Parallel()
	k := compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) {
		k.Rules, k.Check.Past.Tried = preset.RulesOf(preset.JPAuto), 84_000
		k.Rules.Auto.Profile = preset.ProfileHeavy
	})
	got := inspect.NewForecast(k.Rules, k.Of((&compacttest.Tale{}).Stints(17).Events())).Words()
	if !strings.HasPrefix(got, "Auto-compaction is paused until 89,000 tokens: it has just run. Then turns 0–13 are summarized, leaving about ") {
		t.Error(got)
	}
}
