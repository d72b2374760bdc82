package replay_test

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// checkNear compares costs.
func checkNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6) { // NaN is near nothing
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestRequestsCountTheOverheadAndEarlierMessages(t *testing.T) {
	t.Parallel()
	// Requests: 4000 + (40 + 10)/4; that and (6+7+20)/4.
	one := (&builder{}).system(text(40)).user(text(10)).call("lookup", `{"a":1}`, text(20)).reply("bye")
	f := replayed(t, 100_000, policy(replay.Policy{}), one).Totals[preset.Plimsoll]
	first := 4000 + 50/4.0
	second := first + 33/4.0
	checkNear(t, "tokens sent", f.TokensSent, first+second)
	checkNear(t, "peak", f.TokensPeak, second)
	checkNear(t, "95th percentile", f.TokensP95, second)
	// 4012.5 tokens in common are 31 steps: 3968.
	checkNear(t, "openai", f.Cost["openai"], first+3968*0.1+(second-3968))
	checkNear(t, "anthropic-1h", f.Cost["anthropic-1h"], 2*first+3968*0.1+2*(second-3968))
	if f.PrefixBreaks != 0 || f.Overflow != 0 || f.Violations != 0 || f.Summaries != 0 {
		t.Errorf("the figures of raw are %+v, want no break, overflow or violation", f)
	}
}

func TestCachesLiveForTheirTime(t *testing.T) {
	t.Parallel()
	// The gap is from the reply before to the message that is answered.
	one := timed().user(text(4)).later(time.Hour).reply("a").later(6 * time.Minute).user(text(4)).later(time.Hour).reply("b")
	f := replayed(t, 100_000, policy(replay.Policy{}), one).Totals[preset.Plimsoll]
	first, second := 4001.0, 4002.25
	checkNear(t, "anthropic-5m is cold", f.Cost["anthropic-5m"], 1.25*(first+second))
	checkNear(t, "openai is warm", f.Cost["openai"], first+0.1*3968+second-3968)
	checkNear(t, "gpt-4o is warm", f.Cost["gpt-4o"], first+0.5*3968+second-3968)
	checkNear(t, "gpt-5.6 is warm", f.Cost["gpt-5.6"], 1.25*first+0.1*3968+1.25*(second-3968))
}

func TestPrefixesAreReadInStepsFromALeastLengthOn(t *testing.T) {
	t.Parallel()
	s := replay.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Minute}
	for _, c := range []struct{ prefix, want float64 }{
		{0, 2000}, {1023.75, 2000}, {1024, 2000 - 0.9*1024}, {1151.75, 2000 - 0.9*1024}, {1152, 2000 - 0.9*1152},
	} {
		checkNear(t, "the cost", replay.RequestCost(s, 2000, c.prefix, time.Minute), c.want)
	}
	checkNear(t, "a cold one", replay.RequestCost(s, 2000, 2000, time.Minute+1), 2000)
	s.Step, s.StepFactor = 1999, 2
	checkNear(t, "one above the price step", replay.RequestCost(s, 2000, 1024, 0), 2*(2000-0.9*1024))
	checkNear(t, "one at the price step", replay.RequestCost(s, 1999, 0, 0), 1999)
}

func TestBreaksAreRequestsWithAShorterPrefix(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user(text(8)).call("t", "{}", text(4000)).call("t", "{}", text(4000)).reply("done")
	r := replayed(t, 100_000, once(2, mask(conversation.StyleJCLI, 3)), one)
	f, file := r.Totals[preset.Plimsoll], r.Files[0].Policies[preset.Plimsoll]
	if f.PrefixBreaks != 1 {
		t.Errorf("%d breaks, want 1", f.PrefixBreaks)
	}
	// In common are the message of the user and the first call: 8 + 3 characters.
	// Of the request before 4000 are behind that, and the stub has 18: "[Previous: used t]".
	checkNear(t, "rewritten tokens", file.Rewritten, 1000)
	sizes := []float64{4002, 4002 + 4003/4.0, 4002 + (3+18+3+4000)/4.0}
	checkNear(t, "tokens sent", f.TokensSent, sizes[0]+sizes[1]+sizes[2])
	// 4002.75 tokens are 31 steps.
	hit := 3968.0
	checkNear(t, "openai", f.Cost["openai"], sizes[0]+(sizes[1]-0.9*hit)+(sizes[2]-0.9*hit))
}

func TestCommonPrefixesEndWithinAMessage(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user(text(8)).call("t", "{}", "日本"+text(1998)).reply("a").user("more").reply("b")
	// A cap keeps the first 1,000 characters.
	cap := conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 1000, Tail: 0}}}
	r := replayed(t, 100_000, once(2, cap), one)
	if got := r.Totals[preset.Plimsoll].PrefixBreaks; got != 1 {
		t.Fatalf("%d breaks, want 1", got)
	}
	// Of the request before, 1,000 characters of the result are behind it.
	checkNear(t, "rewritten tokens", r.Files[0].Policies[preset.Plimsoll].Rewritten, 1000/4.0)
}

func TestSummaryCallsCost(t *testing.T) {
	t.Parallel()
	calls := func(view bool) replay.PolicyMaker {
		return policy(replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
			if l.First || l.TurnEnd {
				return replay.Decision{}, nil
			}
			return replay.Decision{SummaryCalls: []replay.SummaryCall{{Input: 1000, Output: 20, View: view}}}, nil
		}})
	}
	one := timed().user(text(8)).reply("a").later(7 * time.Minute).user("x").reply("b")
	for _, c := range []struct {
		view         bool
		warm, cold   float64
		input, count float64
	}{{false, 1000 + 100, 1000 + 100, 1000, 1}, {true, 100 + 100, 1000 + 100, 1000, 1}} {
		r := replayed(t, 100_000, calls(c.view), one)
		f, raw := r.Totals[preset.Plimsoll], r.Totals[preset.Raw]
		checkNear(t, "a warm call", f.Cost["openai"]-raw.Cost["openai"], c.warm)
		checkNear(t, "a cold call", f.Cost["anthropic-5m"]-raw.Cost["anthropic-5m"], c.cold)
		checkNear(t, "the input", r.Files[0].Policies[preset.Plimsoll].SummaryInput, c.input)
		checkNear(t, "the number of calls", float64(f.Summaries), c.count)
	}
}

func TestOverflowIsAboveTheWindow(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user(text(4000)).reply("").reply(text(4)).user("xxxx").reply("b")
	// Requests of 5,000 and 5,002 tokens.
	for window, want := range map[int]int{5002: 0, 5001: 1, 5000: 1, 4999: 2} {
		if got := replayed(t, window, policy(replay.Policy{}), one).Totals[preset.Plimsoll].Overflow; got != want {
			t.Errorf("in a window of %d %d requests are above it, want %d", window, got, want)
		}
	}
}

func TestNothingInARefusedRequestIsInView(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("see src/main.go " + text(4000)).reply("fine").user("and?").reply("src/main.go is ready")
	idle := func(replay.PolicyInput) (replay.Decision, error) { return replay.Decision{}, nil }
	for window, want := range map[int]replay.Ratio{10_000: 1, 3000: 0} {
		r := replayed(t, window, policy(replay.Policy{Decide: idle}), one)
		if own, raw := r.Totals[preset.Plimsoll], r.Totals[preset.Raw]; own.RecallAll != want || own.Served != want || raw.RecallAll != 1 {
			t.Errorf("in a window of %d, %v in view and %v served, want %v; raw has %v in view", window, own.RecallAll, own.Served, want, raw.RecallAll)
		}
	}
}

// doubles is a policy that has a summary made for nothing before every request but the first.
func doubles(replay.PolicySetting) replay.Policy {
	return replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
		if l.First || l.TurnEnd {
			return replay.Decision{}, nil
		}
		return replay.Decision{SummaryCalls: []replay.SummaryCall{{Input: 1000}}}, nil
	}}
}

func TestSessionsAreComparedWithRawOrTruncate(t *testing.T) {
	t.Parallel()
	small := (&builder{}).user(text(4)).reply("a").user("x").reply("b")
	single := (&builder{}).user(text(4)).reply("a")
	large := (&builder{}).user(text(4)).call("t", "{}", text(8000)).call("t", "{}", text(8000)).reply("c")
	r := replayed(t, 7000, doubles, small, single, large)
	if fits := []bool{r.Files[0].Fits, r.Files[1].Fits, r.Files[2].Fits}; fits[0] != true || fits[1] != true || fits[2] != false {
		t.Fatalf("the recordings fit %v, want true, true, false", fits)
	}
	if r := replayed(t, 4001, doubles, single); !r.Files[0].Fits {
		t.Error("a recording that exactly fills the window does not fit")
	}
	f, raw, cut := r.Totals[preset.Plimsoll], r.Totals[preset.Raw], r.Totals[preset.Truncate]
	const s = "openai"
	if f.SessionsWorse[s] != 1 || raw.SessionsWorse[s] != 0 {
		t.Errorf("%d sessions are worse, and %d of raw", f.SessionsWorse[s], raw.SessionsWorse[s])
	}
	costOf := func(file int, p preset.Name) float64 { return r.Files[file].Policies[p].Cost[s] }
	checkNear(t, "the worst that fits", float64(f.WorstFit[s]), costOf(0, preset.Plimsoll)/costOf(0, preset.Raw))
	checkNear(t, "the worst that does not", float64(f.WorstOver[s]), costOf(2, preset.Plimsoll)/costOf(2, preset.Truncate))
	checkNear(t, "the cost to raw", float64(f.CostRatio[s]), f.Cost[s]/raw.Cost[s])
	checkNear(t, "the cost to truncate", float64(f.CostVsTruncate[s]), f.Cost[s]/cut.Cost[s])
	if over := r.Files[0].Policies[preset.Plimsoll].WorstOver[s]; over.IsKnown() {
		t.Errorf("a session that fits is compared with truncate: %v", over)
	}
	if costOf(2, preset.Truncate) >= costOf(2, preset.Raw) {
		t.Error("truncate is no cheaper where it acts")
	}
}

func TestEachSheetIsPlannedAndBilledInTurn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string // sheets are planned for beside each other
	perSheet := func(s replay.PolicySetting) replay.Policy {
		mu.Lock()
		seen = append(seen, s.Sheet.Name)
		mu.Unlock()
		output := float64(len(s.Sheet.Name)) // a call that costs as much as the name is long
		return replay.Policy{UsesPrices: true, Decide: func(l replay.PolicyInput) (replay.Decision, error) {
			return replay.Decision{SummaryCalls: []replay.SummaryCall{{Output: output / 5}}}, nil
		}}
	}
	one := (&builder{}).user(text(4)).reply("a")
	r := replayed(t, 7000, perSheet, one)
	want := []string{"anthropic-5m", "openai", "gpt-4o", "anthropic-1h", "gpt-5.6"}
	slices.Sort(seen)
	if d := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Compact(seen)); d != "" {
		t.Errorf("planned for:\n%s", d)
	}
	f, raw := r.Totals[preset.Plimsoll], r.Totals[preset.Raw]
	for _, name := range want {
		checkNear(t, "what "+name+" adds", f.Cost[name]-raw.Cost[name], float64(len(name)))
	}
	if f.Summaries != 1 {
		t.Errorf("%d summaries, want those of one plan", f.Summaries)
	}
}
