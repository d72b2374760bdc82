package replay_test

import (
	"context"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/conversationtest"
)

// gate is what preset plimsoll has to keep to in a window, planned with the prices it is billed by. Cost is that of all
// conversations, to leaving out the oldest. Zero is no bound.
type gate struct {
	cost      float64 // by the plan sheet, without a model
	sheets    float64 // by any sheet, without a model
	billed    float64 // by the plan sheet, summaries billed
	fit       float64 // worst conversation that fits, to sending everything, without a model
	recall    float64 // of names that stood in tool results alone
	anchors   float64
	lines     float64 // written later
	retention float64 // of instructions
	front     bool    // nothing without overflow is both cheaper and keeps more content in view
}

var gates = map[int]gate{
	32_000:  {cost: 1.00, sheets: 1.00, billed: 1.06, fit: 1.055, recall: 0.85, anchors: 0.80, lines: 0.915, retention: 0.40},
	128_000: {cost: 0.92, sheets: 1.00, billed: 0.947, fit: 1.00, recall: 0.985, anchors: 0.98, lines: 0.995, retention: 0.85, front: true},
	200_000: {cost: 0.84, sheets: 1.00, billed: 0.865, fit: 1.00, recall: 0.99, anchors: 0.98, lines: 0.995, retention: 0.90, front: true},
}

// withoutModel is preset plimsoll with notes alone.
func withoutModel() replay.NamedPolicy {
	r := preset.RulesOf(preset.Plimsoll)
	r.Summary.When = preset.SummaryNever
	return replay.NamedPolicy{Name: "without a model", Rules: r}
}

// TestRecordedConversationsUnderTheDefaultMeetItsGates guards the default against
// getting worse.
func TestRecordedConversationsUnderTheDefaultMeetItsGates(t *testing.T) {
	sources, notes := recordings(t), withoutModel()
	for window, g := range gates {
		r, err := replay.Run(context.Background(), sources, replay.Options{Window: window, ExtraPolicies: []replay.NamedPolicy{notes}})
		conversationtest.Must(t, err)
		own := r.Totals[preset.Plimsoll]
		g.most(t, window, "cost with summaries", own.CostVsTruncate[replay.DefaultPlanSheet], g.billed)
		f := r.Totals[notes.Name]
		g.most(t, window, "cost", f.CostVsTruncate[replay.DefaultPlanSheet], g.cost)
		for _, sheet := range r.Sheets {
			g.most(t, window, "cost by "+sheet, f.CostVsTruncate[sheet], g.sheets)
			g.most(t, window, "worst that fits by "+sheet, f.WorstFit[sheet], g.fit)
		}
		for _, f := range []replay.Figures{own, f} {
			if f.Violations != 0 || f.Recoverable != 1 || f.Overflow > r.Totals[preset.Truncate].Overflow {
				t.Errorf("in %d: %d violations, %v recoverable, %d requests above the window", window, f.Violations, f.Recoverable, f.Overflow)
			}
		}
		g.least(t, window, "recall", f.RecallTool, g.recall)
		g.least(t, window, "anchors", f.EditAnchors, g.anchors)
		g.least(t, window, "lines", f.WriteLines, g.lines)
		g.least(t, window, "instructions", f.Instructions, g.retention)
		if by := dominating(r); g.front && by != "" {
			t.Errorf("in %d: %s is cheaper and keeps more content", window, by)
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
// and content; "" without one.
func dominating(r replay.Report) preset.Name {
	own := r.Totals[withoutModel().Name]
	for name, f := range r.Totals {
		if f.Overflow == 0 && f.Cost[replay.DefaultPlanSheet] < own.Cost[replay.DefaultPlanSheet] && f.Content > own.Content {
			return name
		}
	}
	return ""
}
