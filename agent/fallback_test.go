package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func fallbackTo(id string, window int, p llm.Provider) core.Fallback {
	m := llm.Model{Provider: "other", ID: id, Window: meter.Window{Tokens: window, Source: meter.WindowCatalogue}}
	return core.Fallback{Name: m.Name(), Open: func(context.Context, llm.Model) (llm.Model, llm.Provider, error) { return m, p, nil }}
}

// unavailableFallback returns a fallback whose provider cannot be opened.
func unavailableFallback(name, why string) core.Fallback {
	return core.Fallback{Name: name, Open: func(context.Context, llm.Model) (llm.Model, llm.Provider, error) {
		return llm.Model{}, nil, errors.New(why)
	}}
}

func withFallbacks(list ...core.Fallback) func(*core.Options) {
	return func(o *core.Options) { o.Fallbacks = list }
}

func (r *rig) replyModels() []string {
	var out []string
	for _, m := range bodies[conversation.AssistantMessage](r.memory.Events()) {
		out = append(out, m.Model)
	}
	return out
}

func TestAMessageChoosesTheModelOfItsTurn(t *testing.T) {
	runBubble(t, "", func(t *testing.T) {
		second := agenttest.NewProvider(textReply("from the other"))
		r := start(t, nil, textReply("one"), textReply("three"))
		r.Send("one")
		r.SendOn("two", llm.Model{Provider: "other", ID: "n", Window: meter.Window{Tokens: 50_000, Source: meter.WindowCatalogue}}, second)
		r.Send("three")
		r.waitIdle()
		r.finish()
		checkEqual(t, []string{"test/m", "other/n", "test/m"}, r.replyModels())
		var changes []string
		for _, m := range bodies[conversation.ModelChanged](r.memory.Events()) {
			changes = append(changes, fmt.Sprintf("%s %v", m.Name(), m.OneTurn))
		}
		checkEqual(t, []string{"test/m false", "other/n true", "test/m false"}, changes)
	})
}

func TestFallbackReplacesAnOverloadedModelForOneTurn(t *testing.T) {
	for name, class := range map[string]llm.Class{"overloaded": llm.Overloaded, "rate limit": llm.RateLimited, "quota": llm.Quota} {
		runBubble(t, name, func(t *testing.T) {
			tries := []agenttest.Reply{failsWith(class), failsWith(class), failsWith(class), failsWith(class)}
			if class == llm.Quota {
				tries = tries[:1]
			}
			second := agenttest.NewProvider(textReply("from the other"))
			r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), append(tries, textReply("back again"))...)
			r.Send("one")
			r.timeUntilIdle()
			r.Send("two")
			r.waitIdle()
			r.finish()
			checkEqual(t, []string{"other/n", "test/m"}, r.replyModels())
			var changes []string
			for _, m := range bodies[conversation.ModelChanged](r.memory.Events()) {
				changes = append(changes, fmt.Sprintf("%s %v", m.Name(), m.OneTurn))
			}
			checkEqual(t, []string{"test/m false", "other/n true", "test/m false"}, changes)
			if f := r.failures(); len(f) != 0 {
				t.Errorf("failures %v, want none", f)
			}
			notices := r.notices()
			if len(notices) != 1 {
				t.Fatalf("notices %q, want one", notices)
			}
			for _, want := range []string{"test/m: " + string(class), "other/n continues this turn", "Its cache is cold: ~", "sent again", "% of its window", "The next turn goes to test/m again."} {
				if !strings.Contains(notices[0], want) {
					t.Errorf("the notice lacks %q: %s", want, notices[0])
				}
			}
		})
	}
}

func TestOtherFailuresUseNoFallback(t *testing.T) {
	for _, class := range []llm.Class{llm.Auth, llm.NotFound, llm.BadRequest, llm.Network, llm.ServerFault, llm.TooLarge} {
		runBubble(t, string(class), func(t *testing.T) {
			second := agenttest.NewProvider(textReply("from the other"))
			r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), failsWith(class), failsWith(class), failsWith(class), failsWith(class))
			r.Send("go")
			r.timeUntilIdle()
			r.finish()
			if d := cmp.Diff([]llm.Class{class}, r.failures()); d != "" || len(second.Requests()) != 0 {
				t.Errorf("failures (-want +got): %s; %d requests to the fallback, want none", d, len(second.Requests()))
			}
		})
	}
}

func TestUnusableFallbacksAreSkipped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		small, third := agenttest.NewProvider(), agenttest.NewProvider(textReply("from the third"))
		r := start(t, withFallbacks(unavailableFallback("a/b", "there is no key for a"), fallbackTo("small", 1000, small), fallbackTo("n", 50_000, third)), failsWith(llm.Quota))
		r.sendAndWait(strings.Repeat("word ", 1500))
		r.finish()
		checkEqual(t, []string{"other/n"}, r.replyModels())
		for _, want := range []string{"a/b is left out: there is no key for a.", "other/small is left out: its window of 1k is too small without a compaction."} {
			if !strings.Contains(strings.Join(r.notices(), "\n"), want) {
				t.Errorf("no notice has %q: %q", want, r.notices())
			}
		}
	})
}

// When a fallback fails, also for a missing key, the next fallback takes over.
func TestNextFallbackReplacesAFailingFallback(t *testing.T) {
	bubble(t, func(t *testing.T) {
		second, third := agenttest.NewProvider(failsWith(llm.Auth)), agenttest.NewProvider(textReply("from the third"))
		r := start(t, withFallbacks(fallbackTo("second", 50_000, second), fallbackTo("third", 50_000, third)), failsWith(llm.Quota), textReply("fine"))
		r.sendAndWait("go")
		r.sendAndWait("again")
		r.finish()
		checkEqual(t, []string{"other/third", "test/m"}, r.replyModels())
		if n := r.notices(); len(n) != 2 || !strings.Contains(n[1], "The next turn goes to test/m again.") {
			t.Errorf("notices %q, want the second to name the next turn's model", n)
		}
	})
}

func TestPartialReplyIsDiscardedWhenAFallbackTakesOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		second := agenttest.NewProvider(textReply("all of it"))
		broken := agenttest.Join(agenttest.StreamText("half of"), agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "overloaded", NoRetry: true}))
		r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), broken)
		r.sendAndWait("go")
		r.finish()
		if got := messageLines(r.memory.Events()); got[len(got)-1] != "assistant stop all of it" || len(r.replyModels()) != 1 {
			t.Errorf("the log is %q, want the fallback's whole reply alone", got)
		}
		if len(agenttest.UpdatesOf[updates.Discarded](r.watch)) != 1 {
			t.Error("the partial reply was not discarded once")
		}
	})
}

func TestModelChosenDuringAFallbackTurnStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		second := agenttest.NewProvider(agenttest.Join(agenttest.WaitAtGate(gate), textReply("from the second")))
		chosen := agenttest.NewProvider(textReply("from the one that was chosen"))
		r := start(t, withFallbacks(fallbackTo("n", 50_000, second)), failsWith(llm.Quota))
		r.sendAndWait("go")
		r.SwitchModel(llm.Model{Provider: "chosen", ID: "c"}, chosen)
		r.waitIdle()
		gate.Open()
		r.waitIdle()
		r.sendAndWait("again")
		r.finish()
		checkEqual(t, []string{"other/n", "chosen/c"}, r.replyModels())
	})
}

// fullCacheError is llama.cpp's error when its slots have filled the cache they share.
func fullCacheError() *llm.Error {
	return &llm.Error{Class: llm.Overflow, Message: "the request is larger than the context window: Context size has been exceeded."}
}

func TestFullServerCacheIsNotAnOverflow(t *testing.T) {
	for name, c := range map[string]struct {
		window meter.Window
		text   string // said, at three characters a token or more
		err    *llm.Error
		again  bool
	}{
		"smaller than the window":       {windowOf(8192, meter.WindowServer), "go", fullCacheError(), true},
		"behind a piece of the reply":   {windowOf(8192, meter.WindowServer), "go", fullCacheError(), true},
		"about as large as the window":  {windowOf(8192, meter.WindowServer), strings.Repeat("word upon word ", 1900), fullCacheError(), false},
		"the window is not known":       {meter.Window{}, "go", fullCacheError(), false},
		"the window is the user's":      {windowOf(8192, meter.WindowConfig), "go", fullCacheError(), false},
		"the window is the catalogue's": {windowOf(8192, meter.WindowCatalogue), "go", fullCacheError(), false},
		"with a number":                 {windowOf(8192, meter.WindowServer), "go", &llm.Error{Class: llm.Overflow, Message: "too long", Requested: 9000}, false},
	} {
		runBubble(t, name, func(t *testing.T) {
			first := agenttest.Fail(c.err)
			if strings.Contains(name, "piece") {
				first = agenttest.Join(agenttest.StreamText("WAR"), first)
			}
			r := start(t, func(o *core.Options) { o.Model.Window = c.window }, first, agenttest.Fail(c.err), textReply("fine"))
			r.Send(c.text)
			r.timeUntilIdle()
			failed := agenttest.UpdatesOf[updates.Failed](r.watch)
			if (len(failed) == 0) != c.again {
				t.Fatalf("failures %v: a retry that works reports none", failed)
			}
			if got := messageLines(r.memory.Events()); c.again && got[len(got)-1] != "assistant stop fine" {
				t.Errorf("the log is %q, want the retried reply", got)
			}
			for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
				if s.Phase == updates.Retrying && strings.Contains(s.Why, "larger than") {
					t.Errorf("the retry's reason is %q, want no overflow", s.Why)
				}
			}
			r.finish()
		})
	}
}

// sharedCacheServer is a server whose requests share one cache: two requests at the same
// time both fail with an error about its size. Each reply takes a second.
type sharedCacheServer struct {
	mu      sync.Mutex
	running int
	order   []string
	clash   chan struct{} // closed when the requests that run now collide
}

func (s *sharedCacheServer) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		who := "reply"
		if last := r.Messages[len(r.Messages)-1].Text; strings.Contains(strings.ToLower(r.System+last), "summar") {
			who = "summary"
		}
		s.mu.Lock()
		if s.running == 0 {
			s.clash = make(chan struct{})
		}
		s.running++
		clash := s.clash
		s.order = append(s.order, who)
		if s.running == 2 {
			close(clash)
		}
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.running--
			s.mu.Unlock()
		}()
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			yield(llm.Chunk{}, &llm.Error{Class: llm.Cancelled, Message: "stopped", Err: context.Cause(ctx)})
			return
		case <-clash:
			yield(llm.Chunk{}, fullCacheError())
			return
		}
		text := "fine"
		if who == "summary" {
			text = fallbackSummary
		}
		u := reportedPrompt(400)
		yield(llm.Chunk{Text: text, Stop: conversation.StopEnd, Usage: &u}, nil)
	}
}

// fallbackSummary is a summary that passes the acceptance checks.
var fallbackSummary = "## Goal\nThe user talks of parts and asks what of each.\n\n## Progress\n" + strings.Repeat("Part after part was looked at and answered in turn. ", 12)

// A summary that finds the cache full fails after one retry, and the conversation continues.
func TestSummaryFailsWhenTheServerCacheStaysFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &sharedCacheServer{}
		r := start(t, func(o *core.Options) {
			o.Model.Window, o.Provider = windowOf(32_768, meter.WindowServer), s
			o.Rules = preset.RulesOf(preset.Plimsoll)
			o.Rules.Auto.Background = true
		})
		for i := range 6 {
			r.Send(longQuestion(i, 900))
			time.Sleep(2 * time.Second)
			r.waitIdle()
		}
		request := edit.NewRequest()
		request.Profile, request.KeepLast, request.Source = preset.ProfileHeavy, 1, conversation.SourceManual
		r.Compact(request)
		r.waitIdle() // the summary's request is made
		r.Send("and what of the last?")
		time.Sleep(90 * time.Second)
		r.waitIdle()
		failed := agenttest.UpdatesOf[updates.CompactionFailed](r.watch)
		if len(failed) != 1 || !strings.Contains(failed[0].Err.Message, "cache is full") || len(agenttest.UpdatesOf[updates.Compacted](r.watch)) != 0 {
			t.Errorf("failures %+v, want one that names the full cache; requests %v", failed, s.order)
		}
		if got := messageLines(r.memory.Events()); !strings.HasPrefix(got[len(got)-1], "assistant stop fine") || len(r.failures()) != 0 {
			t.Errorf("the log is %q, want a reply after the failed compaction; failures %v", got, r.failures())
		}
		r.finish()
	})
}
