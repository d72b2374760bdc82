package compact_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// A view's own list says at once that masks would save too little. It may only
// err on the other side.

// maskRules draws rules of masks for short logs.
func maskRules(t *rapid.T) preset.Rules {
	r := planRules()
	r.Mask = preset.MaskRules{
		Enabled:         true,
		KeepTokens:      rapid.SampledFrom([]int{0, 200, 2000, 20_000}).Draw(t, "keep tokens"),
		KeepResults:     rapid.IntRange(0, 4).Draw(t, "keep results"),
		FirstTurnTokens: rapid.SampledFrom([]int{0, 500, 3000}).Draw(t, "first turn"),
		Stride:          rapid.SampledFrom([]int{100, 1000, 5000}).Draw(t, "stride"),
		Preview:         rapid.SampledFrom([]int{250, 0, 30, 5000}).Draw(t, "preview"),
		MinChars:        rapid.SampledFrom([]int{800, 193, 192, 0}).Draw(t, "min chars"),
	}
	r.Planner.ColdTokens = rapid.SampledFrom([]int{100, 500, 2000}).Draw(t, "cold")
	return r
}

// meterOptions draws what weighs a short log.
func meterOptions(t *rapid.T) meter.Options {
	o := meter.Options{
		Window: meter.Window{Tokens: rapid.SampledFrom([]int{4000, 1500, 20_000, 0, 400_000}).Draw(t, "window")},
		Plain:  rapid.Bool().Draw(t, "plain"),
	}
	if !o.Plain {
		o.Calibration = conversation.Calibration{Factor: rapid.SampledFrom([]float64{1, 0.25, 1.37, 4}).Draw(t, "factor"), Samples: 5}
	}
	return o
}

// sheets draws what a provider takes.
func sheets(t *rapid.T) compact.PriceSheet {
	return compact.PriceSheet{
		Read:     rapid.SampledFrom([]float64{0.1, 0.5, 1, 0.02}).Draw(t, "read"),
		Write:    rapid.SampledFrom([]float64{1, 1.25, 2}).Draw(t, "write"),
		Lifetime: rapid.SampledFrom([]time.Duration{0, 5 * time.Minute}).Draw(t, "lifetime"),
	}
}

// worked draws a log with masks of the rules' own in it, and turns behind them.
func workedLog(t *rapid.T) []conversation.Event {
	w := conversationtest.NewWriter(t, ownLog(t))
	for range rapid.IntRange(0, 3).Draw(t, "further turns") {
		w.Turn(t)
	}
	return w.Events()
}

func TestWhatMayBeMaskedIsNeverUnderstated(t *testing.T) {
	t.Parallel()
	acted := 0
	rapid.Check(t, func(t *rapid.T) {
		log, rules, sheet := workedLog(t), maskRules(t), sheets(t)
		v := projection.Project(log)
		m := meter.New(meterOptions(t)).WithView(v)
		gain, behind := compact.Worth(rules, compact.Check{Log: log, View: v, Meter: m}, compact.MaskItems(v, rules, m))
		if gain > 0 {
			acted++
		}
		if bound := compact.Maskable(v, rules, m, math.Inf(1)); bound < gain-1e-6 {
			t.Fatalf("masks save %v, and at most %v", gain, bound)
		}
		if bound := compact.Maskable(v, rules, m, 300); bound < min(gain, 300)-1e-6 {
			t.Fatalf("masks save %v, and at most %v, where 300 are asked about", gain, bound)
		}
		pays := func(gain, behind float64) bool { return 10*sheet.Read*gain > (sheet.Write-sheet.Read)*behind }
		if gain > 1e-6 && pays(gain-1e-6, behind+1e-6) && !compact.MayPay(v, rules, m, pays) {
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
		log, rules := workedLog(t), maskRules(t)
		whole, grown := projection.Project(log), projection.Project(nil)
		for at := 0; at < len(log); {
			at = min(len(log), at+rapid.IntRange(1, 9).Draw(t, "events"))
			if rapid.Bool().Draw(t, "another grows on it") {
				other := grown.Extend(log[:at])
				other.Extend(append(log[:at:at], conversation.Event{Seq: uint64(at) + 1, Body: conversation.ToolResult{CallID: "x", Tool: "read_file", Text: words(2000)}}))
			}
			grown = grown.Extend(log[:at])
		}
		m := meter.New(meterOptions(t)).WithView(whole)
		sheet := sheets(t)
		pays := func(gain, behind float64) bool { return 10*sheet.Read*gain > (sheet.Write-sheet.Read)*behind }
		if a, b := compact.Maskable(whole, rules, m, math.Inf(1)), compact.Maskable(grown, rules, m, math.Inf(1)); a != b {
			t.Fatalf("projected %v, extended %v", a, b)
		}
		if a, b := compact.MayPay(whole, rules, m, pays), compact.MayPay(grown, rules, m, pays); a != b {
			t.Fatalf("projected %v, extended %v", a, b)
		}
	})
}

func TestWhatMayBeMaskedIsToldToTheToken(t *testing.T) {
	t.Parallel()
	k := at(compact.MomentTurn)
	for name, c := range map[string]struct {
		log  *tale
		want float64
	}{
		// Turn 0's and the newest four results stay.
		"old results":     {(&tale{}).stints(12).says(10), 7 * 4802},
		"exempt results":  {(&tale{}).talks(1).uses("todo_write", "{}", 30_000).talks(1).stints(5).says(10), 4802},
		"short results":   {(&tale{}).talks(1).uses("read_file", "{}", 199).talks(1).stints(5).says(10), 4802},
		"arguments":       {(&tale{}).talks(1).says(10).call("modify_file", `{"a":"`+words(2000)+`"}`, conversation.ResultOK, "").stints(5).says(10), 4802 + 2003.75},
		"kept arguments":  {(&tale{}).talks(1).says(10).call("run_command", `{"a":"`+words(2000)+`"}`, conversation.ResultOK, "").stints(5).says(10), 4802},
		"masked already":  {(&tale{}).talks(1).stints(6).pass(masks(5)).says(10), 4802},
		"pinned":          {(&tale{}).talks(1).stints(6).pass(conversation.Pin{Events: []uint64{5}}).says(10), 4802},
		"summarised":      {(&tale{}).talks(1).stints(6).summary(conversation.StylePlimsoll, 2, 6, 0, 1, "s").says(10), 4802},
		"only the newest": {(&tale{}).talks(1).stints(4).says(10), 0},
		"nothing":         {(&tale{}).talks(5), 0},
	} {
		check := k.of(c.log.events())
		if got := compact.Maskable(check.View, k.rules, check.Meter, math.Inf(1)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		gain, _ := compact.Worth(k.rules, check, compact.MaskItems(check.View, k.rules, check.Meter))
		if math.Abs(gain-c.want) > 0.01 {
			t.Errorf("%s: masks save %v, want %v", name, gain, c.want)
		}
	}
}

func TestWhetherMasksMayPayIsDecidedByTheFirstOfThem(t *testing.T) {
	t.Parallel()
	// Masking from turn 6 on would pay; masking has to begin with turn 1.
	l := (&tale{}).talks(1).stints(1).talks(8).stints(12).says(10)
	k := at(compact.MomentTurn).with(func(k *looking) { k.options.Window.Tokens = 1_000_000 })
	check := k.of(l.events())
	gain, behind := compact.Worth(k.rules, check, compact.MaskItems(check.View, k.rules, check.Meter))
	if gain != 9*4802 || behind != 110_010-15-gain-5000 {
		t.Fatalf("gain %v, behind %v", gain, behind)
	}
	for most, want := range map[float64]bool{behind: true, behind - 1: false} {
		asked := 0
		got := compact.MayPay(check.View, k.rules, check.Meter, func(_, behind float64) bool {
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
	if !compact.MayPay(projection.View{}, k.rules, check.Meter, func(_, _ float64) bool { return false }) {
		t.Error("of a view without a list nothing is known")
	}
}
