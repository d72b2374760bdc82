package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// fallbackTo is a model that takes over, with a window.
func fallbackTo(id string, window int, p llm.Provider) core.Fallback {
	m := llm.Model{Provider: "other", ID: id, Window: meter.Window{Tokens: window, Source: meter.WindowCatalogue}}
	return core.Fallback{Name: m.Name(), Open: func(context.Context, llm.Model) (llm.Model, llm.Provider, error) { return m, p, nil }}
}

// closed is one that cannot be opened.
func closed(name, why string) core.Fallback {
	return core.Fallback{Name: name, Open: func(context.Context, llm.Model) (llm.Model, llm.Provider, error) {
		return llm.Model{}, nil, errors.New(why)
	}}
}

func withFallbacks(list ...core.Fallback) func(*core.Options) {
	return func(o *core.Options) { o.Fallbacks = list }
}

// models are the models of the replies in the log.
func (r *rig) models() []string {
	var out []string
	for _, e := range r.memory.Events() {
		if m, ok := e.Body.(conversation.AssistantMessage); ok {
			out = append(out, m.Model)
		}
	}
	return out
}

func TestAnOverloadedModelIsTakenOverForOneTurn(t *testing.T) {
	for name, class := range map[string]llm.Class{"overloaded": llm.Overloaded, "rate limit": llm.RateLimited, "quota": llm.Quota} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				tries := []agenttest.Reply{fails(class), fails(class), fails(class), fails(class)}
				if class == llm.Quota {
					tries = tries[:1]
				}
				second := agenttest.NewProvider(answers("from the other"))
				r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), append(tries, answers("back again"))...)
				r.Send("one")
				r.settle()
				r.Send("two")
				r.wait()
				r.finish()
				if d := cmp.Diff([]string{"other/n", "test/m"}, r.models()); d != "" {
					t.Error(d)
				}
				var changes []string
				for _, e := range r.memory.Events() {
					if m, ok := e.Body.(conversation.ModelChanged); ok {
						changes = append(changes, fmt.Sprintf("%s %v", m.Name(), m.OneTurn))
					}
				}
				if d := cmp.Diff([]string{"test/m false", "other/n true", "test/m false"}, changes); d != "" {
					t.Error(d)
				}
				if f := r.failures(); len(f) != 0 {
					t.Errorf("failures %v", f)
				}
				notices := r.notices()
				if len(notices) != 1 {
					t.Fatalf("notices %q", notices)
				}
				for _, want := range []string{"test/m: " + string(class), "other/n continues this turn", "Its cache is cold: ~", "sent again", "% of its window", "The next turn goes to test/m again."} {
					if !strings.Contains(notices[0], want) {
						t.Errorf("the notice lacks %q: %s", want, notices[0])
					}
				}
			})
		})
	}
}

func TestOtherFailuresAreNotTakenOver(t *testing.T) {
	for _, class := range []llm.Class{llm.Auth, llm.NotFound, llm.BadRequest, llm.Network, llm.ServerFault, llm.TooLarge} {
		t.Run(string(class), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				second := agenttest.NewProvider(answers("from the other"))
				r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), fails(class), fails(class), fails(class), fails(class))
				r.Send("go")
				r.settle()
				r.finish()
				if d := cmp.Diff([]llm.Class{class}, r.failures()); d != "" || len(second.Requests()) != 0 {
					t.Errorf("%s, %d requests", d, len(second.Requests()))
				}
			})
		})
	}
}

func TestModelsThatCannotTakeOverAreLeftOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		small, third := agenttest.NewProvider(), agenttest.NewProvider(answers("from the third"))
		r := start(t, withFallbacks(closed("a/b", "there is no key for a"), fallbackTo("small", 1000, small), fallbackTo("n", 50_000, third)), fails(llm.Quota))
		r.say(strings.Repeat("word ", 1500))
		r.finish()
		if d := cmp.Diff([]string{"other/n"}, r.models()); d != "" {
			t.Error(d)
		}
		for _, want := range []string{"a/b is left out: there is no key for a.", "other/small is left out: its window of 1k is too small without a compaction."} {
			if !strings.Contains(strings.Join(r.notices(), "\n"), want) {
				t.Errorf("nobody says %q: %q", want, r.notices())
			}
		}
	})
}

func TestATurnFailsWhereNobodyCanTakeOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withFallbacks(closed("a/b", "there is no key for a")), fails(llm.Quota), answers("fine"))
		r.say("go")
		r.say("again")
		r.finish()
		if d := cmp.Diff([]llm.Class{llm.Quota}, r.failures()); d != "" {
			t.Error(d)
		}
		if got := r.notices(); len(got) != 1 || got[0] != "No other model takes over. a/b is left out: there is no key for a." {
			t.Errorf("notices %q", got)
		}
	})
}

// One that takes over and fails is taken over itself, also where its key does not open it.
func TestTheNextOneTakesOverFromOneThatFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		second, third := agenttest.NewProvider(fails(llm.Auth)), agenttest.NewProvider(answers("from the third"))
		r := start(t, withFallbacks(fallbackTo("second", 50_000, second), fallbackTo("third", 50_000, third)), fails(llm.Quota), answers("fine"))
		r.say("go")
		r.say("again")
		r.finish()
		if d := cmp.Diff([]string{"other/third", "test/m"}, r.models()); d != "" {
			t.Error(d)
		}
		if n := r.notices(); len(n) != 2 || !strings.Contains(n[1], "The next turn goes to test/m again.") {
			t.Errorf("notices %q", n)
		}
	})
}

func TestWhatStreamedBeforeAModelIsTakenOverIsVoid(t *testing.T) {
	bubble(t, func(t *testing.T) {
		second := agenttest.NewProvider(answers("all of it"))
		broken := agenttest.Join(agenttest.Say("half of"), agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "overloaded", NoRetry: true}))
		r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), broken)
		r.say("go")
		r.finish()
		if got := said(r.memory.Events()); got[len(got)-1] != "assistant stop all of it" || len(r.models()) != 1 {
			t.Errorf("the log says %q", got)
		}
		if len(agenttest.Of[updates.Discarded](r.watch)) != 1 {
			t.Error("the half of it stays on screen")
		}
	})
}

func TestAModelThatTheUserChoosesMeanwhileStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		second := agenttest.NewProvider(agenttest.Join(agenttest.Hold(gate), answers("from the second")))
		chosen := agenttest.NewProvider(answers("from the one that was chosen"))
		r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), fails(llm.Quota))
		r.say("go")
		r.SwitchModel(llm.Model{Provider: "chosen", ID: "c"}, chosen)
		r.wait()
		gate.Open()
		r.wait()
		r.say("again")
		r.finish()
		if d := cmp.Diff([]string{"other/n", "chosen/c"}, r.models()); d != "" {
			t.Error(d)
		}
	})
}
