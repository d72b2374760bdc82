package replay_test

import (
	"context"
	"testing"

	"plimsoll/compact"
	"plimsoll/compact/replay"
)

// gate is what preset plimsoll has to keep to in a window, planned with the
// prices it is billed by. Zero is no bound.
type gate struct {
	fit       float64 // worst conversation that fits, to sending everything
	worse     float64 // share of those that cost more than sending everything
	over      float64 // worst of the others, to leaving out the oldest
	truncate  float64 // cost of all, to leaving out the oldest
	recall    float64 // of names that stood in tool results alone
	anchors   float64
	retention float64 // of instructions
	front     bool    // nothing without overflow is both cheaper and keeps more content in view
}

var gates = map[int]gate{
	32_000:  {fit: 1.10, truncate: 1.20, recall: 0.65, anchors: 0.75},
	128_000: {fit: 1.05, worse: 0.05, over: 1.10, truncate: 1.00, recall: 0.90, anchors: 0.95, retention: 0.65, front: true},
	200_000: {fit: 1.05, worse: 0.05, over: 1.05, truncate: 0.95, recall: 0.92, anchors: 0.95, retention: 0.75, front: true},
}

// TestRecordedConversationsUnderTheDefaultMeetItsGates guards the default against
// getting worse.
func TestRecordedConversationsUnderTheDefaultMeetItsGates(t *testing.T) {
	sources := recordings(t)
	for window, g := range gates {
		r, err := replay.Run(context.Background(), sources, replay.Options{Window: window})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Totals[compact.PresetPlimsoll]
		if f.Violations != 0 || f.Recoverable != 1 || f.Overflow != 0 {
			t.Errorf("in %d: %d violations, %v recoverable, %d requests above the window", window, f.Violations, f.Recoverable, f.Overflow)
		}
		fitting := 0
		for _, file := range r.Files {
			if file.Fits {
				fitting++
			}
		}
		for _, sheet := range r.Sheets {
			g.most(t, window, "worst that fits by "+sheet, f.WorstFit[sheet], g.fit)
			g.most(t, window, "share that is dearer by "+sheet, replay.Ratio(float64(f.SessionsWorse[sheet])/float64(fitting)), g.worse)
			g.most(t, window, "worst that does not fit by "+sheet, f.WorstOver[sheet], g.over)
		}
		g.most(t, window, "cost to truncate", f.CostVsTruncate[replay.PlanSheet], g.truncate)
		g.least(t, window, "recall", f.RecallTool, g.recall)
		g.least(t, window, "anchors", f.EditAnchors, g.anchors)
		g.least(t, window, "instructions", f.Instructions, g.retention)
		if by := dominating(r); g.front && by != "" {
			t.Errorf("in %d: %s is cheaper and keeps more content", window, by)
		}
	}
}

func (gate) most(t *testing.T, window int, what string, got replay.Ratio, most float64) {
	t.Helper()
	if most > 0 && got.Known() && float64(got) > most {
		t.Errorf("in %d: %s is %.4f, at most %v", window, what, float64(got), most)
	}
}

func (gate) least(t *testing.T, window int, what string, got replay.Ratio, least float64) {
	t.Helper()
	if !got.Known() || float64(got) < least {
		t.Errorf("in %d: %s is %.4f, at least %v", window, what, float64(got), least)
	}
}

// dominating names a policy without overflow that beats preset plimsoll on cost
// and content; "" without one.
func dominating(r replay.Report) compact.Preset {
	own := r.Totals[compact.PresetPlimsoll]
	for name, f := range r.Totals {
		if f.Overflow == 0 && f.Cost[replay.PlanSheet] < own.Cost[replay.PlanSheet] && f.Content > own.Content {
			return name
		}
	}
	return ""
}
