package replay_test

import (
	"context"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/conversationtest"
)

// gate is what preset plimsoll has to keep to in a window as it is shipped, planned with the prices it is billed by. Costs
// have lookups in them and are to leaving out the oldest, over all conversations. Zero is no bound.
type gate struct {
	cost    float64 // by the plan sheet
	sheets  float64 // by any sheet
	fit     float64 // worst conversation that fits, to sending everything, by any sheet, without lookups
	recall  float64 // of names that stood in tool results alone
	anchors float64
	lines   float64 // written later
	demands float64
	silent  float64 // at most out of view
	front   bool    // nothing without overflow is both cheaper and serves more replies
	ahead   bool    // leaving out the oldest keeps no more of anything
}

var gates = map[int]gate{
	8_000:   {cost: 0.92, sheets: 1.04, fit: 1.03, recall: 0.285, anchors: 0.37, lines: 0.073, demands: 0.36, silent: 0.725, ahead: true},
	32_000:  {cost: 0.97, sheets: 1.02, fit: 1.055, recall: 0.85, anchors: 0.79, lines: 0.91, demands: 0.85, silent: 0.24},
	128_000: {cost: 0.76, sheets: 1.00, fit: 1.00, recall: 0.98, anchors: 0.965, lines: 0.95, demands: 0.99, silent: 0.055, front: true},
	200_000: {cost: 0.67, sheets: 1.00, fit: 1.00, recall: 0.985, anchors: 0.97, lines: 0.97, demands: 0.99, silent: 0.046, front: true},
}

// TestRecordedConversationsUnderTheDefaultMeetItsGates guards the default against
// getting worse.
func TestRecordedConversationsUnderTheDefaultMeetItsGates(t *testing.T) {
	sources := recordings(t)
	for window, g := range gates {
		summarises := replay.Clients()[0]
		r, err := replay.Run(context.Background(), sources, replay.Options{Window: window, ExtraPolicies: []replay.NamedPolicy{summarises.Policy()},
			Policies: []preset.Name{preset.Plimsoll, preset.Raw, preset.Truncate}})
		conversationtest.Must(t, err)
		f := r.Totals[preset.Plimsoll]
		g.most(t, window, "cost", f.CostWithDebtVsTruncate[replay.DefaultPlanSheet], g.cost)
		if with := r.Totals[summarises.Name].CostWithDebt[replay.DefaultPlanSheet]; f.CostWithDebt[replay.DefaultPlanSheet] > with {
			t.Errorf("in %d: it costs more than one summary of everything, %v", window, with)
		}
		for _, sheet := range r.Sheets {
			g.most(t, window, "cost by "+sheet, f.CostWithDebtVsTruncate[sheet], g.sheets)
			g.most(t, window, "worst that fits by "+sheet, f.WorstFit[sheet], g.fit)
		}
		if f.Violations != 0 || f.Recoverable != 1 || f.Overflow > r.Totals[preset.Truncate].Overflow {
			t.Errorf("in %d: %d violations, %v recoverable, %d requests above the window", window, f.Violations, f.Recoverable, f.Overflow)
		}
		g.least(t, window, "recall", f.RecallTool, g.recall)
		g.least(t, window, "anchors", f.EditAnchors, g.anchors)
		g.least(t, window, "lines", f.WriteLines, g.lines)
		g.least(t, window, "demands", f.Instructions, g.demands)
		g.most(t, window, "silent losses", f.SilentLosses, g.silent)
		if truncate := r.Totals[preset.Truncate]; g.ahead {
			g.least(t, window, "recall beside truncate", f.RecallTool, float64(truncate.RecallTool))
			g.least(t, window, "names in place beside truncate", f.RecallInPlace, float64(truncate.RecallInPlace))
			g.least(t, window, "anchors beside truncate", f.EditAnchors, float64(truncate.EditAnchors))
			g.least(t, window, "lines beside truncate", f.WriteLines, float64(truncate.WriteLines))
			g.least(t, window, "demands beside truncate", f.Instructions, float64(truncate.Instructions))
			g.least(t, window, "served beside truncate", f.Served, float64(truncate.Served))
			g.most(t, window, "silent losses beside truncate", f.SilentLosses, float64(truncate.SilentLosses))
		}
		if by := dominating(r); g.front && by != "" {
			t.Errorf("in %d: %s is cheaper and serves more replies", window, by)
		}
	}
}

func (gate) most(t *testing.T, window int, what string, got replay.Ratio, most float64) {
	t.Helper()
	if most > 0 && got.IsKnown() && float64(got) > most {
		t.Errorf("in %d: %s is %.4f, at most %v", window, what, float64(got), most)
	}
}

func (gate) least(t *testing.T, window int, what string, got replay.Ratio, least float64) {
	t.Helper()
	if !got.IsKnown() || float64(got) < least {
		t.Errorf("in %d: %s is %.4f, at least %v", window, what, float64(got), least)
	}
}

// dominating names a policy without overflow that beats preset plimsoll on cost
// and replies served; "" without one.
func dominating(r replay.Report) preset.Name {
	const sheet = replay.DefaultPlanSheet
	own := r.Totals[preset.Plimsoll]
	for name, f := range r.Totals {
		if f.Overflow == 0 && f.CostWithDebt[sheet] < own.CostWithDebt[sheet] && f.Served > own.Served {
			return name
		}
	}
	return ""
}
