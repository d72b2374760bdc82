package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestColdCacheHasWhatWasSaidWrittenOut(t *testing.T) {
	hour := func(o *core.Options) { o.Model.CacheTTL = 0 }
	minutes := func(o *core.Options) { o.Model.CacheTTL = 5 * time.Minute }
	for name, test := range map[string]struct {
		change func(*core.Options)
		idle   time.Duration
		then   func(*rig)
		view   bool
	}{
		"at once":                       {nil, 0, nil, true},
		"unknown lifetime, in time":     {hour, 59 * time.Minute, nil, true},
		"unknown lifetime, too late":    {hour, time.Hour + time.Second, nil, false},
		"known lifetime, too late":      {minutes, 5*time.Minute + time.Second, nil, false},
		"another model":                 {nil, 0, func(r *rig) { r.SwitchModel(llm.Model{Provider: "test", ID: "n"}, r.provider) }, false},
		"the window of the model known": {nil, 0, func(r *rig) { r.SetMaxOut("test/m", 4000) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := talk(t, 4, test.change, summarises(account))
				time.Sleep(test.idle)
				if test.then != nil {
					test.then(r)
				}
				r.compacts(heavy())
				if len(r.made()) != 1 {
					t.Fatalf("refused %v", r.refused())
				}
				if got := len(r.last().Messages) > 1; got != test.view {
					t.Errorf("asked in the form of the view: %v", got)
				}
				r.finish()
			})
		})
	}
}

func TestSummaryThatOverflowsIsAskedForInSmallerForms(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long"})
		r := talk(t, 6, func(o *core.Options) { o.Model.Window = meter.Window{} }, long, long,
			summarises("First: "+account), summarises("Second: "+account), summarises(account), summarises(account), summarises(account))
		requests := len(r.provider.Requests())
		r.compacts(heavy())
		if len(r.made()) != 1 {
			t.Fatalf("refused %v", r.refused())
		}
		all := r.provider.Requests()[requests:]
		if len(all) < 4 || len(all[0].Messages) < 2 || len(all[1].Messages) != 1 || !strings.Contains(all[2].Messages[0].Text, "This is piece 1 of ") {
			t.Fatalf("%d requests", len(all))
		}
		s := r.overlays()[0].Body.(conversation.Summary)
		if !strings.HasPrefix(s.Text, "First: ") || !strings.Contains(s.Text, "\n\nSecond: ") || s.FromTurn != 0 || s.ToTurn != 4 {
			t.Errorf("the summary of turns %d to %d is %.80q", s.FromTurn, s.ToTurn, s.Text)
		}
		r.finish()
	})
}

func TestFormThatCannotFitIsNotBought(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 6, nil, summarises(account), summarises(account), summarises(account))
		r.SetWindow("test/m", meter.Window{Tokens: 4500, Source: meter.WindowFlag})
		requests := len(r.provider.Requests())
		r.compacts(heavy())
		for _, q := range r.provider.Requests()[requests:] {
			if len(q.Messages) != 1 || q.MaxTokens < 512 || q.MaxTokens >= 4500 {
				t.Errorf("asked with %d messages and %d tokens", len(q.Messages), q.MaxTokens)
			}
		}
		if len(r.made()) != 1 {
			t.Errorf("refused %v", r.refused())
		}
		r.finish()
	})
}

func TestProfileHasItsOwnModelForSummaries(t *testing.T) {
	own := func(o *core.Options) {
		o.Rules = preset.RulesOf(preset.Plimsoll)
		p := o.Rules.Profiles[preset.ProfileHeavy]
		p.Summary.Model = "other/n"
		o.Rules.Profiles[preset.ProfileHeavy] = p
	}
	t.Run("there", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			other := agenttest.NewProvider(summarises(account))
			r := talk(t, 4, both(own, func(o *core.Options) {
				o.Summarisers = func(name string) (llm.Model, llm.Provider, bool) {
					return llm.Model{Provider: "other", ID: "n", MaxOut: 700}, other, name == "other/n"
				}
			}))
			before := r.meterOf().Calibration()
			r.compacts(heavy())
			all := other.Requests()
			if len(all) != 1 || all[0].Model != "n" || all[0].MaxTokens != 700 || len(all[0].Messages) != 1 || len(all[0].Tools) != 0 {
				t.Fatalf("asked %+v, refused %v", all, r.refused())
			}
			if s := r.overlays()[0].Body.(conversation.Summary); s.Model != "other/n" {
				t.Errorf("written by %s", s.Model)
			}
			if got := r.meterOf().Calibration(); got != before {
				t.Errorf("the conversation's model learned %+v", got)
			}
			if got := r.reading().CostUSD; got == nil || *got != 0.25 {
				t.Errorf("the cost is %v", got)
			}
			r.finish()
		})
	})
	t.Run("missing", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := talk(t, 4, own)
			before, requests := r.view(), len(r.provider.Requests())
			r.compacts(heavy())
			if e := unharmed(r, before, llm.NotFound, conversation.OutcomeFailed); !strings.Contains(e.Message, "other/n") {
				t.Errorf("told %q", e.Message)
			}
			if n := len(r.provider.Requests()) - requests; n != 0 {
				t.Errorf("%d requests", n)
			}
			r.finish()
		})
	})
}

func TestJCLISavesTheTranscriptBeforeItReplacesTheHistory(t *testing.T) {
	for name, failure := range map[string]error{"saved": nil, "not saved": errors.New("no space")} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var saved []projection.View
				r := talk(t, 4, func(o *core.Options) {
					o.Rules = preset.RulesOf(preset.JCLI)
					o.Transcript = func(_ context.Context, v projection.View) (string, error) {
						saved = append(saved, v)
						return "/data/transcripts/transcript_1.jsonl", failure
					}
				}, summarises(account), answers("fine"))
				before, requests := r.view(), len(r.provider.Requests())
				r.compacts(byProfile("", -1))
				if len(saved) != 1 {
					t.Fatalf("saved %d times", len(saved))
				}
				if diff := cmp.Diff(before, onWire(saved[0].Messages)); diff != "" {
					t.Errorf("the transcript is not what is sent: %s", diff)
				}
				if failure != nil {
					if e := r.refused(); len(e) != 1 || e[0].Class != llm.NotSaved || len(r.provider.Requests()) != requests {
						t.Errorf("told %v", e)
					}
					r.finish()
					return
				}
				want := []wire{
					{Role: "user", Text: "[Conversation compressed. Transcript: /data/transcripts/transcript_1.jsonl]\n\n" + account},
					{Role: "assistant", Text: "Understood. I have the context from the summary. Continuing."},
				}
				if diff := cmp.Diff(want, r.view()); diff != "" {
					t.Error(diff)
				}
				r.say("go on")
				r.idle()
				r.finish()
			})
		})
	}
}

func TestSummaryIsAskedForAsTheNextRequestWouldBe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"}), answers("fine"))
		r.compacts(heavy())
		asked := r.last()
		r.say("go on")
		next := r.last()
		n := len(asked.Messages) - 1
		if diff := cmp.Diff(onWire(asked.Messages[:n]), onWire(next.Messages[:n])); diff != "" || n != len(next.Messages)-1 {
			t.Errorf("%d of %d messages are the same: %s", n, len(next.Messages), diff)
		}
		if asked.System != next.System || asked.System == "" || asked.Model != next.Model || asked.Conversation != next.Conversation {
			t.Errorf("asked %q of %s, next %q of %s", asked.System, asked.Model, next.System, next.Model)
		}
		if diff := cmp.Diff(next.Tools, asked.Tools); diff != "" || len(asked.Tools) == 0 {
			t.Errorf("the tools differ: %s", diff)
		}
		if wish := asked.Messages[n]; wish.Role != projection.RoleUser || !strings.Contains(wish.Text, "Cover turns 0–2 only") {
			t.Errorf("the wish is %.200q", wish.Text)
		}
		if asked.MaxTokens <= 0 || asked.MaxTokens > 20_000 {
			t.Errorf("the answer may have %d tokens", asked.MaxTokens)
		}
		r.finish()
	})
}

func (r *rig) meterOf() meter.Meter {
	all := agenttest.Of[updates.Metered](r.watch)
	return all[len(all)-1].Meter
}

func TestServerThatNamesItsWindowIsAskedForASmallerAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, func(o *core.Options) { o.Model.Window = meter.Window{} },
			agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "prompt and answer exceed the window", Window: 16_000}), summarises(account))
		requests := len(r.provider.Requests())
		r.compacts(heavy())
		all := r.provider.Requests()[requests:]
		if len(all) != 2 || len(r.made()) != 1 {
			t.Fatalf("%d requests, refused %v", len(all), r.refused())
		}
		if diff := cmp.Diff(onWire(all[0].Messages), onWire(all[1].Messages)); diff != "" {
			t.Errorf("the messages differ: %s", diff)
		}
		if all[0].MaxTokens != 20_000 || all[1].MaxTokens >= 16_000 || all[1].MaxTokens < 1000 {
			t.Errorf("the answer may have %d, then %d tokens", all[0].MaxTokens, all[1].MaxTokens)
		}
		r.finish()
	})
}

func TestServerThatNamesEverSmallerWindowsIsNotAskedForEver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var refusals []agenttest.Reply
		for i := range 50 {
			refusals = append(refusals, agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 20_000 - 10*i}))
		}
		r := talk(t, 4, func(o *core.Options) { o.Model.Window = meter.Window{} }, refusals...)
		before, requests := r.view(), len(r.provider.Requests())
		r.compacts(heavy())
		if n := len(r.provider.Requests()) - requests; n > 10 {
			t.Errorf("%d requests", n)
		}
		unharmed(r, before, llm.Overflow, conversation.OutcomeFailed)
		r.finish()
	})
}
