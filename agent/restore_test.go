package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/conversation"
)

// backAndForth is what goes on while turns are taken back and brought back.
type backAndForth struct {
	queued  bool // a message waits for the running turn
	summary bool // one is written
	once    bool // all is asked for at the same time
}

func TestRewindRestoreAndRewindAgain(t *testing.T) {
	for name, c := range map[string]backAndForth{
		"alone": {}, "at once": {once: true}, "with a queue": {queued: true}, "with a queue at once": {queued: true, once: true},
		"with a summary": {summary: true}, "with a summary at once": {summary: true, once: true},
		"with both": {queued: true, summary: true}, "with both at once": {queued: true, summary: true, once: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := c.start(t)
				for _, act := range []func(){func() { r.Rewind(2) }, r.RestoreTurns, func() { r.Rewind(2) }} {
					if act(); !c.once {
						r.wait()
					}
				}
				r.wait()
				r.endsWith("that was listing 1")
				r.RestoreTurns()
				r.Rewind(3) // it is there again by then
				r.wait()
				r.endsWith("that was listing 2")
				var back []string
				for _, text := range r.returned() {
					back = append(back, text[:min(len(text), 17)])
				}
				want := []string{"show me listing 2", "show me listing 2", "show me listing 3"}
				if c.queued {
					want = append([]string{"and another"}, want...)
				}
				if diff := cmp.Diff(want, back); diff != "" {
					t.Errorf("came back: %s", diff)
				}
				if a := r.attempts(); c.summary && (len(a) != 1 || a[0].Outcome != conversation.OutcomeStale) {
					t.Errorf("recorded %+v", a)
				}
				r.say("go on")
				r.idle()
				r.finish()
			})
		})
	}
}

// start is a rig of four turns in which it goes on.
func (c backAndForth) start(t *testing.T) *rig {
	t.Helper()
	hangs := agenttest.Hold(agenttest.NewGate())
	var script []agenttest.Reply
	if c.summary {
		script = append(script, hangs)
	}
	if c.queued {
		script = append(script, hangs)
	}
	r := talk(t, 4, nil, append(script, answers("fine"))...)
	if c.summary {
		r.compacts(heavy())
	}
	if c.queued {
		r.say("one more")
		r.say("and another")
	}
	return r
}

// endsWith checks what the model is shown last, and that nothing failed.
func (r *rig) endsWith(text string) {
	r.t.Helper()
	if got := r.view(); got[len(got)-1].Text != text || len(r.failures()) > 0 {
		r.t.Errorf("at last the model is shown %.60q, told %v", got[len(got)-1].Text, r.failures())
	}
}

// A request that waits goes on waiting, and turns after its turn.
func TestTurnsWaitWhereARequestIsHeld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := chatted(t, quiet(accounts(gate)), 1, 20, waits)
		r.Rewind(0)
		r.wait()
		for range 7 {
			r.say(words(3300))
		}
		r.say(words(8000))
		if !r.held() {
			t.Fatalf("no request waits, at %+v", r.reading())
		}
		r.RestoreTurns()
		r.RestoreTurns()
		r.wait()
		if !r.held() || len(r.steered()) > 0 {
			t.Errorf("told %+v while a turn runs", r.steered())
		}
		gate.Open()
		r.wait()
		if s := r.steered(); len(s) != 2 || s[0].Err == nil || s[1].Err == nil {
			t.Errorf("told %+v", s)
		}
		r.answered()
		r.finish()
	})
}
