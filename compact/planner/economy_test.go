package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
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

func TestTheStrideIsTwentyThousandOrAFifthOfTheWindow(t *testing.T) {
	t.Parallel()
	free := func(k *compacttest.Look) {
		k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults, k.Check.Sheet = 0, 0, planner.PriceSheet{Read: 1, Write: 1}
	}
	for window, stride := range map[int]int{1_000_000: 20_000, 100_000: 20_000, 50_000: 10_000} {
		k := compacttest.At(planner.MomentTurn).With(free).With(func(k *compacttest.Look) { k.Options.Window.Tokens = window })
		if p := k.Plan((&compacttest.Tale{}).Says(10).Says(10).Reads(stride + 173).Says(10)); compacttest.Tell(p) != "stride: mask e4" {
			t.Errorf("%d of %d: %q", stride, window, compacttest.Tell(p))
		}
		if p := k.Plan((&compacttest.Tale{}).Says(10).Says(10).Reads(stride + 172).Says(10)); p.Acts() {
			t.Errorf("one less of %d: %q", window, compacttest.Tell(p))
		}
	}
}

func TestAnUndoneSavingIsNotMadeAgainAtOnce(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(12).Says(10)
	k := compacttest.At(planner.MomentTurn).With(func(k *compacttest.Look) { k.Check.Gone = true })
	for undone, want := range map[int]string{0: "cold cache", 40_010: "cold cache", 40_011: ""} {
		k.Check.Past.Undone = undone
		if p := k.Plan(l); p.Trigger != want {
			t.Errorf("taken back at %d, now at 60,010: %q", undone, compacttest.Tell(p))
		}
	}
}

func TestMasksSpareWhatTheRulesProtect(t *testing.T) {
	t.Parallel()
	cold := func(k *compacttest.Look) { k.Check.Gone, k.Rules.Planner.ColdTokens = true, 1 }
	alone := func(r *preset.MaskRules) { r.KeepTokens, r.KeepResults, r.FirstTurnTokens = 0, 0, 0 }
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		log    *compacttest.Tale
		want   string
	}{
		"the newest 20,000 tokens": {func(*compacttest.Look) {}, (&compacttest.Tale{}).Talks(1).Stints(8), "e5 e9 e13 e17"},
		"a quarter of the window":  {func(k *compacttest.Look) { k.Options.Window.Tokens, k.Rules.Mask.KeepResults = 50_000, 0 }, (&compacttest.Tale{}).Talks(1).Stints(6), "e5 e9 e13 e17"},
		"the newest three results": {func(k *compacttest.Look) { k.Rules.Mask.KeepTokens = 0 }, (&compacttest.Tale{}).Talks(1).Stints(5), "e5 e9"},
		"the current turn below a quarter": {func(k *compacttest.Look) { alone(&k.Rules.Mask) },
			(&compacttest.Tale{}).Says(10).Reads(4975).Says(24_979 - 4980).Reads(4975), "e3"},
		"not the current turn from a quarter on": {func(k *compacttest.Look) { alone(&k.Rules.Mask) },
			(&compacttest.Tale{}).Says(10).Reads(4975).Says(25_000 - 4980).Reads(4975), "e3 e6"},
		"the first turn's up to 20,000 tokens": {func(k *compacttest.Look) { alone(&k.Rules.Mask); k.Rules.Mask.FirstTurnTokens = 20_000 },
			(&compacttest.Tale{}).Says(10).Reads(15_000).Reads(6000).Reads(5000).Reads(1000).Says(10), "e5 e9"},
		"exempt tools": {func(k *compacttest.Look) { alone(&k.Rules.Mask) },
			(&compacttest.Tale{}).Says(10).Uses("todo_write", "{}", 3000).Uses("load_skill", "{}", 3000).Uses("ask_user", "{}", 3000).Uses("task", "{}", 3000).
				Uses("run_command", "{}", 3000).Says(10), "e11"},
		"what was recalled in this turn and the last": {func(k *compacttest.Look) { alone(&k.Rules.Mask) },
			(&compacttest.Tale{}).Says(10).Uses(conversation.ToolRecall, "{}", 3000).Says(10).Uses(conversation.ToolRecall, "{}", 3000).Says(10), "e3"},
	} {
		got := compacttest.Tell(compacttest.At(planner.MomentRequest).With(cold).With(c.change).Plan(c.log))
		if want := "cold cache: mask " + c.want; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Some servers number the calls of every reply anew.
func TestCallsThatShareAnIdWithARecallAreMaskedAllTheSame(t *testing.T) {
	t.Parallel()
	l := &compacttest.Tale{}
	for i := range 6 {
		tool := "read_file"
		if i == 5 {
			tool = conversation.ToolRecall
		}
		l.Says(10).Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "call_0", Name: tool, Arguments: "{}"}}},
			conversation.ToolResult{CallID: "call_0", Tool: tool, Text: compacttest.Words(3000)})
	}
	k := compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) {
		k.Check.Gone, k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults, k.Rules.Mask.FirstTurnTokens = true, 0, 0, 0
	})
	if got := compacttest.Tell(k.Plan(l)); got != "cold cache: mask e3 e6 e9 e12 e15" {
		t.Errorf("%q", got)
	}
}

func TestATextThatManyPointToIsLeftStanding(t *testing.T) {
	t.Parallel()
	// 3,000 characters and pointers of 150 to it, or stubs of about 650 each.
	log := func(pointers int) *compacttest.Tale {
		l := (&compacttest.Tale{}).Says(10).Reads(750)
		text := compacttest.Words(750)
		for i := range pointers {
			id := fmt.Sprint("again_", i)
			l.Says(10).Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: "{}"}}},
				conversation.ToolResult{CallID: id, Tool: "read_file", Text: text, Repeats: 3})
		}
		return l.Says(10)
	}
	k := compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) {
		k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults, k.Rules.Mask.FirstTurnTokens = 0, 0, 0
		k.Check.Gone, k.Rules.Planner.ColdTokens = true, 100
	})
	few := log(3)
	p := k.Plan(few)
	if compacttest.Tell(p) != "cold cache: mask e3 e6 e9 e12" {
		t.Errorf("three pointers: %q", compacttest.Tell(p))
	}
	before := k.Of(few.Events()).Meter.EstimatedTokens()
	if saved := before - k.Of(few.Epoch(p.Masks...).Events()).Meter.EstimatedTokens(); saved < p.Gain || saved > p.Gain+50 {
		t.Errorf("%d tokens went, and it said %d", saved, p.Gain)
	}
	if got := compacttest.Tell(k.Plan(log(9))); got != "" {
		t.Errorf("nine pointers: %q", got)
	}
}

func TestWhatMasksSaveIsNotOverstatedForWideScripts(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Says(10).Call("read_file", "{}", conversation.ResultOK, strings.Repeat("漢", 3000)).Says(10)
	k := compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) {
		k.Options.Plain, k.Check.Gone = false, true
		k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults, k.Rules.Mask.FirstTurnTokens = 0, 0, 0
	})
	before := k.Of(l.Events())
	p := before.Plan(k.Rules)
	if !p.Acts() {
		t.Fatal("nothing is done")
	}
	saved := before.Meter.EstimatedTokens() - k.Of(l.Epoch(p.Masks...).Events()).Meter.EstimatedTokens()
	if p.Gain < saved-100 || p.Gain > saved {
		t.Errorf("%d tokens went, and it said %d", saved, p.Gain)
	}
}

func TestDefaultSheetIsTheCommonest(t *testing.T) {
	t.Parallel()
	s := planner.DefaultSheet()
	if d := cmp.Diff(planner.PriceSheet{Read: 0.1, Write: 1}, s); d != "" {
		t.Error(d)
	}
	if s.Cold(time.Hour) || !s.Cold(time.Hour+1) {
		t.Error("of an unknown lifetime it is an hour")
	}
}
