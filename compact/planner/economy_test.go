package planner_test

import (
	"testing"
	"time"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
)

// Masks that nothing forces: where they pay, and what they spare. The figures are
// explained in plan_look_test.go.

func TestMasksPayInTheColdFromTwoThousandTokensOn(t *testing.T) {
	t.Parallel()
	log := func(result int) *compacttest.Tale {
		return (&compacttest.Tale{}).Talks(1).Says(10).Reads(result).Says(10)
	}
	bare := func(k *compacttest.Look) { k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults = 0, 0 }
	fiveMinutes := planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		cold   bool
	}{
		"at once":                      {func(*compacttest.Look) {}, false},
		"an hour, lifetime unknown":    {func(k *compacttest.Look) { k.Check.Idle = time.Hour }, false},
		"longer":                       {func(k *compacttest.Look) { k.Check.Idle = time.Hour + time.Second }, true},
		"five minutes of five":         {func(k *compacttest.Look) { k.Check.Idle, k.Check.Sheet = 5*time.Minute, fiveMinutes }, false},
		"longer than five":             {func(k *compacttest.Look) { k.Check.Idle, k.Check.Sheet = 5*time.Minute+time.Second, fiveMinutes }, true},
		"another model":                {func(k *compacttest.Look) { k.Check.Gone = true }, true},
		"another model, none cheaper":  {func(k *compacttest.Look) { k.Check.Gone, k.Check.Sheet = true, planner.PriceSheet{Read: 1, Write: 1} }, true},
		"without masks":                {func(k *compacttest.Look) { k.Check.Gone, k.Rules.Mask.Enabled = true, false }, false},
		"little since it was undone":   {func(k *compacttest.Look) { k.Check.Gone, k.Check.Past.Undone = true, 1000 }, false},
		"right after the pass of then": {func(k *compacttest.Look) { k.Check.Gone, k.Check.Past.After = true, 7000 }, true},
	} {
		for _, m := range []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply} {
			k := compacttest.At(m).With(bare).With(c.change)
			p, least := k.Plan(log(2173)), k.Plan(log(2172))
			want := ""
			if c.cold && m != planner.MomentReply {
				want = "cold cache: mask e5"
			}
			if compacttest.Tell(p) != want || want != "" && (p.Gain != 2000 || p.Behind != 173+10) {
				t.Errorf("%s, moment %d: %q, gain %d, behind %d", name, m, compacttest.Tell(p), p.Gain, p.Behind)
			}
			if least.Acts() {
				t.Errorf("%s, moment %d: %q for 1,999 tokens", name, m, compacttest.Tell(least))
			}
		}
	}
}

func TestMasksPayInTheWarmWhereTheNextTenRequestsSaveMore(t *testing.T) {
	t.Parallel()
	// A result that saves 20,000 as a stub of 173, with S tokens behind and in it.
	log := func(s int) *compacttest.Tale {
		return (&compacttest.Tale{}).Talks(1).Says(10).Reads(20_173).Answers(s - 173 - 10).Says(10)
	}
	bare := func(k *compacttest.Look) { k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults = 0, 0 }
	for name, c := range map[string]struct {
		sheet planner.PriceSheet
		pays  int // the most that may stand behind
	}{
		"a tenth":            {planner.PriceSheet{Read: 0.1, Write: 1}, 22_222},    // 10 * 0.1 * 20,000 / 0.9
		"a tenth, dear":      {planner.PriceSheet{Read: 0.1, Write: 1.25}, 17_391}, // 20,000 / 1.15
		"half":               {planner.PriceSheet{Read: 0.5, Write: 1}, 199_999},   // 100,000 / 0.5
		"no cache":           {planner.PriceSheet{Read: 1, Write: 1}, 300_000},     // nothing is written anew
		"known, and not old": {planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Hour}, 22_222},
	} {
		k := compacttest.At(planner.MomentTurn).With(bare).With(func(k *compacttest.Look) {
			k.Check.Sheet, k.Check.Idle, k.Options.Window.Tokens = c.sheet, time.Minute, 1_000_000
		})
		if p := k.Plan(log(c.pays)); compacttest.Tell(p) != "stride: mask e5" || p.Gain != 20_000 || p.Behind != c.pays {
			t.Errorf("%s: %q, gain %d, behind %d", name, compacttest.Tell(p), p.Gain, p.Behind)
		}
		if c.sheet.Read < 1 {
			if p := k.Plan(log(c.pays + 1)); p.Acts() {
				t.Errorf("%s, %d behind: %q", name, c.pays+1, compacttest.Tell(p))
			}
		}
		for _, m := range []planner.Moment{planner.MomentRequest, planner.MomentReply} {
			k.Check.Moment = m
			if p := k.Plan(log(c.pays)); p.Acts() {
				t.Errorf("%s, moment %d: %q", name, m, compacttest.Tell(p))
			}
		}
	}
}
