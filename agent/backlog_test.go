package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
)

func TestWaitingMessagesAreStoredUntilTheyAreInTheLog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		first, second := agenttest.NewGate(), agenttest.NewGate()
		r := start(t, nil, agenttest.Join(agenttest.Hold(first), answers("a")), agenttest.Join(agenttest.Hold(second), answers("b")), answers("c"))
		r.say("one")
		r.stored() // it is in the log
		r.Send("two")
		r.Send("three")
		r.wait()
		r.stored("two", "three")
		first.Open()
		r.wait()
		r.stored("three")
		second.Open()
		r.wait()
		r.stored()
		r.finish()
	})
}

func TestMessagesThatWaitWhenTheProgramEndsStayStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Hold(agenttest.NewGate()))
		r.say("one")
		r.Send("two")
		r.wait()
		r.finish()
		r.stored("two")
	})
}

func TestMessagesThatCameBackAreNotStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Hold(agenttest.NewGate()))
		r.say("one")
		r.Send("two")
		r.wait()
		r.TakeBack()
		r.wait()
		r.stored()
		r.finish()
	})
}

func TestMessagesOfAnEarlierRunStayStoredUntilSomethingIsSaid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, says := range []bool{false, true} {
			r := start(t, nil, answers("a"))
			if err := r.memory.KeepWaiting(t.Context(), []string{"before"}); err != nil {
				t.Fatal(err)
			}
			want := []string{"before"}
			if says {
				r.say("one")
				want = nil
			}
			r.finish()
			r.stored(want...)
		}
	})
}

// stored checks which messages wait in the store.
func (r *rig) stored(want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.memory.Waiting()); diff != "" {
		r.t.Error(diff)
	}
}
