package agent_test

import (
	"testing"

	"plimsoll/agent/agenttest"
)

func TestStatusRestsWhereWhatWaitedIsTakenBackAtTheLastMoment(t *testing.T) {
	for name, takeBack := range map[string]func(*rig){"cancelled": func(r *rig) { r.Cancel() }, "taken back": func(r *rig) { r.TakeBack() }} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate, stored := agenttest.NewGate(), agenttest.NewGate()
				r := talk(t, 4, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)))
				r.compacts(heavy())
				r.memory.Slow = map[string]*agenttest.Gate{"append": stored}
				gate.Open()
				r.wait()
				r.Send("and then this") // while the summary is stored
				takeBack(r)
				stored.Open()
				r.wait()
				if len(r.made()) != 1 || len(r.returned()) != 1 {
					t.Fatalf("made %v, returned %v", r.made(), r.returned())
				}
				r.idle()
				r.finish()
			})
		})
	}
}
