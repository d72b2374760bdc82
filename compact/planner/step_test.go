package planner_test

import (
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

// What is evicted above the load line of 80,000 or with a cold cache, and how the
// block of summaries grows. The figures are explained in plan_look_test.go.

// pressed is what is done in a turn.
func pressed(l *compacttest.Tale) string {
	return compacttest.Tell(compacttest.At(planner.MomentRequest).Plan(l))
}

func TestTheOldestUnitsAreEvictedAndTheNewestStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  *compacttest.Tale
		want string
	}{
		// 40,001 and room for the note have to go: nine replies with what lies
		// between them.
		"talk":                 {(&compacttest.Tale{}).Talks(16).Says(1), "cover 1-18"},
		"talk and work":        {(&compacttest.Tale{}).Talks(6).Stints(11), "cover 1-27"},
		"a long first message": {(&compacttest.Tale{}).Says(2001).Answers(3000).Talks(16), "cover 1-20"},
		"as much as may be":    {(&compacttest.Tale{}).Talks(9).Says(40_000), "cover 1-18"},
		"what is pinned stays": {(&compacttest.Tale{}).Talks(16).Says(1).Epoch(conversation.Pin{Events: []uint64{3, 4}}), "cover 1-20"},
		"the newest message":   {(&compacttest.Tale{}).Talks(1).Says(100).Reads(40_000).Reads(39_900), "cover 1-2 4-5"},
		"the newest protected": {(&compacttest.Tale{}).Talks(1).Says(100).Reads(57_000).Reads(12_000).Reads(10_900), "cover 1-2 4-5"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAColdCacheEvictsAtALowerLineAndAsksNoModel(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(16) // 80,000, at the load line
	cold := func(k *compacttest.Look) { k.Check.Gone = true }
	bare := func(k *compacttest.Look) { k.Rules.Mask.Enabled = false }
	want := map[planner.Moment]string{
		planner.MomentTurn: "cold cache: evict 1-11", planner.MomentRequest: "cold cache: evict 1-11", planner.MomentReply: "",
	}
	for m, want := range want {
		if got := compacttest.Tell(compacttest.At(m).With(bare).With(cold).Plan(l)); got != want {
			t.Errorf("%v: %q, want %q", m, got, want)
		}
		if got := compacttest.Tell(compacttest.At(m).With(bare).Plan(l)); got != "" {
			t.Errorf("%v, with a warm cache: %q", m, got)
		}
		for name, change := range map[string]func(*compacttest.Look){
			"undone a little before":      func(k *compacttest.Look) { k.Check.Past.Undone = 79_000 },
			"less than an eighth to gain": func(k *compacttest.Look) { k.Rules.Evict.Cold, k.Rules.Evict.Words = 0.78, 0.001 },
		} {
			if got := compacttest.Tell(compacttest.At(m).With(bare).With(cold).With(change).Plan(l)); got != "" {
				t.Errorf("%v, %s: %q", m, name, got)
			}
		}
	}
	if got := compacttest.Tell(compacttest.At(planner.MomentTurn).With(bare).With(cold).Plan((&compacttest.Tale{}).Stints(14))); got != "" {
		t.Errorf("at the cold line: %q", got)
	}
	// Above the load line as well, the step goes down to the lower of both.
	l.Says(1)
	k := compacttest.At(planner.MomentTurn).With(func(k *compacttest.Look) { k.Rules.Evict.Cold = 0.3 })
	if warm, cold := compacttest.Tell(k.Plan(l)), compacttest.Tell(k.With(cold).Plan(l)); warm != "load line: cover 1-35" || cold != "load line: cover 1-43" {
		t.Errorf("warm %q, cold %q", warm, cold)
	}
}

func TestTheBlockOfSummariesIsConsolidatedWhenItIsFull(t *testing.T) {
	t.Parallel()
	grown := func(talks, bands, tokens int) *compacttest.Tale {
		return (&compacttest.Tale{}).Talks(talks).Bands(bands, tokens).Says(1)
	}
	small := func(k *compacttest.Look) { k.Options.Window.Tokens = 50_000 }
	bare := func(*compacttest.Look) {}
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		log    *compacttest.Tale
		want   string
	}{
		"no summary yet":                  {bare, grown(17, 0, 0), "cover 1-20"},
		"five beside each other":          {bare, grown(22, 5, 100), "cover 1-1 12-30"},
		"six":                             {bare, grown(23, 6, 100), "cover 1-32"},
		"3,000 tokens, and 2,000 to come": {bare, grown(17, 1, 3000), "cover 1-1 4-20"},
		"3,001":                           {bare, grown(17, 1, 3001), "cover 1-20"},
		"two of 1,500":                    {bare, grown(18, 2, 1500), "cover 1-1 6-22"},
		"two of 1,501":                    {bare, grown(18, 2, 1501), "cover 1-22"},
		"a smaller window: 1,500":         {small, grown(9, 1, 1500), "cover 1-1 4-12"},
		"a smaller window: 1,501":         {small, grown(9, 1, 1501), "cover 1-12"},
	} {
		if got := compacttest.Tell(compacttest.At(planner.MomentRequest).With(c.change).Plan(c.log)); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestASummaryTakesInWhatWasLeftOutBeforeIt(t *testing.T) {
	t.Parallel()
	drop := func(first, last uint64) conversation.Drop {
		return conversation.Drop{Spans: []conversation.Span{compacttest.Span(first, last)}}
	}
	omit := func(first, last uint64) conversation.Summary {
		return conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{compacttest.Span(first, last)},
			Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}
	}
	for name, c := range map[string]struct {
		log  *compacttest.Tale
		want string
	}{
		"the oldest":                    {(&compacttest.Tale{}).Talks(18).Epoch(drop(2, 4)), "cover 1-22"},
		"in its middle":                 {(&compacttest.Tale{}).Talks(18).Epoch(drop(7, 8)), "cover 1-22"},
		"behind it, where it is newest": {(&compacttest.Tale{}).Talks(18).Stints(1).Epoch(omit(38, 39)), "cover 1-22"},
		"behind it, and all the newest": {(&compacttest.Tale{}).Talks(18).Says(10).Reads(4975).Epoch(omit(38, 39)), "cover 1-22"},
		"pins do not part it":           {(&compacttest.Tale{}).Talks(18).Epoch(conversation.Pin{Events: []uint64{5, 6}}), "cover 1-24"},
		"behind an earlier summary":     {(&compacttest.Tale{}).Talks(19).Bands(1, 100).Epoch(drop(4, 5)), "cover 1-1 4-24"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A pass that came to nothing, or that the user stopped, is not tried again at
// once: a fourth of a stride of 20,000 has to be added, or the hard line reached.
func TestWhatCameToNothingIsTriedAgainAfterSomeGrowth(t *testing.T) {
	t.Parallel()
	log := (&compacttest.Tale{}).Talks(2).Says(10).Answers(74_980).Says(10) // 85,000
	for tried, want := range map[int]string{0: "load line", 79_990: "load line", 80_010: "nothing", 84_990: "nothing"} {
		k := compacttest.At(planner.MomentReply)
		k.Check.Past = planner.Past{Tried: tried, Failures: 1}
		plan := k.Plan(log)
		got := plan.Trigger
		if got == "" {
			got = "nothing"
		}
		if got != want {
			t.Errorf("tried at %d: %s at %d tokens, want %s", tried, got, plan.Used, want)
		}
	}
}
