package inspect_test

import (
	"math"
	"testing"

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
func plainCheck(l *compacttest.LogBuilder) (preset.Rules, planner.Check) {
	k := compacttest.PlannerInputAt(planner.MomentReply)
	return k.Rules, k.CheckOf(l.Events())
}

func TestSavingsAddUpToWhatWasSaid(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		log := conversationtest.WithOverlays(t, compacttest.AnyLog(t))
		r, c := compacttest.AnyCheck(t, log)
		o := compacttest.MeterOptions(t)
		o.EchoReasoning = rapid.Bool().Draw(t, "echo")
		o.CharsOnly = false
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
	if len(kinds) < 5 && !testing.Short() {
		t.Errorf("hardly any kind was met: %v", kinds)
	}
}

func TestWhatIsHeaviestIsNamed(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).User("\n Look at this.\n"+compacttest.TextOfTokens(50)).CallTokens("read_file", `{"path":"hull/deck.go"}`, 400).
		CallTokens("grep_files", `{"pattern":"anchor","path":"hull"}`, 300).Call("create_file", `{"path":"a.go","content":"`+compacttest.TextOfTokens(250)+`"}`, conversation.ResultOK, "created").
		Reply("Here it is.\nAll of it."+compacttest.TextOfTokens(100)).CallTokens("make_coffee", `{"sugar":2}`, 80)
	_, c := plainCheck(l)
	c.Meter = c.Meter.WithPrompt(conversation.Size{ASCII: 4 * 500}, conversation.Size{ASCII: 4 * 70})
	a := inspect.NewBreakdown(compacttest.PlanRules(), c, nil)
	var got []string
	for i, item := range a.Heaviest {
		if i > 0 && item.Tokens > a.Heaviest[i-1].Tokens {
			t.Errorf("the heaviest items are not sorted at %+v", item)
		}
		if item.Original != item.Tokens || item.State != projection.StateVerbatim {
			t.Errorf("the item %+v differs from its original", item)
		}
		got = append(got, item.Kind.String()+": "+item.Label)
	}
	want := []string{"system: system prompt", "results: read_file hull/deck.go", "results: grep_files anchor in hull", "calls: create_file a.go",
		"assistant: Here it is.", "results: make_coffee", "tools: tools", "user: Look at this.", "calls: grep_files anchor in hull", "calls: read_file hull/deck.go"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if a.Heaviest[0].Event != 0 || a.Heaviest[1].Event != 3 || a.Heaviest[1].Tokens != 400 {
		t.Errorf("the heaviest items are %+v, want events 0 and 3", a.Heaviest[:2])
	}
}

func TestWhatAConversationCostIsAddedUp(t *testing.T) {
	t.Parallel()
	usd := func(x float64) *float64 { return &x }
	l := (&compacttest.LogBuilder{}).User("a").Reply("b")
	l.Add(conversation.Usage{Reply: 2, Prompt: 100, Cached: 40, Completion: 7, CostUSD: usd(1), Estimate: 100})
	l.Add(conversation.Usage{Purpose: conversation.PurposeSummary, Prompt: 50, Cached: -1, Completion: -1, CostUSD: usd(0.5), Estimate: 10})
	l.Add(conversation.Usage{Prompt: 30, Cached: 10, Completion: 2, Estimate: 40})
	l.Add(conversation.Usage{Prompt: -1, Cached: -1, Completion: -1, Estimate: 40})
	l.Add(conversation.Usage{Prompt: 3, Cached: -1, Completion: 1, Estimate: 40, Undercounted: true})
	r, c := plainCheck(l)
	c.Meter = meter.New(meter.Options{Calibration: conversation.Calibration{Factor: 1.5, Samples: 4}}).WithView(c.View)
	a := inspect.NewBreakdown(r, c, func(u conversation.Usage) *float64 {
		if u.Cached <= 0 {
			return nil
		}
		return usd(float64(u.Cached))
	})
	want := inspect.Costs{Total: usd(1.5), Summaries: usd(0.5), Saved: usd(50), ReplyRequests: 4, SummaryRequests: 1, Prompt: 183, Cached: 50, Output: 10}
	if d := cmp.Diff(want, a.Costs); d != "" {
		t.Error(d)
	}
	if a.EstimateError == nil || *a.EstimateError != -0.5 { // 30 were reported, 40 at 1.5 estimated
		t.Errorf("the estimate's error is %v, want -0.5", a.EstimateError)
	}
	if a.Calibration.Samples != 4 {
		t.Errorf("the calibration is %+v, want 4 samples", a.Calibration)
	}
}
