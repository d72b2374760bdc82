package agent_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/catalog"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func (r *rig) breakdowns() []inspect.Breakdown {
	var out []inspect.Breakdown
	for _, u := range agenttest.UpdatesOf[updates.Inspected](r.watch) {
		out = append(out, u.Breakdown)
	}
	return out
}

// Inspect runs in the background, and requests for it meanwhile cause one more run.
func TestInspectDoesNotBlockTheConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate, at := agenttest.NewGate(), atomic.Int64{}
		r := startWithListings(t, 2, func(o *core.Options) {
			o.CacheSaved = func(llm.Model, conversation.Usage) *float64 {
				at.Add(1)
				if err := gate.Pass(context.Background()); err != nil {
					t.Error(err)
				}
				return nil
			}
		}, agenttest.Join(agenttest.ReportTokens(900, 9), textReply("fine")), agenttest.Join(agenttest.ReportTokens(1000, 9), textReply("fine")))
		r.sendAndWait("one more")
		r.Inspect()
		r.waitIdle()
		r.sendAndWait("and another")
		r.Inspect()
		r.waitIdle()
		r.Inspect()
		r.waitIdle()
		all := messageLines(r.memory.Events())
		if n := at.Load(); n != 1 {
			t.Errorf("%d breakdowns are being computed, want 1", n)
		}
		if n := len(r.breakdowns()); n != 0 || all[len(all)-1] != "assistant stop fine" || all[len(all)-2] != "user and another" {
			t.Errorf("%d breakdowns, want none yet; the log ends with %q", n, all[len(all)-2:])
		}
		gate.Open()
		r.waitIdle()
		got := r.breakdowns()
		if len(got) == 0 || len(got) > 2 || got[len(got)-1].Costs.ReplyRequests != 6 {
			t.Errorf("breakdowns %+v, want 1 or 2, the last with 6 requests", got)
		}
		r.Inspect()
		r.finish() // and nothing outlives it
	})
}

func TestAPreviewShowsTheGaugeAndTheCostOfTheRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		prices := llm.Prices{Input: 2, Cached: 0.2, CacheWrite: 2.5, Output: 8}
		r := startWithListings(t, 5, func(o *core.Options) {
			o.Model.Prices = &prices
			o.Cost = func(m llm.Model, tokens llm.Tokens) (*float64, string) {
				if m.Prices == nil {
					return nil, ""
				}
				usd := catalog.Cost(*m.Prices, tokens)
				return &usd, "today"
			}
		})
		now, events := r.reading(), len(r.memory.Events())
		w := profileRequest(preset.ProfileDefault, 1)
		r.Preview(w)
		r.Preview(heavyRequest())
		r.Preview(profileRequest("nowhere", 1))
		r.SwitchModel(otherModel("free", 100_000), r.provider)
		r.Preview(w)
		r.waitIdle()
		got := agenttest.UpdatesOf[updates.Previewed](r.watch)
		if len(got) != 4 || len(r.memory.Events()) != events+1 { // the switch of the model
			t.Fatalf("%d previews, %d new events; want 4, 1", len(got), len(r.memory.Events())-events)
		}
		for i, want := range []edit.Request{w, heavyRequest(), profileRequest("nowhere", 1), w} {
			if diff := cmp.Diff(want, got[i].Request); diff != "" {
				t.Errorf("the request of preview %d (-want +got): %s", i, diff)
			}
		}
		for _, p := range got[:2] {
			if diff := cmp.Diff(now, p.Now); diff != "" || p.Then.Used != p.Preview.After || segmentSum(p.Then) != p.Then.Used || p.Then.Used >= p.Now.Used {
				t.Errorf("used %d, then %d, preview %d; meter (-want +got): %s", p.Now.Used, p.Then.Used, p.Preview.After, diff)
			}
			if p.CostNow == nil || *p.CostNow == 0 || p.PaysAfter == nil || *p.PaysAfter < 1 {
				t.Errorf("costs %v now, pays after %v requests; want both positive", p.CostNow, p.PaysAfter)
			}
		}
		if got[2].Err == nil || got[2].CostNow != nil {
			t.Errorf("the preview of an unknown profile is %+v, want an error", got[2])
		}
		if got[3].Err != nil || got[3].CostNow != nil || got[3].PaysAfter != nil {
			t.Errorf("the preview without prices is %+v, want no costs", got[3])
		}
		r.compact(w)
		if d := cmp.Diff(got[0].Then.Segments, r.reading().Segments); d != "" {
			t.Errorf("segments after the compaction (-preview +meter): %s", d)
		}
		r.finish()
	})
}

func TestPriceOfABreakInTheCachedPrefix(t *testing.T) {
	t.Parallel()
	sheet := func(p llm.Prices) func(llm.Tokens) float64 {
		return func(tokens llm.Tokens) float64 { return catalog.Cost(p, tokens) }
	}
	p := edit.Preview{Before: 100_000, After: 40_000, Rewritten: 30_000}
	for name, c := range map[string]struct {
		preview edit.Preview
		prices  llm.Prices
		now     float64
		pays    int // -1: never
	}{
		// 30,000 written at 2.5 in place of 0.2 read: 0.069; 60,000 less read: 0.012 each time.
		"a cache":            {p, llm.Prices{Input: 2, Cached: 0.2, CacheWrite: 2.5}, 0.057, 6},
		"none":               {p, llm.Prices{Input: 2}, -0.12, 0},
		"nothing behind":     {edit.Preview{Before: 100_000, After: 40_000}, llm.Prices{Input: 2, Cached: 0.2}, -0.012, 0},
		"nothing gained":     {edit.Preview{Before: 40_000, After: 40_000, Rewritten: 30_000}, llm.Prices{Input: 2, Cached: 0.2}, 0.054, -1},
		"a tier left behind": {p, llm.Prices{Input: 2, Cached: 0.2, Tiers: []llm.Tier{{Over: 50_000, Input: 20, Cached: 2}}}, -0.138, 1},
	} {
		now, pays := llm.PriceOf(c.preview, sheet(c.prices))
		got := -1
		if pays != nil {
			got = *pays
		}
		if now == nil || *now != c.now || got != c.pays {
			t.Errorf("%s: it costs %v and pays after %d, want %v and %d", name, *now, got, c.now, c.pays)
		}
	}
}
