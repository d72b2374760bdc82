package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// configured are the settings that the log records, in order.
func (r *rig) configured() []map[string]string {
	var out []map[string]string
	for _, e := range r.memory.Events() {
		if b, isConfig := e.Body.(conversation.ConfigChanged); isConfig {
			out = append(out, b.Set)
		}
	}
	return out
}

func lower() preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.KeepLast, r.TriggerRatio, r.TokenThreshold = 1, 0.5, 9000
	return r
}

func TestSettingsChangedWhileIdleAreRecordedAndInForceAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 3, nil)
		set := map[string]string{"compaction.keep_last": "1"}
		r.Configure(set, lower())
		set["compaction.keep_last"] = "changed by the caller"
		r.wait()
		if diff := cmp.Diff([]map[string]string{{"compaction.keep_last": "1"}}, r.configured()); diff != "" {
			t.Error(diff)
		}
		if got := r.reading().LoadLine; got != 9000 {
			t.Errorf("the load line is %d", got)
		}
		r.compacts(byProfile("", -1))
		if made := r.made(); len(made) != 1 || made[0].Preview.Range.To != 1 {
			t.Errorf("made %+v, refused %v", made, r.refused())
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "n", Window: meter.Window{Tokens: 10_000, Source: meter.WindowFlag}}, r.provider)
		r.wait()
		if got := r.reading().LoadLine; got != 5000 {
			t.Errorf("the load line of the next model is %d", got)
		}
		r.finish()
	})
}

func TestSettingsChangedBeforeAnythingWasSaidGoWithTheFirstMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, answers("hello"))
		r.Configure(map[string]string{"compaction.keep_last": "1"}, lower())
		r.wait()
		if n := len(r.memory.Events()); n != 0 {
			t.Fatalf("%d events of a chat in which nothing was said", n)
		}
		r.say("hi")
		if diff := cmp.Diff([]map[string]string{{"compaction.keep_last": "1"}}, r.configured()); diff != "" {
			t.Error(diff)
		}
		r.finish()
	})
}

func TestSettingsChangedInATurnAreRecordedOnce(t *testing.T) {
	for name, script := range map[string][]agenttest.Reply{
		"that ends":    {answers("done")},
		"that goes on": {looks(0), answers("done")},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate := agenttest.NewGate()
				script[0] = agenttest.Join(agenttest.Hold(gate), script[0])
				r := start(t, withTools(looked()), script...)
				r.say("go")
				r.Configure(map[string]string{"compaction.keep_last": "1"}, lower())
				r.wait()
				gate.Open()
				r.wait()
				if diff := cmp.Diff([]map[string]string{{"compaction.keep_last": "1"}}, r.configured()); diff != "" {
					t.Error(diff)
				}
				r.idle()
				r.finish()
			})
		})
	}
}

func TestOtherRulesAreWeighedAndNotPutInForce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 3, nil)
		was, events := r.reading(), len(r.memory.Events())
		b, err := r.Weigh(t.Context(), lower(), meter.Window{})
		if err != nil || b.Reading.LoadLine != 9000 || b.Reading.Used != was.Used || b.Forecast.At != 9000 {
			t.Errorf("weighed %+v, %+v, %v", b.Reading, b.Forecast, err)
		}
		b, err = r.Weigh(t.Context(), lower(), meter.Window{Tokens: 10_000, Source: meter.WindowConfig})
		if err != nil || b.Reading.LoadLine != 5000 || b.Reading.Window.Tokens != 10_000 {
			t.Errorf("in another window %+v, %v", b.Reading, err)
		}
		if now := r.reading(); now.LoadLine != was.LoadLine || now.Window != was.Window || len(r.memory.Events()) != events {
			t.Errorf("the meter says %+v, and said %+v", now, was)
		}
		r.finish()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("given up"))
		if _, err := r.Weigh(ctx, lower(), meter.Window{}); err == nil {
			t.Error("an agent that has ended weighed something")
		}
	})
}
