package agent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func TestASilentCutLowersTheWindowForTheConversation(t *testing.T) {
	for name, c := range map[string]struct{ chars, within int }{
		"short turns": {700, 5}, "middling turns": {1800, 2}, "long turns": {5000, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
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
			t.Run(string(source)+", "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
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
			})
		}
	}
}

func TestALoweredWindowRisesWithALaterReport(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cut := cutting(4096)
		s := &server{}
		s.count = func(n int, r llm.Request) llm.Tokens {
			if n < 10 {
				return cut(n, r)
			}
			return counted(whole(r)) // the model was loaded anew
		}
		r := chat(t, s, 10, 1800, nil)
		if w := r.reading().Window; w.Tokens > 4096 {
			t.Fatalf("the window is %+v", w)
		}
		r.say("and now?")
		if w := r.reading().Window; w.Tokens != s.told[10] || s.told[10] < 5000 {
			t.Errorf("the window is %+v, the server counted %d", w, s.told[10])
		}
		r.SetWindow("test/m", meter.Window{Tokens: 30_000, Source: meter.WindowFlag})
		r.say("and now?")
		if w := r.reading().Window; w.Tokens != 30_000 {
			t.Errorf("the window is %+v, want the user's", w)
		}
		r.finish()
	})
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
		"all is counted":            {server: &server{count: func(_ int, r llm.Request) llm.Tokens { return counted(whole(r)) }}},
		"without the cache":         {server: &server{count: uncached()}},
		"without the cache, long":   {server: &server{count: uncached()}, chars: 9000, turns: 8},
		"without the cache, learnt": {server: &server{count: uncached()}, change: func(o *core.Options) { o.Model.Calibration = conversation.Calibration{Factor: 1.2, Samples: 9} }},
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
		"a tenth either way": {turns: 200, chars: 400, server: &server{count: func(_ int, r llm.Request) llm.Tokens {
			return counted(int(float64(whole(r)) * (0.9 + 0.2*rnd.Float64())))
		}}},
		"reasoning is left out":        {server: &server{count: dropping(500, 600, 560), reply: thoughts}, change: echo},
		"sealed reasoning is left out": {server: &server{count: dropping(500, 520, 500), reply: sealed}},
		"hidden reasoning, not told":   {server: &server{count: func(_ int, r llm.Request) llm.Tokens { u := counted(whole(r)); u.Completion = 5000; return u }}},
		"nothing":                      {server: &server{count: quirk(0, -1)}},
		"a tiny count":                 {server: &server{count: quirk(1)}},
		"a doubled count": {server: &server{count: func(n int, r llm.Request) llm.Tokens {
			if n == 9 {
				return counted(2 * whole(r))
			}
			return counted(whole(r))
		}}},
		"a huge count": {server: &server{count: quirk(1 << 40)}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
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

func TestTextsThatWeighLittleAreNoCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &server{count: func(_ int, r llm.Request) llm.Tokens {
			n := whole(r)
			for _, m := range r.Messages {
				n -= strings.Count(m.Text, " \n") * 30 // of which a token has more
			}
			return counted(n)
		}}
		r := chat(t, s, 4, 1500, nil)
		for range 6 {
			r.say(strings.Repeat(strings.Repeat("|", 110)+" \n", 100))
			r.say("go on")
		}
		for i := range 6 {
			r.say(asking(i, 1500))
		}
		if got, after := r.warnings(); len(got) != 0 {
			t.Errorf("after request %d: %q; counted %v", after, got, s.told)
		}
		r.finish()
	})
}

func TestCountsWithoutTheCacheNeitherAnchorNorTeach(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := chat(t, &server{count: uncached()}, 10, 1500, nil)
		if short, all := r.shorts(); short != all-1 {
			t.Errorf("%d of %d reports are marked", short, all)
		}
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Samples != 1 {
			t.Errorf("learned %+v", c)
		}
		if read := r.reading(); !read.Estimated || read.Used < 4000 {
			t.Errorf("the meter reads %d, estimated %v", read.Used, read.Estimated)
		}
		r.finish()
	})
}

func TestACutIsToldOnceForAModel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &server{count: cutting(4096)}
		r := chat(t, s, 12, 1800, nil)
		other := testModel
		other.ID, other.CalibrationKey = "n", "other"
		other.Window = meter.Window{Tokens: 32_768, Source: meter.WindowCatalogue}
		for _, to := range []llm.Model{other, testModel} {
			r.SwitchModel(to, s)
			for i := range 6 {
				r.say(asking(i, 1800))
			}
		}
		if got, _ := r.warnings(); len(got) != 2 {
			t.Errorf("warnings %q, want one for each of two models", got)
		}
		r.finish()
	})
}
