package replay_test

import (
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// indexed is a summary of events 1 to 5 whose index names what the first result
// of searchConversation held.
func indexed(text string) conversation.Summary {
	return conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Text: text,
		Appendix: summary.NamesTitle + "\ne3: src/deep.go src/known.go", Spans: []conversation.Span{{First: 1, Last: 5}}}
}

func TestNamesThatOnlyAnIndexHoldsAreToldApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		inPlace float64
		lookups int
	}{
		"the index alone":     {"It went well.", 0, 1},
		"the text, too":       {"It went well with src/deep.go.", 1, 1},
		"the text has both":   {"It went well with src/deep.go and src/known.go.", 1, 0},
		"a heading is quoted": {"It said\n" + summary.NamesTitle + "\nand src/deep.go and src/known.go.", 1, 0},
	} {
		f, _ := figuresOf(t, once(3, indexed(c.text)), searchConversation())
		checkNear(t, name+": recall", float64(f.RecallTool), 1)
		checkNear(t, name+": in place", float64(f.RecallInPlace), c.inPlace)
		if f.Lookups != c.lookups {
			t.Errorf("%s: %d lookups, want %d", name, f.Lookups, c.lookups)
		}
	}
	// What the user says stands for itself, whatever it begins with.
	one := (&builder{}).user("go").call("search", "{}", "src/deep.go").reply("ok").user(summary.NamesTitle + "\ne3: src/deep.go").reply("src/deep.go")
	if f, _ := figuresOf(t, once(2, conversation.Drop{Spans: []conversation.Span{{First: 2, Last: 4}}}), one); f.RecallInPlace.IsKnown() || f.RecallAll != 1 || f.Lookups != 0 {
		t.Errorf("the user's own words: %+v", f.RetainedNeeds)
	}
}

func TestNamesInTheMarkerOfACutResultAreAnIndex(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").
		call("read", `{}`, "early/name.go"+text(4000)+" late/name.go").
		call("read", `{}`, "[... content truncated, and whole/name.go").
		reply("early/name.go, late/name.go and whole/name.go")
	cut := func(replay.PolicySetting) replay.Policy {
		return replay.Policy{StoreResult: replay.CutOnArrival(conversation.ArrivalCap{Chars: 1000, DescribesRest: true}, true)}
	}
	f, _ := figuresOf(t, cut, one)
	checkNear(t, "recall", float64(f.RecallTool), 1)
	checkNear(t, "in place", float64(f.RecallInPlace), 2/3.0)
}

// One reply lacks a name and the line that it replaces, which two results hold.
func TestLookingUpIsBilledAsRequests(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").
		call("read", "{}", "first := compute(1)\n"+text(980)).
		call("read", "{}", "src/deep.go "+text(1988)).
		call("edit", `{"path":"src/deep.go","old_string":"first := compute(1)","new_string":"x"}`, "ok").
		reply("done")
	r := replayed(t, 100_000, once(2, mask(conversation.StyleJCLI, 3, 5)), one)
	f, file := r.Totals[preset.Plimsoll], r.Files[0].Policies[preset.Plimsoll]
	if f.Lookups != 2 {
		t.Fatalf("%d lookups, want one for each result", f.Lookups)
	}
	checkNear(t, "served", float64(f.Served), 3/4.0)
	checkNear(t, "served in the middle", float64(f.Medians.Served), 3/4.0)
	checkNear(t, "tokens given back", f.LookupTokens, 250+500)
	// The request that lacks them has 2 + 2 * (6 + 21) characters and is 31 steps
	// of the cache; the smaller result comes first.
	size := 4000 + (2+2*(6+21))/4.0
	hit := 3968.0
	first := hit*0.1 + (size - hit + 50 + 250) + 50*5
	size += 50 + 250
	hit = 33 * 128
	second := hit*0.1 + (size - hit + 50 + 500) + 50*5
	checkNear(t, "cost with debt", f.CostWithDebt["openai"], f.Cost["openai"]+first+second)
	checkNear(t, "that of the file", file.CostWithDebt["openai"], f.CostWithDebt["openai"])
	raw, cut := r.Totals[preset.Raw], r.Totals[preset.Truncate]
	checkNear(t, "cost with debt of raw", raw.CostWithDebt["openai"], raw.Cost["openai"])
	checkNear(t, "to raw", float64(f.CostWithDebtRatio["openai"]), f.CostWithDebt["openai"]/raw.CostWithDebt["openai"])
	checkNear(t, "to truncate", float64(f.CostWithDebtVsTruncate["openai"]), f.CostWithDebt["openai"]/cut.CostWithDebt["openai"])
}

// A lookup brings back what recall gives at a time: a tenth of what is free.
func TestLookupsBringBackWhatRecallGives(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").call("read", "{}", "src/deep.go "+text(80_000)).reply("src/deep.go")
	hidden := once(1, mask(conversation.StyleJCLI, 3))
	used := 4000 + (2+6+21)/4.0
	for window, want := range map[int]float64{0: 8000, 200_000: 8000, 30_000: (30_000 - used) / 10, 5000: 125} {
		f := replayed(t, window, hidden, one).Totals[preset.Plimsoll]
		checkNear(t, "tokens given back", f.LookupTokens, want)
	}
}

// A demand, a decision, an error and an open point are out of view from the third request on; the demand is looked up once.
func TestWhatBindsIsLostInSilence(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("You must keep the port.").
		call("todo_write", `{"todos":[{"content":"close the hatch","status":"pending"},{"content":"load","status":"completed"}]}`, "ok").
		failed("read", "{}", "no such hatch on board").
		call("read", "{}", text(400)).
		reply("It failed because the hatch is open.").user("Go on.").reply("a").user("And on.").reply("b")
	f, _ := figuresOf(t, once(5, conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 8}}}), one)
	// Seen by five requests: 1 + 2 + 3 + 3 + 4 facts that bind; the last one lacks all four.
	checkNear(t, "lost", float64(f.SilentLosses), 4/(1+2+3+3+4+4.0))
	checkNear(t, "demands", float64(f.Instructions), 5/6.0)
	if f.Lookups != 1 {
		t.Errorf("%d lookups, want one for the demand", f.Lookups)
	}
}

func TestStitchedRecordingsAreAlsoLeftOut(t *testing.T) {
	t.Parallel()
	joined := (&builder{}).user("go").reply("done")
	joined.doc.Meta.Stitched = true
	r := replayed(t, 100_000, policy(replay.Policy{}), joined, (&builder{}).user(text(4000)).reply("done"))
	all, whole := r.Totals[preset.Plimsoll], r.Unstitched[preset.Plimsoll]
	checkNear(t, "tokens of the others", whole.TokensSent, 5000)
	checkNear(t, "all tokens", all.TokensSent, 9000.5)
	if r := replayed(t, 100_000, policy(replay.Policy{}), (&builder{}).user("go").reply("done")); r.Unstitched != nil {
		t.Error("without such a recording there are figures of the others")
	}
}
