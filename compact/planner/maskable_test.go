package planner_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A view's own list says at once that masks would save too little. It may only
// err on the other side.

func TestWhatMayBeMaskedIsNeverUnderstated(t *testing.T) {
	t.Parallel()
	acted := 0
	rapid.Check(t, func(t *rapid.T) {
		log, rules, sheet := compacttest.WorkedLog(t), compacttest.MaskRules(t), compacttest.Sheets(t)
		v := projection.Project(log)
		m := meter.New(compacttest.MeterOptions(t)).WithView(v)
		gain, behind := planner.Worth(rules, planner.Check{Log: log, View: v, Meter: m}, planner.MaskItems(v, rules, m))
		if gain > 0 {
			acted++
		}
		if bound := planner.Maskable(v, rules, m, math.Inf(1)); bound < gain-1e-6 {
			t.Fatalf("masks save %v, and at most %v", gain, bound)
		}
		if bound := planner.Maskable(v, rules, m, 300); bound < min(gain, 300)-1e-6 {
			t.Fatalf("masks save %v, and at most %v, where 300 are asked about", gain, bound)
		}
		pays := func(gain, behind float64) bool { return 10*sheet.Read*gain > (sheet.Write-sheet.Read)*behind }
		if gain > 1e-6 && pays(gain-1e-6, behind+1e-6) && !planner.MayPay(v, rules, m, pays) {
			t.Fatalf("masks that save %v before %v pay, and it was denied", gain, behind)
		}
	})
	if acted == 0 {
		t.Error("nothing could ever be masked: the test is empty")
	}
}

func TestAGrownViewKnowsAsMuchOfWhatMayBeMasked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log, rules := compacttest.WorkedLog(t), compacttest.MaskRules(t)
		whole, grown := projection.Project(log), projection.Project(nil)
		for at := 0; at < len(log); {
			at = min(len(log), at+rapid.IntRange(1, 9).Draw(t, "events"))
			if rapid.Bool().Draw(t, "another grows on it") {
				other := grown.Extend(log[:at])
				other.Extend(append(log[:at:at], conversation.Event{Seq: uint64(at) + 1, Body: conversation.ToolResult{CallID: "x", Tool: "read_file", Text: compacttest.Words(2000)}}))
			}
			grown = grown.Extend(log[:at])
		}
		m := meter.New(compacttest.MeterOptions(t)).WithView(whole)
		sheet := compacttest.Sheets(t)
		pays := func(gain, behind float64) bool { return 10*sheet.Read*gain > (sheet.Write-sheet.Read)*behind }
		if a, b := planner.Maskable(whole, rules, m, math.Inf(1)), planner.Maskable(grown, rules, m, math.Inf(1)); a != b {
			t.Fatalf("projected %v, extended %v", a, b)
		}
		if a, b := planner.MayPay(whole, rules, m, pays), planner.MayPay(grown, rules, m, pays); a != b {
			t.Fatalf("projected %v, extended %v", a, b)
		}
	})
}

func TestWhatMayBeMaskedIsToldToTheToken(t *testing.T) {
	t.Parallel()
	k := compacttest.At(planner.MomentTurn)
	for name, c := range map[string]struct {
		log  *compacttest.Tale
		want float64
	}{
		// Turn 0's and the newest four results stay.
		"old results":     {(&compacttest.Tale{}).Stints(12).Says(10), 7 * 4802},
		"exempt results":  {(&compacttest.Tale{}).Talks(1).Uses("todo_write", "{}", 30_000).Talks(1).Stints(5).Says(10), 4802},
		"short results":   {(&compacttest.Tale{}).Talks(1).Uses("read_file", "{}", 199).Talks(1).Stints(5).Says(10), 4802},
		"arguments":       {(&compacttest.Tale{}).Talks(1).Says(10).Call("modify_file", `{"a":"`+compacttest.Words(2000)+`"}`, conversation.ResultOK, "").Stints(5).Says(10), 4802 + 2003.75},
		"kept arguments":  {(&compacttest.Tale{}).Talks(1).Says(10).Call("run_command", `{"a":"`+compacttest.Words(2000)+`"}`, conversation.ResultOK, "").Stints(5).Says(10), 4802},
		"masked already":  {(&compacttest.Tale{}).Talks(1).Stints(6).Epoch(compacttest.Masks(5)).Says(10), 4802},
		"pinned":          {(&compacttest.Tale{}).Talks(1).Stints(6).Epoch(conversation.Pin{Events: []uint64{5}}).Says(10), 4802},
		"summarised":      {(&compacttest.Tale{}).Talks(1).Stints(6).Summary(conversation.StylePlimsoll, 2, 6, 0, 1, "s").Says(10), 4802},
		"only the newest": {(&compacttest.Tale{}).Talks(1).Stints(4).Says(10), 0},
		"nothing":         {(&compacttest.Tale{}).Talks(5), 0},
	} {
		check := k.Of(c.log.Events())
		if got := planner.Maskable(check.View, k.Rules, check.Meter, math.Inf(1)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		gain, _ := planner.Worth(k.Rules, check, planner.MaskItems(check.View, k.Rules, check.Meter))
		if math.Abs(gain-c.want) > 0.01 {
			t.Errorf("%s: masks save %v, want %v", name, gain, c.want)
		}
	}
}

func TestWhetherMasksMayPayIsDecidedByTheFirstOfThem(t *testing.T) {
	t.Parallel()
	// Masking from turn 6 on would pay; masking has to begin with turn 1.
	l := (&compacttest.Tale{}).Talks(1).Stints(1).Talks(8).Stints(12).Says(10)
	k := compacttest.At(planner.MomentTurn).With(func(k *compacttest.Look) { k.Options.Window.Tokens = 1_000_000 })
	check := k.Of(l.Events())
	gain, behind := planner.Worth(k.Rules, check, planner.MaskItems(check.View, k.Rules, check.Meter))
	if gain != 9*4802 || behind != 110_010-15-gain-5000 {
		t.Fatalf("gain %v, behind %v", gain, behind)
	}
	for most, want := range map[float64]bool{behind: true, behind - 1: false} {
		asked := 0
		got := planner.MayPay(check.View, k.Rules, check.Meter, func(_, behind float64) bool {
			asked++
			return behind <= most
		})
		if got != want {
			t.Errorf("%v behind, and at most %v: %v", behind, most, got)
		}
		if asked != 1 {
			t.Errorf("%d rows of the list were asked about", asked)
		}
	}
	if !planner.MayPay(projection.View{}, k.Rules, check.Meter, func(_, _ float64) bool { return false }) {
		t.Error("of a view without a list nothing is known")
	}
}
