package planner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// maskedItems lists the results and arguments that a mask would cover.
func maskedItems(l *compacttest.LogBuilder, r preset.Rules, m meter.Meter) []string {
	var out []string
	v := projection.Project(l.Events())
	for _, item := range planner.MaskItems(&v, &r, m, false) {
		text := fmt.Sprintf("e%d", item.Event)
		if item.Call != "" {
			text += " " + item.Call
		}
		out = append(out, text)
	}
	return out
}

// keepNewest returns rules that protect only that many of the newest results.
func keepNewest(results int) preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.Mask.Enabled, r.Mask.KeepResults, r.Mask.KeepTokens, r.Mask.FirstTurnTokens = true, results, 0, 0
	return r
}

func TestMaskItemsSpareNewSmallAndExemptResults(t *testing.T) {
	t.Parallel()
	m := meter.New(compacttest.Window(100_000))
	text := compacttest.NumberedLines(100, "of a file") // 1,292 characters, 323 tokens
	work := func(tools ...string) *compacttest.LogBuilder {
		l := &compacttest.LogBuilder{}
		for i, tool := range tools {
			l.User(fmt.Sprint(i)).Call(tool, `{"path":"a.go"}`, conversation.ResultOK, text)
		}
		return l.User("And now?")
	}
	first := keepNewest(0)
	first.Mask.FirstTurnTokens = 400
	newest := keepNewest(0)
	newest.Mask.KeepTokens = 700 // two results
	for name, c := range map[string]struct {
		log   *compacttest.LogBuilder
		rules preset.Rules
		want  []string
	}{
		"all":                    {work("read_file", "read_file"), keepNewest(0), []string{"e3", "e6"}},
		"but the newest results": {work("read_file", "read_file", "read_file"), keepNewest(1), []string{"e3", "e6"}},
		"but the newest tokens":  {work("read_file", "read_file", "read_file"), newest, []string{"e3"}},
		"but the first turn":     {work("read_file", "read_file"), first, []string{"e6"}},
		"but of exempt tools":    {work("todo_write", "read_file", "load_skill"), keepNewest(0), []string{"e6"}},
		"but of tools that keep": {work("create_file", "read_file"), keepNewest(0), []string{"e6"}},
		"but the current turn":   {(&compacttest.LogBuilder{}).User("x").Call("read_file", `{}`, conversation.ResultOK, text), keepNewest(0), nil},
		"but short ones":         {(&compacttest.LogBuilder{}).User("x").Call("read_file", `{}`, conversation.ResultOK, compacttest.NumberedLines(20, "short")).User("y"), keepNewest(0), nil},
		"but pinned ones":        {work("read_file", "read_file").Add(conversation.Pin{Events: []uint64{3}}), keepNewest(0), []string{"e6"}},
		"but what is hidden":     {work("read_file", "read_file").Add(compacttest.MaskResults(3)), keepNewest(0), []string{"e6"}},
		"but what was recalled":  {work("read_file", conversation.ToolRecall), keepNewest(0), []string{"e3"}},
		"recalled two turns ago": {work("read_file", conversation.ToolRecall, "read_file"), keepNewest(0), []string{"e3", "e6", "e9"}},
		"arguments of tools that say so": {(&compacttest.LogBuilder{}).User("x").Call("modify_file", `{"old":"`+fmt.Sprint(make([]int, 500))+`"}`, conversation.ResultOK, text).User("y"),
			keepNewest(0), []string{"e2 call_1", "e3"}},
	} {
		if d := cmp.Diff(c.want, maskedItems(c.log, c.rules, m)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
	off := keepNewest(0)
	off.Mask.Enabled = false
	if got := maskedItems(work("read_file"), off, m); got != nil {
		t.Errorf("masks are off, but %v is masked", got)
	}
}

// The tests below mask below the load line to save money.

func TestColdMasksFromTwoThousandTokens(t *testing.T) {
	t.Parallel()
	log := func(result int) *compacttest.LogBuilder {
		return (&compacttest.LogBuilder{}).ChatTurns(1).UserTokens(10).ReadTokens(result).UserTokens(10)
	}
	bare := func(k *compacttest.PlannerInput) { k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults = 0, 0 }
	fiveMinutes := planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}
	for name, c := range map[string]struct {
		change func(*compacttest.PlannerInput)
		cold   bool
	}{
		"at once":                   {func(*compacttest.PlannerInput) {}, false},
		"an hour, lifetime unknown": {func(k *compacttest.PlannerInput) { k.Check.Idle = time.Hour }, false},
		"longer":                    {func(k *compacttest.PlannerInput) { k.Check.Idle = time.Hour + time.Second }, true},
		"five minutes of five":      {func(k *compacttest.PlannerInput) { k.Check.Idle, k.Check.Sheet = 5*time.Minute, fiveMinutes }, false},
		"longer than five":          {func(k *compacttest.PlannerInput) { k.Check.Idle, k.Check.Sheet = 301*time.Second, fiveMinutes }, true},
		"another model":             {func(k *compacttest.PlannerInput) { k.Check.CacheInvalid = true }, true},
		"another model, none cheaper": {func(k *compacttest.PlannerInput) {
			k.Check.CacheInvalid, k.Check.Sheet = true, planner.PriceSheet{Read: 1, Write: 1}
		}, true},
		"without masks":              {func(k *compacttest.PlannerInput) { k.Check.CacheInvalid, k.Rules.Mask.Enabled = true, false }, false},
		"little since it was undone": {func(k *compacttest.PlannerInput) { k.Check.CacheInvalid, k.Check.History.UndoneAt = true, 1000 }, false},
		"right after a compaction":   {func(k *compacttest.PlannerInput) { k.Check.CacheInvalid, k.Check.History.After = true, 7000 }, true},
	} {
		for _, m := range []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply} {
			k := compacttest.PlannerInputAt(m).With(bare).With(c.change)
			p, least := k.Plan(log(2173)), k.Plan(log(2172))
			want := ""
			if c.cold && m != planner.MomentReply {
				want = "cold cache: mask e5"
			}
			if describePlan(p) != want || want != "" && (p.Gain != 2000 || p.Rewritten != 173+10) {
				t.Errorf("%s, moment %d: %q, gain %d, rewritten %d", name, m, describePlan(p), p.Gain, p.Rewritten)
			}
			if least.Acts() {
				t.Errorf("%s, moment %d: plan %q for 1,999 tokens, want none", name, m, describePlan(least))
			}
		}
	}
}

func TestWarmMasksWhereTheNextTenRequestsSaveMore(t *testing.T) {
	t.Parallel()
	// A mask saves 20,000 tokens with a stub of 173; S tokens are in the result and after it.
	log := func(s int) *compacttest.LogBuilder {
		return (&compacttest.LogBuilder{}).ChatTurns(1).UserTokens(10).ReadTokens(20_173).ReplyTokens(s - 173 - 10).UserTokens(10)
	}
	bare := func(k *compacttest.PlannerInput) { k.Rules.Mask.KeepTokens, k.Rules.Mask.KeepResults = 0, 0 }
	for name, c := range map[string]struct {
		sheet planner.PriceSheet
		pays  int // the most that may stand behind
	}{
		"a tenth":            {planner.PriceSheet{Read: 0.1, Write: 1}, 22_222},    // 10 * 0.1 * 20,000 / 0.9
		"a tenth, dear":      {planner.PriceSheet{Read: 0.1, Write: 1.25}, 17_391}, // 20,000 / 1.15
		"half":               {planner.PriceSheet{Read: 0.5, Write: 1}, 199_999},   // 100,000 / 0.5
		"no cache":           {planner.PriceSheet{Read: 1, Write: 1}, 300_000},     // nothing is cached again
		"known, and not old": {planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Hour}, 22_222},
	} {
		k := compacttest.PlannerInputAt(planner.MomentTurn).With(bare).With(func(k *compacttest.PlannerInput) {
			k.Check.Sheet, k.Check.Idle, k.Options.Window.Tokens = c.sheet, time.Minute, 1_000_000
		})
		if p := k.Plan(log(c.pays)); describePlan(p) != "stride: mask e5" || p.Gain != 20_000 || p.Rewritten != c.pays {
			t.Errorf("%s: plan %q, gain %d, rewritten %d", name, describePlan(p), p.Gain, p.Rewritten)
		}
		if c.sheet.Read < 1 {
			if p := k.Plan(log(c.pays + 1)); p.Acts() {
				t.Errorf("%s, %d tokens after the mask: plan %q, want none", name, c.pays+1, describePlan(p))
			}
		}
		for _, m := range []planner.Moment{planner.MomentRequest, planner.MomentReply} {
			k.Check.Moment = m
			if p := k.Plan(log(c.pays)); p.Acts() {
				t.Errorf("%s, moment %d: %q", name, m, describePlan(p))
			}
		}
	}
}
