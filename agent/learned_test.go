package agent_test

import (
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
)

func TestRunWaitsForWhatWasLearned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		disk := agenttest.NewGate()
		r := start(t, nil, reports("a", 300))
		r.memory.Slow = map[string]*agenttest.Gate{"calibration": disk}
		r.say(strings.Repeat("word ", 100))
		if got := r.watch.Phases(); got[len(got)-1] != updates.Idle {
			t.Errorf("the turn waits for the calibration: %v", got)
		}
		r.end()
		r.wait()
		select {
		case err := <-r.ended:
			t.Fatalf("Run returned %v before the calibration was kept", err)
		default:
		}
		disk.Open()
		r.finish()
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Samples != 1 {
			t.Errorf("kept %+v", c)
		}
	})
}

func TestWindowOfAModelSwitchedAwayIsNotTheNewOnes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, nil, agenttest.Join(agenttest.Hold(gate), agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 500})))
		r.say("go")
		window := meter.Window{Tokens: 8000, Source: meter.WindowCatalogue}
		r.SwitchModel(llm.Model{Provider: "other", ID: "n", CalibrationKey: "other", Window: window}, r.provider)
		r.SetWindow("test/m", meter.Window{Tokens: 600, Source: meter.WindowServer})
		r.wait()
		gate.Open()
		r.wait()
		if got := r.reading().Window; got != window {
			t.Errorf("the window is %+v, want the new model's %+v", got, window)
		}
		r.finish()
		if c := r.memory.Calibration("other"); c.Window != 0 {
			t.Errorf("the new model learned %+v from the old one's server", c)
		}
	})
}
