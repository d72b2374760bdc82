package agent_test

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/conversation"
)

// Each write waits twice for the disk. A turn without calls stores the message and the reply;
// each step with calls adds the reply that calls and the results. What each reply taught of the
// model is written beside, at once: windows that follow the conversation count by it.
func TestATurnWritesAsSeldomAsItCan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := agenttest.Join(agenttest.Call(0, "c1", "echo", `{"text":"x"}`), agenttest.Stop(conversation.StopCalls))
		r := start(t, nil, reports("a", 300), call, reports("b", 610), reports("c", 900))
		var mu sync.Mutex
		writes := map[string]int{}
		r.memory.Fail = func(kind string) error {
			mu.Lock()
			defer mu.Unlock()
			writes[kind]++
			return nil
		}
		for i, want := range []map[string]int{
			{"append": 2, "blob": 1, "calibration": 1}, {"append": 4, "calibration": 1}, {"append": 2, "calibration": 1},
		} {
			r.say(strings.Repeat("word ", 100))
			mu.Lock()
			if !maps.Equal(writes, want) {
				t.Errorf("turn %d wrote %v, want %v", i, writes, want)
			}
			clear(writes)
			mu.Unlock()
		}
		r.finish()
		if writes["append"] != 0 {
			t.Errorf("the end wrote %v", writes)
		}
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Samples != 3 {
			t.Errorf("kept %+v", c)
		}
	})
}
