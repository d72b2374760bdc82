package compact_test

import (
	"testing"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What is done above the load line of 80,000, down to 40,000, and how the block
// of summaries grows. The figures are explained in plan_look_test.go.

// pressed is what is done in a turn.
func pressed(l *tale) string { return tell(at(compact.MomentRequest).plan(l)) }

func TestMasksAloneAreMadeWhereTheyReachTheTarget(t *testing.T) {
	t.Parallel()
	// Of 85,000 tokens one result of so many can go.
	log := func(result int) *tale {
		return (&tale{}).talks(1).says(10).reads(result).answers(79_975 - result).says(10)
	}
	few := func(k *looking) { k.rules.Mask.KeepTokens, k.rules.Mask.KeepResults = 0, 0 }
	k := at(compact.MomentRequest).with(few)
	if got := tell(k.plan(log(45_173))); got != "load line: mask e5" {
		t.Errorf("45,000 go: %s", got)
	}
	if got := tell(k.plan(log(45_172))); got != "load line: cover 2-5" {
		t.Errorf("44,999 go: %s", got)
	}
	if got := tell(k.with(func(k *looking) { k.check.Past.Failures = 3 }).plan(log(45_172))); got != "load line: mask e5" {
		t.Errorf("44,999 go, and no model may be asked: %s", got)
	}
}

func TestProtectionIsGivenUpOnlyWhereTheTargetWantsIt(t *testing.T) {
	t.Parallel()
	opening := func(reads int) *tale {
		l := (&tale{}).says(10)
		for range reads {
			l.reads(4975)
		}
		return l.answers(10)
	}
	current := func(stints int) *tale {
		l := (&tale{}).talks(3).stints(stints).says(10)
		for range 5 {
			l.reads(4700)
		}
		return l
	}
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		// 14,960 of the first turn, 70,010 besides, of which ten results save 48,020.
		"the first turn stays": {opening(3).stints(14).says(10), "mask e11 e15 e19 e23 e27 e31 e35 e39 e43 e47"},
		// 19,940 and 65,010, of which nine save 43,218: 41,732 are left.
		"the first turn goes": {opening(4).stints(13).says(10), "mask e3 e5 e7 e9 e13 e17 e21 e25 e29 e33 e37 e41 e45"},
		// 15,000, 50,000 and 23,535, of which ten save 48,020: 40,515 are left.
		"the current turn goes": {current(10), "mask e9 e13 e17 e21 e25 e29 e33 e37 e41 e45 e49"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTheOldestIsSummarisedAndTheNewestLeftAsItWasSaid(t *testing.T) {
	t.Parallel()
	long := (&tale{}).says(2001).answers(3000).talks(16)
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		// 40,001 have to go: nine replies with what lies between, 44,990, of which a
		// summary has 4,000. The first message is short, and stays.
		"talk": {(&tale{}).talks(16).says(1), "cover 2-18"},
		// Results in what is covered are not masked besides.
		"talk and work": {(&tale{}).talks(6).stints(11), "cover 2-27"},
		// 5,001 of 85,001 less 44,000: the first message is part of it.
		"a long first message": {long, "cover 1-20"},
		// 49,000 would have to be covered, and 44,990 can be.
		"as much as may be": {(&tale{}).talks(9).says(40_000), "cover 2-18"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMasksJoinASummaryThatDoesNotMakeEnoughRoom(t *testing.T) {
	t.Parallel()
	// A quarter of the window behind the newest message is protected, and a result
	// in it may be masked. Only the first reply can be covered.
	log := func(reply int) *tale {
		return (&tale{}).says(10).answers(reply).says(59_990 - reply).reads(5000).answers(19_995)
	}
	k := at(compact.MomentRequest).with(func(k *looking) { k.rules.Mask.KeepTokens, k.rules.Mask.KeepResults = 0, 0 })
	// A summary of 37,000 tokens is expected to have 4,000: 52,000 are left.
	if got := tell(k.plan(log(37_000))); got != "load line: cover 2-2" {
		t.Errorf("enough: %s", got)
	}
	if p := k.plan(log(36_999)); tell(p) != "load line: mask e5, cover 2-2" || p.Gain != 5000-173 {
		t.Errorf("one token less: %q, gain %d", tell(p), p.Gain)
	}
	// Masks that lie within what is covered are not made.
	steered := (&tale{}).stints(6).says(24_000)
	for range 6 {
		steered.reads(4975)
	}
	if p := at(compact.MomentRequest).plan(steered); tell(p) != "load line: mask e27 e29, cover 2-24" || p.Gain != 2*4802 {
		t.Errorf("both sides: %q, gain %d", tell(p), p.Gain)
	}
}

func TestMasksAreMadeBesidesASummaryAlsoWhereTheyLeaveNothingToCover(t *testing.T) {
	t.Parallel()
	// System prompt and tools leave 20,000 below the load line: the target is
	// 66,000. Without masks 9,990 may be covered, behind stubs all is protected.
	l := (&tale{}).talks(2).stints(4).says(4990)
	k := at(compact.MomentRequest).with(func(k *looking) {
		k.system, k.rules.Mask.KeepTokens, k.rules.Mask.KeepResults = 60_000, 0, 0
	})
	if got := tell(k.plan(l)); got != "load line: mask e7 e11 e15 e19, cover 2-4" {
		t.Errorf("of 94,990: %q", got)
	}
}

func TestTheTargetLeavesRoomToTalk(t *testing.T) {
	t.Parallel()
	// System prompt and tools leave 20,000 below the load line, of which a third
	// is not touched: the target is 66,000.
	log := func(result int) *tale { return (&tale{}).says(10).says(10).reads(result).says(20_976 - result) }
	k := at(compact.MomentRequest).with(func(k *looking) { k.system, k.rules.Mask.KeepTokens, k.rules.Mask.KeepResults = 60_000, 0, 0 })
	if got := tell(k.plan(log(15_174))); got != "load line: mask e4" {
		t.Errorf("66,000 are left: %s", got)
	}
	k.check.Past.Failures = 3
	k.rules.Planner.ProgressRatio = 0.25
	if got := tell(k.plan(log(15_173))); got != "" {
		t.Errorf("66,001 are left: %s", got)
	}
}

func TestNothingToDoIsNoPlan(t *testing.T) {
	t.Parallel()
	k := at(compact.MomentRequest).with(func(k *looking) { k.system = 90_000 })
	if p := k.plan((&tale{}).user("x")); p.Acts() {
		t.Errorf("all of it is system prompt: %q", tell(p))
	}
	k.system = 96_000
	if p := k.plan((&tale{}).user("x")); p.Acts() || !p.Hold {
		t.Errorf("above the hard line: %q", tell(p))
	}
}

// bands are summaries of two events each, from event 2 on, of so many tokens.
func (l *tale) bands(n, tokens int) *tale {
	for i := range n {
		first := uint64(2 + 2*i)
		l.add(conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{span(first, first+1)},
			FromTurn: i, ToTurn: i + 1, Text: words(tokens), Appendix: "### Files read"})
	}
	return l
}

func TestTheBlockOfSummariesIsConsolidatedWhenItIsFull(t *testing.T) {
	t.Parallel()
	grown := func(talks, bands, tokens int) *tale { return (&tale{}).talks(talks).bands(bands, tokens).says(1) }
	small := func(k *looking) { k.options.Window.Tokens = 50_000 }
	bare := func(*looking) {}
	for name, c := range map[string]struct {
		change func(*looking)
		log    *tale
		want   string
	}{
		"no summary yet":                  {bare, grown(17, 0, 0), "cover 2-20"},
		"five beside each other":          {bare, grown(22, 5, 100), "cover 12-30"},
		"six":                             {bare, grown(23, 6, 100), "cover 2-32"},
		"6,000 tokens, and 2,000 to come": {bare, grown(17, 1, 6000), "cover 4-24"},
		"6,001":                           {bare, grown(17, 1, 6001), "cover 2-24"},
		"two of 3,000":                    {bare, grown(18, 2, 3000), "cover 6-26"},
		"two of 3,001":                    {bare, grown(18, 2, 3001), "cover 2-26"},
		"a smaller window: 4,000":         {small, grown(9, 1, 4000), "cover 4-14"},
		"a smaller window: 4,001":         {small, grown(9, 1, 4001), "cover 2-14"},
	} {
		if got := tell(at(compact.MomentRequest).with(c.change).plan(c.log)); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestASummaryTakesInWhatWasLeftOutBeforeIt(t *testing.T) {
	t.Parallel()
	drop := func(first, last uint64) conversation.Drop {
		return conversation.Drop{Spans: []conversation.Span{span(first, last)}}
	}
	omit := func(first, last uint64) conversation.Summary {
		return conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{span(first, last)},
			Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}
	}
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		"the oldest":                    {(&tale{}).talks(18).pass(drop(2, 4)), "cover 2-22"},
		"in its middle":                 {(&tale{}).talks(18).pass(drop(7, 8)), "cover 2-22"},
		"behind it, where it is newest": {(&tale{}).talks(18).stints(1).pass(omit(38, 39)), "cover 2-22"},
		"behind it, and all the newest": {(&tale{}).talks(18).says(10).reads(4975).pass(omit(38, 39)), "cover 2-22"},
		"pins do not part it":           {(&tale{}).talks(18).pass(conversation.Pin{Events: []uint64{5, 6}}), "cover 2-24"},
		"behind an earlier summary":     {(&tale{}).talks(19).bands(1, 100).pass(drop(4, 5)), "cover 4-24"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestACallThatWasNeverAnsweredIsNotCovered(t *testing.T) {
	t.Parallel()
	l := (&tale{}).talks(3).says(10).asked("lost").talks(14)
	if got := pressed(l); got != "load line: cover 2-7 9-22" {
		t.Errorf("%q", got)
	}
	if got := at(compact.MomentRequest).recovered((&tale{}).talks(3).says(10).asked("lost").talks(17)); got != "drop 2-7 9-28" {
		t.Errorf("%q", got)
	}
}

// A pass that came to nothing, or that the user stopped, is not tried again at
// once: a fourth of a stride of 20,000 has to be added, or the hard line reached.
func TestWhatCameToNothingIsTriedAgainAfterSomeGrowth(t *testing.T) {
	t.Parallel()
	log := (&tale{}).talks(2).says(10).answers(74_980).says(10) // 85,000
	for tried, want := range map[int]string{0: "load line", 79_990: "load line", 80_010: "nothing", 84_990: "nothing"} {
		k := at(compact.MomentReply)
		k.check.Past = compact.Past{Tried: tried, Failures: 1}
		plan := k.plan(log)
		got := plan.Trigger
		if got == "" {
			got = "nothing"
		}
		if got != want {
			t.Errorf("tried at %d: %s at %d tokens, want %s", tried, got, plan.Used, want)
		}
	}
}
