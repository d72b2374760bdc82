package compact_test

import (
	"testing"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What is evicted above the load line of 80,000 or with a cold cache, and how the
// block of summaries grows. The figures are explained in plan_look_test.go.

// pressed is what is done in a turn.
func pressed(l *tale) string { return tell(at(compact.MomentRequest).plan(l)) }

func TestTheOldestUnitsAreEvictedAndTheNewestStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  *tale
		want string
	}{
		// 40,001 and room for the note have to go: nine replies with what lies
		// between them.
		"talk":                 {(&tale{}).talks(16).says(1), "cover 1-18"},
		"talk and work":        {(&tale{}).talks(6).stints(11), "cover 1-27"},
		"a long first message": {(&tale{}).says(2001).answers(3000).talks(16), "cover 1-20"},
		"as much as may be":    {(&tale{}).talks(9).says(40_000), "cover 1-18"},
		"what is pinned stays": {(&tale{}).talks(16).says(1).pass(conversation.Pin{Events: []uint64{3, 4}}), "cover 1-20"},
		"the newest message":   {(&tale{}).talks(1).says(100).reads(40_000).reads(39_900), "cover 1-2 4-5"},
		"the newest protected": {(&tale{}).talks(1).says(100).reads(57_000).reads(12_000).reads(10_900), "cover 1-2 4-5"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAColdCacheEvictsAtALowerLineAndAsksNoModel(t *testing.T) {
	t.Parallel()
	l := (&tale{}).stints(16) // 80,000, at the load line
	cold := func(k *looking) { k.check.Gone = true }
	bare := func(k *looking) { k.rules.Mask.Enabled = false }
	want := map[compact.Moment]string{
		compact.MomentTurn: "cold cache: evict 1-11", compact.MomentRequest: "cold cache: evict 1-11", compact.MomentReply: "",
	}
	for m, want := range want {
		if got := tell(at(m).with(bare).with(cold).plan(l)); got != want {
			t.Errorf("%v: %q, want %q", m, got, want)
		}
		if got := tell(at(m).with(bare).plan(l)); got != "" {
			t.Errorf("%v, with a warm cache: %q", m, got)
		}
		for name, change := range map[string]func(*looking){
			"undone a little before":      func(k *looking) { k.check.Past.Undone = 79_000 },
			"less than an eighth to gain": func(k *looking) { k.rules.Evict.Cold, k.rules.Evict.Words = 0.78, 0.001 },
		} {
			if got := tell(at(m).with(bare).with(cold).with(change).plan(l)); got != "" {
				t.Errorf("%v, %s: %q", m, name, got)
			}
		}
	}
	if got := tell(at(compact.MomentTurn).with(bare).with(cold).plan((&tale{}).stints(14))); got != "" {
		t.Errorf("at the cold line: %q", got)
	}
	// Above the load line as well, the step goes down to the lower of both.
	l.says(1)
	k := at(compact.MomentTurn).with(func(k *looking) { k.rules.Evict.Cold = 0.3 })
	if warm, cold := tell(k.plan(l)), tell(k.with(cold).plan(l)); warm != "load line: cover 1-35" || cold != "load line: cover 1-43" {
		t.Errorf("warm %q, cold %q", warm, cold)
	}
}

func TestTheTargetLeavesRoomToTalk(t *testing.T) {
	t.Parallel()
	// System prompt and tools take 60,000: what the conversation has left is less than
	// half of what it usually gets, and so is what a step leaves of it.
	k := at(compact.MomentRequest).with(func(k *looking) { k.system = 60_000 })
	p := k.plan((&tale{}).talks(5).says(1))
	left := p.Used - p.Gain - 60_000
	if p.Trigger != compact.TriggerLoadLine || left < 5000 || left > 16_000 {
		t.Errorf("%q: %d tokens are left beside the prompt", tell(p), left)
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
		"the oldest":                    {(&tale{}).talks(18).pass(drop(2, 4)), "cover 1-22"},
		"in its middle":                 {(&tale{}).talks(18).pass(drop(7, 8)), "cover 1-22"},
		"behind it, where it is newest": {(&tale{}).talks(18).stints(1).pass(omit(38, 39)), "cover 1-22"},
		"behind it, and all the newest": {(&tale{}).talks(18).says(10).reads(4975).pass(omit(38, 39)), "cover 1-22"},
		"pins do not part it":           {(&tale{}).talks(18).pass(conversation.Pin{Events: []uint64{5, 6}}), "cover 1-24"},
		"behind an earlier summary":     {(&tale{}).talks(19).bands(1, 100).pass(drop(4, 5)), "cover 1-1 4-24"},
	} {
		if got := pressed(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestACallThatWasNeverAnsweredIsNotCovered(t *testing.T) {
	t.Parallel()
	l := (&tale{}).talks(3).says(10).asked("lost").talks(14)
	if got := pressed(l); got != "load line: cover 1-7 9-22" {
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

func TestAResultThatCameLongAfterItsCallIsNotEvictedWithoutIt(t *testing.T) {
	t.Parallel()
	l := (&tale{}).talks(2)
	l.add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "late", Name: "read_file", Arguments: "{}"}}, Stop: conversation.StopCalls})
	call := uint64(len(l.events()))
	l.talks(2).add(conversation.ToolResult{CallID: "late", Tool: "read_file", Status: conversation.ResultOK, Text: words(200)})
	result := uint64(len(l.events()))
	l.talks(16).says(1)
	spans := conversation.Disjoint(evictedBy(at(compact.MomentRequest).plan(l)))
	if !spans.Holds(call-1) || !spans.Holds(result+1) {
		t.Fatalf("what stands around both is not evicted: %v", spans)
	}
	if spans.Holds(call) || spans.Holds(result) {
		t.Errorf("a part of the unit is evicted: %v hold e%d or e%d", spans, call, result)
	}
}
