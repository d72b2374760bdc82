package agent_test

import (
	"cmp"
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

// reportingServer answers each request and reports the prompt tokens that count returns.
type reportingServer struct {
	count func(n int, r llm.Request) llm.Tokens // of the n-th request, from 0
	reply func(n int) llm.Chunk                 // nil: a few words

	mu   sync.Mutex // a summary may be written beside a reply
	sent []llm.Request
	told []int // what was counted
}

func (s *reportingServer) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
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

// charsPerToken is the servers' ratio, which differs from that of the estimates.
const charsPerToken = 3.2

// messageTokens returns the tokens of a message as the servers count them.
func messageTokens(m projection.Message) int { return int(float64(len(m.Text))/charsPerToken) + 6 }

// requestTokens returns the tokens of a request as the servers count them.
func requestTokens(r llm.Request) int {
	n := int(float64(len(r.System))/charsPerToken) + 6
	for _, m := range r.Messages {
		n += messageTokens(m)
	}
	return n
}

// reportedPrompt returns a usage report with the prompt and the completion, the rest unknown.
func reportedPrompt(prompt int) llm.Tokens {
	return llm.Tokens{Prompt: prompt, Cached: -1, CacheWrite: -1, Completion: 60, Reasoning: -1}
}

// countsTruncated counts like a server that drops the oldest messages until the rest fits.
func countsTruncated(window int) func(int, llm.Request) llm.Tokens {
	return func(_ int, r llm.Request) llm.Tokens {
		n := requestTokens(r)
		for i := 0; n > window && i < len(r.Messages)-1; i++ {
			n -= messageTokens(r.Messages[i])
		}
		return reportedPrompt(n)
	}
}

// countsUncached counts like a server that reports only tokens the previous request did not have.
func countsUncached() func(int, llm.Request) llm.Tokens {
	before := 0
	return func(_ int, r llm.Request) llm.Tokens {
		n := requestTokens(r)
		defer func() { before = n }()
		return reportedPrompt(n - before)
	}
}

// longQuestion returns the user message of turn n, chars long.
func longQuestion(n, chars int) string {
	return strings.Repeat(fmt.Sprintf("and what of part %d then? ", n), chars/24+1)[:chars]
}

// startReporting runs turns with a server and returns the rig. Automatic compaction is off
// unless change enables it, so that the conversation only grows.
func startReporting(t *testing.T, s *reportingServer, turns, chars int, change func(*core.Options)) *rig {
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
		r.sendAndWait(longQuestion(i, chars))
	}
	return r
}

// warnings returns the warnings in the log, and the number of requests before the first.
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

// firstTruncated returns the number of the first truncated request, from 1.
func (s *reportingServer) firstTruncated() int {
	for i, r := range s.sent {
		if s.told[i] < requestTokens(r) {
			return i + 1
		}
	}
	return 0
}

func TestSilentTruncationLowersTheWindowOfTheConversation(t *testing.T) {
	for name, c := range map[string]struct{ chars, within int }{
		"short turns": {700, 5}, "middling turns": {1800, 2}, "long turns": {5000, 2},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := &reportingServer{count: countsTruncated(4096)}
			r := startReporting(t, s, 30, c.chars, nil)
			got, after := r.warnings()
			if len(got) != 1 || !strings.Contains(got[0], "seems to cut long conversations") || !strings.Contains(got[0], "takes the window to be ") {
				t.Fatalf("warnings %q, want one with the window", got)
			}
			if first := s.firstTruncated(); after < first || after > first+c.within-1 {
				t.Errorf("warned after request %d, the server first truncated request %d: counts %v", after, first, s.told)
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
				t.Errorf("the calibration is %+v, want no window and a factor of 1.1 to 1.4", kept)
			}
		})
	}
}

// A restarted program reads the lowered window from the log.
func TestALoweredWindowStaysWithTheConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startReporting(t, &reportingServer{count: countsTruncated(4096)}, 20, 1800, nil)
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

func TestRequestsFitAfterASilentTruncation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &reportingServer{count: countsTruncated(4096)}
		r := startReporting(t, s, 24, 1800, func(o *core.Options) { o.Rules = preset.RulesOf(preset.Plimsoll) })
		_, after := r.warnings()
		if after == 0 {
			t.Fatal("no warning was reported")
		}
		for i, q := range s.sent[after:] {
			if s.told[after+i] < requestTokens(q) {
				t.Errorf("request %d of %d tokens was truncated to %d", after+i+1, requestTokens(q), s.told[after+i])
			}
		}
		r.finish()
	})
}

// A reported count alone does not replace a known window: it may be wrong, such as 3,000 tokens for every request.
func TestKnownWindowIsKeptWhateverTheServerCounts(t *testing.T) {
	for _, source := range []meter.WindowSource{meter.WindowFlag, meter.WindowConfig, meter.WindowServer, meter.WindowCatalogue} {
		for name, count := range map[string]func(int, llm.Request) llm.Tokens{
			"cut": countsTruncated(4096), "always the same": func(int, llm.Request) llm.Tokens { return reportedPrompt(3000) },
		} {
			runBubble(t, string(source)+", "+name, func(t *testing.T) {
				window := meter.Window{Tokens: 1_000_000, Source: source}
				r := startReporting(t, &reportingServer{count: count}, 20, 1800, func(o *core.Options) { o.Model.ID, o.Model.Window = "claude-sonnet-5-5", window })
				if got, _ := r.warnings(); len(got) != 1 || !strings.Contains(got[0], "The window stays 1000000 tokens") {
					t.Errorf("warnings %q, want one that the window stays", got)
				}
				if w := r.reading().Window; w != window {
					t.Errorf("the window is %+v, want %+v", w, window)
				}
				r.finish()
			})
		}
	}
}

func reasoningReply(n int) llm.Chunk {
	return llm.Chunk{Text: fmt.Sprint("answer ", n), Reasoning: strings.Repeat(fmt.Sprintf("thought %d, ", n), 150)}
}

// encryptedReasoningReply returns a reply with reasoning that only the endpoint can read.
func encryptedReasoningReply(n int) llm.Chunk {
	return llm.Chunk{Text: fmt.Sprint("answer ", n), Extras: map[string]conversation.RawJSON{"reasoning_details": conversation.RawJSON(`[1]`)}}
}

// countsRecentReasoning counts the reasoning of up to three of the newest replies, per tokens each, and then of none.
func countsRecentReasoning(per, completion, reasoning int) func(int, llm.Request) llm.Tokens {
	return func(n int, r llm.Request) llm.Tokens {
		return llm.Tokens{Prompt: requestTokens(r) + n%4*per, Cached: -1, CacheWrite: -1, Completion: completion, Reasoning: reasoning}
	}
}

func TestOddTokenCountsAreNotTakenForTruncation(t *testing.T) {
	echo := func(o *core.Options) { o.Model.Caps.EchoReasoning = true }
	rnd := rand.New(rand.NewPCG(1, 2))
	quirk := func(odd ...int) func(int, llm.Request) llm.Tokens {
		return func(n int, r llm.Request) llm.Tokens {
			if n >= 8 && n%8 < len(odd) {
				return reportedPrompt(odd[n%8])
			}
			return reportedPrompt(requestTokens(r))
		}
	}
	beside := countsUncached()
	for name, c := range map[string]struct {
		server *reportingServer
		change func(*core.Options)
		turns  int
		chars  int
	}{
		"all is counted":    {server: &reportingServer{count: func(_ int, r llm.Request) llm.Tokens { return reportedPrompt(requestTokens(r)) }}},
		"without the cache": {server: &reportingServer{count: countsUncached()}},
		"without a cached prompt": {server: &reportingServer{count: func(n int, r llm.Request) llm.Tokens {
			return reportedPrompt(beside(n, r).Prompt - min(1, max(0, 1-n))*1500)
		}},
			change: func(o *core.Options) {
				o.System, o.Model.Calibration = strings.Repeat("rule ", 960), conversation.Calibration{Factor: 1.2, Samples: 9}
			}},
		"cached beside": {server: &reportingServer{count: func(n int, r llm.Request) llm.Tokens {
			u := reportedPrompt(requestTokens(r))
			if n > 0 {
				u.Cached = u.Prompt * 9 / 10
				u.Prompt -= u.Cached
			}
			return u
		}}},
		"a tenth either way": {turns: 80, chars: 400, server: &reportingServer{count: func(_ int, r llm.Request) llm.Tokens {
			return reportedPrompt(int(float64(requestTokens(r)) * (0.9 + 0.2*rnd.Float64())))
		}}},
		"reasoning is left out":        {server: &reportingServer{count: countsRecentReasoning(500, 600, 560), reply: reasoningReply}, change: echo},
		"sealed reasoning is left out": {server: &reportingServer{count: countsRecentReasoning(500, 520, 500), reply: encryptedReasoningReply}},
		"hidden reasoning, not told": {server: &reportingServer{count: func(_ int, r llm.Request) llm.Tokens {
			u := reportedPrompt(requestTokens(r))
			u.Completion = 5000
			return u
		}}},
		"a tiny count": {server: &reportingServer{count: quirk(1)}},
		"a huge count": {server: &reportingServer{count: quirk(1 << 40)}},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := startReporting(t, c.server, cmp.Or(c.turns, 24), cmp.Or(c.chars, 1500), func(o *core.Options) {
				o.Model.Window.Tokens = 1_000_000
				if c.change != nil {
					c.change(o)
				}
			})
			if got, after := r.warnings(); len(got) != 0 {
				t.Errorf("after request %d: warnings %q, want none; the server's counts %v", after, got, c.server.told)
			}
			if w := r.reading().Window; w.Tokens != 1_000_000 {
				t.Errorf("the window is %+v, want 1000000", w)
			}
			r.finish()
		})
	}
}
