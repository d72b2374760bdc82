package agent_test

import (
	"slices"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// A summary that a held request waited for and that goes stale for the user's own
// reason is no failure: another one is asked for, and nothing is left out.
func TestSummaryThatWentStaleIsAskedForAgain(t *testing.T) {
	for name, act := range map[string]func(*rig, *agenttest.Server){
		"a smaller model": func(r *rig, s *agenttest.Server) { r.SwitchModel(other("m2", 28_000), s) },
		"a smaller window": func(r *rig, _ *agenttest.Server) {
			r.SetWindow("test/m", meter.Window{Tokens: 28_000, Source: meter.WindowServer})
		},
		"an undo": func(r *rig, _ *agenttest.Server) { r.UndoCompaction(0) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate, calls := agenttest.NewGate(), 0
				s := quiet(accounts(gate))
				s.Answer = func(int, llm.Request) agenttest.Reply {
					if calls++; calls < 4 {
						return looks(calls)
					}
					return answers("yes")
				}
				r := chatted(t, s, 6, 3200, both(both(withTools(looked()), waits), func(o *core.Options) {
					o.Rules.Mask.Enabled = false
					o.Model.Window.Source = meter.WindowCatalogue
				}))
				if name == "an undo" {
					r.compacts(byProfile(preset.ProfileDefault, 1))
				}
				for range 12 {
					if r.say(words(2600)); r.held() {
						break
					}
				}
				if !r.held() {
					t.Fatal("nothing waits")
				}
				act(r, s)
				r.wait()
				gate.Open()
				r.wait()
				if slices.Contains(r.kinds(), conversation.KindDrop) || summaries(s) != 2 {
					t.Errorf("made %v after %d requests for summaries", r.kinds(), summaries(s))
				}
				r.answered()
				r.finish()
			})
		})
	}
}

// Who stops the turn whose request is being made shorter is not told that it was
// too long.
func TestTurnThatIsStoppedDuringARecoveryIsNoFailure(t *testing.T) {
	for name, act := range map[string]func(*rig){"rewind": func(r *rig) { r.Rewind(3) }, "the program ends": func(r *rig) { r.end() }} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate := agenttest.NewGate()
				s := quiet(accounts(gate))
				s.Window, s.Nameless = 20_000, true
				r := chatted(t, s, 0, 0, both(byPreset(preset.OneClaw), func(o *core.Options) { o.Model.Window = meter.Window{} }))
				for range 20 {
					if r.say(words(3000)); summaries(s) > 0 {
						break
					}
				}
				act(r)
				r.wait()
				gate.Open()
				r.wait()
				if got := r.failures(); len(got) > 0 {
					t.Errorf("told of %v", got)
				}
				r.finish()
			})
		})
	}
}
