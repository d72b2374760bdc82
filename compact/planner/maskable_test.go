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
