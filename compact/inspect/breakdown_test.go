package inspect_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// plainCheck is a look at a log by the meter of the planner's tests, which has
// four characters to a token.
func plainCheck(l *compacttest.Tale) (preset.Rules, planner.Check) {
	k := compacttest.At(planner.MomentReply)
	return k.Rules, k.Of(l.Events())
}

func TestSavingsAddUpToWhatWasSaid(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	missing := unseen(kinds, "masks", "caps", "summaries", "drops", "reasoning", "arguments", "pointers", "turns undone")
	checkUntil(t, missing, func(t *rapid.T) {
		log := conversationtest.WithOverlays(t, compacttest.AnyLog(t))
		r, c := compacttest.AnyCheck(t, log)
		o := compacttest.MeterOptions(t)
		o.EchoReasoning = rapid.Bool().Draw(t, "echo")
		o.Plain = false
		c.Meter = meter.New(o).WithView(c.View)
		var all projection.Sizes
		for _, e := range log {
			switch b := e.Body.(type) {
			case conversation.UserMessage:
				all.Add(projection.User, b.Size)
			case conversation.ToolResult:
				all.Add(projection.Results, b.Size)
			case conversation.AssistantMessage:
				all.Add(projection.Assistant, b.Size)
				for _, call := range b.Calls {
					all.Add(projection.Calls, call.Size)
				}
				if b.Reasoning != "" {
					all.Add(projection.Reasoning, b.ReasoningSize)
				}
			}
		}
		want := c.Meter.WithView(projection.View{Sizes: all}).EstimatedTokens() - c.Meter.EstimatedTokens()
		got, a := 0, inspect.NewBreakdown(r, c, nil)
		for _, s := range a.Savings {
			kinds[s.Kind]++
			got += s.Tokens
		}
		if math.Abs(float64(got-want)) > 10 { // each kind is rounded
			t.Fatalf("%d tokens are saved, and %+v add up to %d", want, a.Savings, got)
		}
	})
}

func TestWhatIsHeaviestIsNamed(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("\n Look at this.\n"+compacttest.Words(50)).Uses("read_file", `{"path":"hull/deck.go"}`, 400).
		Uses("grep_files", `{"pattern":"anchor","path":"hull"}`, 300).Call("create_file", `{"path":"a.go","content":"`+compacttest.Words(250)+`"}`, conversation.ResultOK, "created").
		Reply("Here it is.\nAll of it."+compacttest.Words(100)).Uses("make_coffee", `{"sugar":2}`, 80)
	_, c := plainCheck(l)
	c.Meter = c.Meter.WithPrompt(conversation.Size{ASCII: 4 * 500}, conversation.Size{ASCII: 4 * 70})
	a := inspect.NewBreakdown(compacttest.PlanRules(), c, nil)
	var got []string
	for i, item := range a.Heaviest {
		if i > 0 && item.Tokens > a.Heaviest[i-1].Tokens {
			t.Errorf("%+v is heavier than the one above", item)
		}
		if item.Before != item.Tokens || item.State != projection.StateVerbatim {
			t.Errorf("%+v is as it was said", item)
		}
		got = append(got, item.Kind.String()+": "+item.Label)
	}
	want := []string{"system: system prompt", "results: read_file hull/deck.go", "results: grep_files anchor in hull", "calls: create_file a.go",
		"assistant: Here it is.", "results: make_coffee", "tools: tools", "user: Look at this.", "calls: grep_files anchor in hull", "calls: read_file hull/deck.go"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if a.Estimated != c.Meter.EstimatedTokens() || a.Estimated < 1500 {
		t.Errorf("all is %d tokens", a.Estimated)
	}
	if a.Heaviest[0].Event != 0 || a.Heaviest[1].Event != 3 || a.Heaviest[1].Tokens != 400 {
		t.Errorf("%+v", a.Heaviest[:2])
	}
}

func TestTheHeaviestSayWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(6)
	l.Add(conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 250,
		Items: []conversation.MaskItem{{Event: 11, Part: conversation.PartResult}}})
	l.Add(conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Spans: []conversation.Span{compacttest.Span(1, 8)}, FromTurn: 0, ToTurn: 1, Text: compacttest.Words(900)})
	l.Add(conversation.Drop{Spans: []conversation.Span{compacttest.Span(21, 24)}})
	_, c := plainCheck(l)
	a := inspect.NewBreakdown(compacttest.PlanRules(), c, nil)
	found := map[string]inspect.Item{}
	for _, item := range a.Heaviest {
		found[string(item.State)] = item
	}
	if s := found["summarised"]; s.Label != "summary of turns 0–1" || s.Before != 10_000 || s.Tokens < 900 || s.Tokens > 1000 || s.Kind != projection.Summary {
		t.Errorf("%+v", s)
	}
	if s := found["masked"]; s.Label != "read_file" || s.Before != 4975 || s.Tokens > 200 || s.Event != 11 || s.Why == "" || s.Kind != projection.Stubs {
		t.Errorf("%+v", s)
	}
	if s := found["dropped"]; s.Label != "turn 5, left out" || s.Before != 5000 {
		t.Errorf("%+v", s)
	}
	if a.Events != 24 || a.Messages != len(c.View.Messages) || a.Pins != 0 {
		t.Errorf("%d events, %d messages, %d pins", a.Events, a.Messages, a.Pins)
	}
	l.Add(conversation.Pin{Events: []uint64{11}})
	if _, c := plainCheck(l); inspect.NewBreakdown(compacttest.PlanRules(), c, nil).Pins != 2 {
		t.Error("a result and its call are pinned")
	}
}

func TestWhatASummaryTellsFurtherUpIsSavedByIt(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(4)
	l.Add(conversation.Summary{Style: conversation.StyleOneClaw, Version: projection.BlockVersion, Spans: []conversation.Span{compacttest.Span(1, 4), compacttest.Span(9, 12)},
		FromTurn: 0, ToTurn: 2, Text: compacttest.Words(100)})
	r, c := plainCheck(l)
	a := inspect.NewBreakdown(r, c, nil)
	if len(c.View.Absent) != 4 || len(a.Savings) != 1 || a.Savings[0].Kind != "summaries" || a.Savings[0].Items != 8 || a.Savings[0].Tokens < 9800 {
		t.Errorf("%+v, without %+v", a.Savings, c.View.Absent)
	}
}

func TestWhatAConversationCostIsAddedUp(t *testing.T) {
	t.Parallel()
	usd := func(x float64) *float64 { return &x }
	l := (&compacttest.Tale{}).User("a").Reply("b")
	l.Add(conversation.Usage{Reply: 2, Prompt: 100, Cached: 40, Completion: 7, CostUSD: usd(1), Estimate: 100})
	l.Add(conversation.Usage{For: conversation.ForSummary, Prompt: 50, Cached: -1, Completion: -1, CostUSD: usd(0.5), Estimate: 10})
	l.Add(conversation.Usage{Prompt: 30, Cached: 10, Completion: 2, Estimate: 40})
	l.Add(conversation.Usage{Prompt: -1, Cached: -1, Completion: -1, Estimate: 40})
	l.Add(conversation.Usage{Prompt: 3, Cached: -1, Completion: 1, Estimate: 40, Short: true})
	r, c := plainCheck(l)
	c.Meter = meter.New(meter.Options{Calibration: conversation.Calibration{Factor: 1.5, Samples: 4}}).WithView(c.View)
	a := inspect.NewBreakdown(r, c, func(u conversation.Usage) *float64 {
		if u.Cached <= 0 {
			return nil
		}
		return usd(float64(u.Cached))
	})
	want := inspect.Costs{Total: usd(1.5), Summaries: usd(0.5), Saved: usd(50), Requests: 4, Written: 1, Prompt: 183, Cached: 50, Output: 10}
	if d := cmp.Diff(want, a.Costs); d != "" {
		t.Error(d)
	}
	if a.Off == nil || *a.Off != -0.5 { // 30 were reported, 40 at 1.5 estimated
		t.Errorf("the estimate was off by %v", a.Off)
	}
	if a.Calibration.Samples != 4 {
		t.Errorf("%+v", a.Calibration)
	}
}

func TestWhatNobodyKnowsOfCostsIsNotMadeUp(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User("a").Reply("b")
	l.Add(conversation.Usage{Reply: 2, Prompt: -1, Cached: -1, Completion: -1})
	r, c := plainCheck(l)
	a := inspect.NewBreakdown(r, c, nil)
	if d := cmp.Diff(inspect.Costs{Requests: 1}, a.Costs); d != "" || a.Off != nil {
		t.Errorf("off by %v, costs: %s", a.Off, d)
	}
	zero := 0.0
	l.Add(conversation.Usage{Prompt: 1, Cached: -1, Completion: -1, CostUSD: &zero})
	_, c = plainCheck(l)
	if a := inspect.NewBreakdown(r, c, nil); a.Costs.Total == nil || a.Costs.Summaries == nil || *a.Costs.Summaries != 0 {
		t.Errorf("%+v", a.Costs)
	}
}

func TestLabelsAreShortAndOfOneLine(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).User(strings.Repeat("long ", 100)).Uses("run_command", `{"command":"one\ntwo `+strings.Repeat("x", 300)+`"}`, 30).Uses("odd", `no json`, 20)
	r, c := plainCheck(l)
	a := inspect.NewBreakdown(r, c, nil)
	if len(a.Heaviest) != 5 {
		t.Fatalf("%+v", a.Heaviest)
	}
	for _, item := range a.Heaviest {
		if n := len([]rune(item.Label)); n == 0 || n > 120 || strings.ContainsAny(item.Label, "\n\r\t") {
			t.Errorf("%q has %d characters", item.Label, n)
		}
	}
	if !slices.ContainsFunc(a.Heaviest, func(i inspect.Item) bool { return i.Label == "odd no json" }) {
		t.Errorf("%+v", a.Heaviest)
	}
}

// BenchmarkAccount is the account of a conversation of 10,000 events of 1 KB, a
// third of its results hidden. Budget, without what it foretells: 10 ms.
func BenchmarkAccount(b *testing.B) {
	log := compacttest.Masked(compacttest.LongLog(10_000), 800)
	v := projection.Project(log)
	c := planner.Check{Log: log, View: v, Meter: meter.New(compacttest.Window(5_000_000)).WithView(v), Sheet: planner.DefaultSheet()}
	b.ReportAllocs()
	for b.Loop() {
		inspect.NewBreakdown(preset.RulesOf(preset.Raw), c, nil) // which foretells nothing
	}
}

// What an imported log says of costs may be beyond all reckoning.
func TestCostsBeyondReckoningAreLeftOut(t *testing.T) {
	t.Parallel()
	huge, small := math.MaxFloat64, 0.25
	l := (&compacttest.Tale{}).User("hello")
	log := l.Events()
	for _, usd := range []*float64{&small, &huge, &huge} {
		log = append(log, conversation.Following(log, time.Time{}, conversation.Usage{Prompt: 10, Cached: 5, Completion: 1, Estimate: 5e-324, CostUSD: usd})...)
	}
	r, c := plainCheck(l)
	c.Log = log
	a := inspect.NewBreakdown(r, c, func(conversation.Usage) *float64 { return &huge })
	for name, x := range map[string]*float64{"total": a.Costs.Total, "saved": a.Costs.Saved, "off": a.Off} {
		if x != nil && (math.IsInf(*x, 0) || math.IsNaN(*x)) {
			t.Errorf("%s is %v", name, *x)
		}
	}
	if a.Costs.Total == nil || *a.Costs.Total < small {
		t.Errorf("the total is %v", a.Costs.Total)
	}
}
