package agent_test

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// full is what llama.cpp says when its slots have filled the cache they share.
func full() *llm.Error {
	return &llm.Error{Class: llm.Overflow, Message: "the request is larger than the context window: Context size has been exceeded."}
}

func TestAFullCacheIsNoOverflow(t *testing.T) {
	for name, c := range map[string]struct {
		window meter.Window
		text   string // said, at three characters a token or more
		err    *llm.Error
		again  bool
	}{
		"smaller than the window":       {sized(8192, meter.WindowServer), "go", full(), true},
		"behind a piece of the reply":   {sized(8192, meter.WindowServer), "go", full(), true},
		"about as large as the window":  {sized(8192, meter.WindowServer), strings.Repeat("word upon word ", 1900), full(), false},
		"the window is not known":       {meter.Window{}, "go", full(), false},
		"the window is the user's":      {sized(8192, meter.WindowConfig), "go", full(), false},
		"the window is the catalogue's": {sized(8192, meter.WindowCatalogue), "go", full(), false},
		"with a number":                 {sized(8192, meter.WindowServer), "go", &llm.Error{Class: llm.Overflow, Message: "too long", Requested: 9000}, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				first := agenttest.Fail(c.err)
				if strings.Contains(name, "piece") {
					first = agenttest.Join(agenttest.Say("WAR"), first)
				}
				r := start(t, func(o *core.Options) { o.Model.Window = c.window }, first, agenttest.Fail(c.err), answers("fine"))
				r.Send(c.text)
				r.settle()
				failed := agenttest.Of[updates.Failed](r.watch)
				if (len(failed) == 0) != c.again {
					t.Fatalf("told %v", failed)
				}
				if got := said(r.memory.Events()); c.again && got[len(got)-1] != "assistant stop fine" {
					t.Errorf("%q", got)
				}
				for _, s := range agenttest.Of[updates.Status](r.watch) {
					if s.Phase == updates.Retrying && strings.Contains(s.Why, "larger than") {
						t.Errorf("told %q", s.Why)
					}
				}
				r.finish()
			})
		})
	}
}

// A cache that stays full is no reason to begin a new conversation.
func TestACacheThatStaysFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := agenttest.NewProvider()
		for range 40 {
			s.Add(agenttest.Fail(full()))
		}
		r := start(t, func(o *core.Options) { o.Model.Window, o.Provider = sized(8192, meter.WindowServer), s })
		r.Send("go")
		took := r.settle()
		failed := agenttest.Of[updates.Failed](r.watch)
		if len(failed) != 1 || failed[0].Err.Class != llm.Overloaded || strings.Contains(failed[0].Err.Hint, "new conversation") || !strings.Contains(failed[0].Err.Hint, "-np") {
			t.Errorf("told %+v", failed)
		}
		if took < 45*time.Second || took > 61*time.Second {
			t.Errorf("given up after %v", took)
		}
		r.finish()
	})
}

// crowded is a server whose requests share one cache: of two beside each other
// each ends with words about its size. It takes a second for each reply.
type crowded struct {
	mu      sync.Mutex
	running int
	most    int
	failed  int
	order   []string
	clash   chan struct{} // closed when the requests that run now collide
}

func (s *crowded) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
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
		s.most = max(s.most, s.running)
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
			s.mu.Lock()
			s.failed++
			s.mu.Unlock()
			yield(llm.Chunk{}, full())
			return
		}
		text := "fine"
		if who == "summary" {
			text = agenttestSummary
		}
		u := counted(400)
		yield(llm.Chunk{Text: text, Stop: conversation.StopEnd, Usage: &u}, nil)
	}
}

// agenttestSummary is a summary that counts.
var agenttestSummary = "## Goal\nThe user talks of parts and asks what of each.\n\n## Progress\n" + strings.Repeat("Part after part was looked at and answered in turn. ", 12)

// Where requests share one cache the summary waits for the conversation's request,
// without holding up anybody, and is made in the end.
func TestASummaryMakesWayWhereACacheIsShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &crowded{}
		r := start(t, func(o *core.Options) {
			o.Model.Window, o.Provider = sized(32_768, meter.WindowServer), s
			o.Rules = preset.RulesOf(preset.Plimsoll)
			o.Rules.Auto.Background = true
		})
		for i := range 6 {
			r.Send(asking(i, 900))
			time.Sleep(2 * time.Second)
			r.wait()
		}
		wish := edit.NewRequest()
		wish.Profile, wish.KeepLast, wish.Source = preset.ProfileHeavy, 1, conversation.SourceManual
		r.Compact(wish)
		r.wait() // the summary's request is made
		r.Send("and what of the last?")
		time.Sleep(90 * time.Second)
		r.wait()
		if s.failed != 2 { // the two that collided first
			t.Errorf("%d requests failed: %v", s.failed, s.order)
		}
		if n := len(agenttest.Of[updates.Compacted](r.watch)); n != 1 {
			t.Errorf("%d compactions, failures %+v, %v", n, agenttest.Of[updates.CompactionFailed](r.watch), s.order)
		}
		if got := said(r.memory.Events()); !strings.HasPrefix(got[len(got)-1], "assistant stop fine") || len(r.failures()) != 0 {
			t.Errorf("%q, %v", got, r.failures())
		}
		// From now on it is known: what is asked for while a summary is written goes first.
		r.Send(asking(8, 900))
		time.Sleep(3 * time.Second)
		r.wait()
		r.Compact(wish)
		r.wait()
		r.Send("and again?")
		time.Sleep(30 * time.Second)
		r.wait()
		if s.failed != 2 {
			t.Errorf("%d requests failed in the end: %v", s.failed, s.order)
		}
		if n := len(agenttest.Of[updates.Compacted](r.watch)); n != 2 {
			t.Errorf("%d compactions: %+v", n, agenttest.Of[updates.CompactionFailed](r.watch))
		}
		r.finish()
	})
}
