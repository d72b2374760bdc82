package agent_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// server counts what it is sent by a rule, and answers each request.
type server struct {
	count func(n int, r llm.Request) llm.Tokens // of the n-th request, from 0
	reply func(n int) llm.Chunk                 // nil: a few words

	mu   sync.Mutex // a summary may be written beside a reply
	sent []llm.Request
	told []int // what was counted
}

func (s *server) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.mu.Lock()
		n := len(s.sent)
		u := s.count(n, r)
		s.sent, s.told = append(s.sent, r), append(s.told, u.Prompt)
		s.mu.Unlock()
		c := llm.Chunk{Text: fmt.Sprintf("answer %d is that %s", n, strings.Repeat("it is so ", 20))}
		if s.reply != nil {
			c = s.reply(n)
		}
		c.Stop, c.Usage = conversation.StopEnd, &u
		yield(c, nil)
	}
}

// charsPerToken is how the servers here count: not as the estimates do.
const charsPerToken = 3.2

// weigh is the tokens of a message as a server counts them.
func weigh(m projection.Message) int { return int(float64(len(m.Text))/charsPerToken) + 6 }

// whole is the tokens of a request.
func whole(r llm.Request) int {
	n := int(float64(len(r.System))/charsPerToken) + 6
	for _, m := range r.Messages {
		n += weigh(m)
	}
	return n
}

// counted is a report of a prompt, the rest unknown but for the reply.
func counted(prompt int) llm.Tokens {
	return llm.Tokens{Prompt: prompt, Cached: -1, CacheWrite: -1, Completion: 60, Reasoning: -1}
}

// cutting counts as a server that drops the oldest messages until the rest fits.
func cutting(window int) func(int, llm.Request) llm.Tokens {
	return func(_ int, r llm.Request) llm.Tokens {
		n := whole(r)
		for i := 0; n > window && i < len(r.Messages)-1; i++ {
			n -= weigh(r.Messages[i])
		}
		return counted(n)
	}
}

// uncached counts as a server that leaves out what the request before had.
func uncached() func(int, llm.Request) llm.Tokens {
	before := 0
	return func(_ int, r llm.Request) llm.Tokens {
		n := whole(r)
		defer func() { before = n }()
		return counted(n - before)
	}
}

// asking is what the user says in a turn: words chars long.
func asking(n, chars int) string {
	return strings.Repeat(fmt.Sprintf("and what of part %d then? ", n), chars/24+1)[:chars]
}

// chat says turns to a server and returns the rig. Nothing is compacted, so that
// the conversation only grows, unless change says otherwise.
func chat(t *testing.T, s *server, turns, chars int, change func(*core.Options)) *rig {
	t.Helper()
	r := start(t, func(o *core.Options) {
		o.Provider = s
		o.Model.Window = meter.Window{Source: meter.WindowUnknown}
		o.Rules = preset.RulesOf(preset.Plimsoll)
		o.Rules.Auto.Enabled = false
		if change != nil {
			change(o)
		}
	})
	for i := range turns {
		r.say(asking(i, chars))
	}
	return r
}

// warnings are the warnings in the log, and how many requests were made before
// the first.
func (r *rig) warnings() (texts []string, after int) {
	requests := 0
	for _, e := range r.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.Usage:
			requests++
		case conversation.Notice:
			if b.Level != conversation.NoticeWarning {
				continue
			}
			if texts = append(texts, b.Text); len(texts) == 1 {
				after = requests
			}
		}
	}
	return texts, after
}

// firstCut is the number of the first request of which a part was dropped, from 1.
func (s *server) firstCut() int {
	for i, r := range s.sent {
		if s.told[i] < whole(r) {
			return i + 1
		}
	}
	return 0
}

func TestASilentCutLowersTheWindowForTheConversation(t *testing.T) {
	for name, c := range map[string]struct{ chars, within int }{
		"short turns": {700, 5}, "middling turns": {1800, 2}, "long turns": {5000, 2},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := &server{count: cutting(4096)}
			r := chat(t, s, 30, c.chars, nil)
			got, after := r.warnings()
			if len(got) != 1 || !strings.Contains(got[0], "seems to cut long conversations") || !strings.Contains(got[0], "takes the window to be ") {
				t.Fatalf("warnings %q", got)
			}
			if first := s.firstCut(); after < first || after > first+c.within-1 {
				t.Errorf("told after request %d, the first cut was of request %d: %v", after, first, s.told)
			}
			w := r.reading().Window
			if w.Tokens < 3000 || w.Tokens > 4096 || w.Source != meter.WindowLearned {
				t.Errorf("the window is %+v, want about 4096, learned", w)
			}
			if read := r.reading(); !read.Estimated || read.Used < 2*4096 {
				t.Errorf("the meter reads %d, estimated %v, of a request that is more than twice the window", read.Used, read.Estimated)
			}
			r.finish()
			if kept := r.memory.Calibration(testModel.CalibrationKey); kept.Window != 0 || kept.Factor < 1.1 || kept.Factor > 1.4 {
				t.Errorf("kept %+v", kept)
			}
		})
	}
}

// A program that ends with every turn learns it, too.
func TestALoweredWindowStaysWithTheConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := chat(t, &server{count: cutting(4096)}, 20, 1800, nil)
		w := r.reading().Window
		r.finish()
		for name, c := range map[string]struct {
			own  meter.Window
			want meter.Window
		}{
			"unknown":      {meter.Window{}, w},
			"the server's": {meter.Window{Tokens: 32_768, Source: meter.WindowServer}, meter.Window{Tokens: 32_768, Source: meter.WindowServer}},
		} {
			again := prepare(t, func(o *core.Options) {
				o.Model.Window, o.Log, o.Stored.Events = c.own, r.memory, r.memory.Events()
			})
			if got := again.Meter().Window(); got != c.want {
				t.Errorf("%s: the window is %+v, want %+v", name, got, c.want)
			}
		}
	})
}

func TestACutServerGetsRequestsThatFitFromThenOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &server{count: cutting(4096)}
		r := chat(t, s, 24, 1800, func(o *core.Options) { o.Rules = preset.RulesOf(preset.Plimsoll) })
		_, after := r.warnings()
		if after == 0 {
			t.Fatal("nothing was told")
		}
		for i, q := range s.sent[after:] {
			if s.told[after+i] < whole(q) {
				t.Errorf("request %d of %d tokens was cut to %d", after+i+1, whole(q), s.told[after+i])
			}
		}
		r.finish()
	})
}

// A count alone takes no window from whoever told it: it may be wrong, as one of 3,000 tokens for every request is.
func TestAWindowThatWasToldStaysWhateverIsCounted(t *testing.T) {
	for _, source := range []meter.WindowSource{meter.WindowFlag, meter.WindowConfig, meter.WindowServer, meter.WindowCatalogue} {
		for name, count := range map[string]func(int, llm.Request) llm.Tokens{
			"cut": cutting(4096), "always the same": func(int, llm.Request) llm.Tokens { return counted(3000) },
		} {
			runBubble(t, string(source)+", "+name, func(t *testing.T) {
				window := meter.Window{Tokens: 1_000_000, Source: source}
				r := chat(t, &server{count: count}, 20, 1800, func(o *core.Options) { o.Model.ID, o.Model.Window = "claude-sonnet-5-5", window })
				if got, _ := r.warnings(); len(got) != 1 || !strings.Contains(got[0], "The window stays 1000000 tokens") {
					t.Errorf("warnings %q", got)
				}
				if w := r.reading().Window; w != window {
					t.Errorf("the window is %+v", w)
				}
				r.finish()
			})
		}
	}
}

// thoughts is a reply with reasoning.
func thoughts(n int) llm.Chunk {
	return llm.Chunk{Text: fmt.Sprint("answer ", n), Reasoning: strings.Repeat(fmt.Sprintf("thought %d, ", n), 150)}
}

// sealed is a reply with reasoning that only the endpoint reads.
func sealed(n int) llm.Chunk {
	return llm.Chunk{Text: fmt.Sprint("answer ", n), Extras: map[string]conversation.RawJSON{"reasoning_details": conversation.RawJSON(`[1]`)}}
}

// dropping counts reasoning of the newest replies, up to three, and then drops
// all of it: per is its tokens.
func dropping(per, completion, reasoning int) func(int, llm.Request) llm.Tokens {
	return func(n int, r llm.Request) llm.Tokens {
		return llm.Tokens{Prompt: whole(r) + n%4*per, Cached: -1, CacheWrite: -1, Completion: completion, Reasoning: reasoning}
	}
}

func TestInnocentReportsAreNoCuts(t *testing.T) {
	echo := func(o *core.Options) { o.Model.Caps.EchoReasoning = true }
	rnd := rand.New(rand.NewPCG(1, 2))
	quirk := func(odd ...int) func(int, llm.Request) llm.Tokens {
		return func(n int, r llm.Request) llm.Tokens {
			if n >= 8 && n%8 < len(odd) {
				return counted(odd[n%8])
			}
			return counted(whole(r))
		}
	}
	beside := uncached()
	for name, c := range map[string]struct {
		server *server
		change func(*core.Options)
		turns  int
		chars  int
	}{
		"all is counted":    {server: &server{count: func(_ int, r llm.Request) llm.Tokens { return counted(whole(r)) }}},
		"without the cache": {server: &server{count: uncached()}},
		"without a cached prompt": {server: &server{count: func(n int, r llm.Request) llm.Tokens {
			return counted(beside(n, r).Prompt - min(1, max(0, 1-n))*1500)
		}},
			change: func(o *core.Options) {
				o.System, o.Model.Calibration = strings.Repeat("rule ", 960), conversation.Calibration{Factor: 1.2, Samples: 9}
			}},
		"cached beside": {server: &server{count: func(n int, r llm.Request) llm.Tokens {
			u := counted(whole(r))
			if n > 0 {
				u.Cached = u.Prompt * 9 / 10
				u.Prompt -= u.Cached
			}
			return u
		}}},
		"a tenth either way": {turns: 80, chars: 400, server: &server{count: func(_ int, r llm.Request) llm.Tokens {
			return counted(int(float64(whole(r)) * (0.9 + 0.2*rnd.Float64())))
		}}},
		"reasoning is left out":        {server: &server{count: dropping(500, 600, 560), reply: thoughts}, change: echo},
		"sealed reasoning is left out": {server: &server{count: dropping(500, 520, 500), reply: sealed}},
		"hidden reasoning, not told":   {server: &server{count: func(_ int, r llm.Request) llm.Tokens { u := counted(whole(r)); u.Completion = 5000; return u }}},
		"a tiny count":                 {server: &server{count: quirk(1)}},
		"a huge count":                 {server: &server{count: quirk(1 << 40)}},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := chat(t, c.server, or(c.turns, 24), or(c.chars, 1500), func(o *core.Options) {
				o.Model.Window.Tokens = 1_000_000
				if c.change != nil {
					c.change(o)
				}
			})
			if got, after := r.warnings(); len(got) != 0 {
				t.Errorf("after request %d: %q; counted %v", after, got, c.server.told)
			}
			if w := r.reading().Window; w.Tokens != 1_000_000 {
				t.Errorf("the window is %+v", w)
			}
			r.finish()
		})
	}
}

// or is n, or another number for 0.
func or(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}
