package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

func sized(tokens int, source meter.WindowSource) meter.Window {
	return meter.Window{Tokens: tokens, Source: source}
}

// tells answers the question for the window, and counts how often it was asked.
type tells struct {
	tokens, asked int
}

func (s *tells) window(context.Context, llm.Model) meter.Window {
	s.asked++
	return sized(s.tokens, meter.WindowServer)
}

// reported is a whole reply whose prompt the server counted.
func reported(prompt int) agenttest.Reply {
	return agenttest.Join(agenttest.Say("fine"), agenttest.Used(prompt, 60), agenttest.Stop(conversation.StopEnd))
}

func TestWhichWindowCounts(t *testing.T) {
	const large, small = 16_384, 4096
	for name, c := range map[string]struct {
		have, told, want meter.Window
	}{
		"told beats learned before":        {sized(small, meter.WindowLearned), sized(large, meter.WindowServer), sized(large, meter.WindowServer)},
		"told beats told before":           {sized(large, meter.WindowServer), sized(small, meter.WindowServer), sized(small, meter.WindowServer)},
		"a refusal beats told before":      {sized(large, meter.WindowServer), sized(small, meter.WindowLearned), sized(small, meter.WindowLearned)},
		"told beats the catalogue":         {sized(large, meter.WindowCatalogue), sized(small, meter.WindowServer), sized(small, meter.WindowServer)},
		"the configuration stays":          {sized(small, meter.WindowConfig), sized(large, meter.WindowServer), sized(small, meter.WindowConfig)},
		"the flag stays":                   {sized(small, meter.WindowFlag), sized(large, meter.WindowServer), sized(small, meter.WindowFlag)},
		"the catalogue beats nothing told": {sized(small, meter.WindowLearned), sized(large, meter.WindowCatalogue), sized(small, meter.WindowLearned)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, func(o *core.Options) { o.Model.Window = c.have })
				r.SetWindow("test/m", c.told)
				r.wait()
				if got := r.reading().Window; got != c.want {
					t.Errorf("%+v in force, want %+v", got, c.want)
				}
				r.finish()
			})
		})
	}
}

// What was learned in an earlier run gives way to what the server says, for later runs, too.
func TestWhatTheServerSaysEndsWhatWasLearned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) {
			o.Model.Window = sized(4096, meter.WindowLearned)
			o.Model.Calibration = conversation.Calibration{Factor: 1, Window: 4096}
		})
		r.SetWindow("test/m", sized(16_384, meter.WindowServer))
		r.wait()
		r.finish()
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Factor != 1 || c.Window != 16_384 {
			t.Errorf("kept %+v", c)
		}
	})
}

func TestAReportAboveTheWindowDisprovesIt(t *testing.T) {
	for name, c := range map[string]struct {
		have  meter.Window
		tells int // 0: the server does not say
		want  meter.Window
		notes int
	}{
		"learned, and the server says":       {sized(4096, meter.WindowLearned), 16_384, sized(16_384, meter.WindowServer), 0},
		"learned, and the server is silent":  {sized(4096, meter.WindowLearned), 0, sized(0, meter.WindowUnknown), 1},
		"told, and the server says the same": {sized(4096, meter.WindowServer), 4096, sized(0, meter.WindowUnknown), 1},
		"of the user":                        {sized(4096, meter.WindowFlag), 16_384, sized(4096, meter.WindowFlag), 0},
		"of the catalogue":                   {sized(4096, meter.WindowCatalogue), 0, sized(4096, meter.WindowCatalogue), 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &tells{tokens: c.tells}
				r := start(t, func(o *core.Options) {
					o.Model.Window, o.AskWindow = c.have, s.window
					o.Model.Calibration = conversation.Calibration{Factor: 1, Window: 4096}
				}, reported(4662))
				r.say("go")
				if got := r.reading().Window; got != c.want {
					t.Errorf("%+v in force, want %+v", got, c.want)
				}
				r.finish()
				notes := 0
				for _, e := range r.memory.Events() {
					if n, ok := e.Body.(conversation.Notice); ok && strings.Contains(n.Text, "--window") {
						notes++
					}
				}
				if notes != c.notes {
					t.Errorf("%d notes of it, want %d", notes, c.notes)
				}
				if kept := r.memory.Calibration(testModel.CalibrationKey); told(c.have) && (kept.Factor == 0 || kept.Window != c.want.Tokens) {
					t.Errorf("kept %+v", kept)
				}
			})
		})
	}
}

func told(w meter.Window) bool {
	return w.Source == meter.WindowLearned || w.Source == meter.WindowServer
}

// Before a request is held back for its size the server is asked once more: it may
// have been started anew.
func TestARequestIsNotHeldBackForAWindowOfBefore(t *testing.T) {
	long := strings.Repeat("word upon word ", 2000)
	for name, c := range map[string]struct {
		have  meter.Window
		tells int
		sent  bool
		asked int
		at    string
	}{
		"started anew":              {sized(4096, meter.WindowLearned), 16_384, true, 1, "http://test"},
		"told, started anew":        {sized(4096, meter.WindowServer), 16_384, true, 1, "http://test"},
		"as before":                 {sized(4096, meter.WindowServer), 4096, false, 1, "http://test"},
		"silent":                    {sized(4096, meter.WindowLearned), 0, false, 1, "http://test"},
		"the user's":                {sized(4096, meter.WindowFlag), 16_384, false, 0, "http://test"},
		"no server, as of the demo": {sized(4096, meter.WindowServer), 0, false, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &tells{tokens: c.tells}
				r := start(t, func(o *core.Options) {
					o.Model.Window, o.Model.BaseURL, o.AskWindow = c.have, c.at, s.window
				}, answers("fine"))
				r.say(long)
				if sent := len(r.provider.Requests()) == 1; sent != c.sent || s.asked != c.asked {
					t.Errorf("sent %v, asked %d times; want %v, %d", sent, s.asked, c.sent, c.asked)
				}
				for _, f := range agenttest.Of[updates.Failed](r.watch) {
					if named := strings.Contains(f.Err.Hint, "--window"); named != (told(c.have) && c.at != "") {
						t.Errorf("hint %q", f.Err.Hint)
					}
				}
				r.finish()
			})
		})
	}
}

// A server that is back after it was gone may have another window.
func TestAServerThatCameBackIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &tells{tokens: 16_384}
		r := start(t, func(o *core.Options) {
			o.Model.Window, o.AskWindow = sized(4096, meter.WindowServer), s.window
		}, fails(llm.Network), reported(300))
		r.Send("go")
		r.settle()
		if got := r.reading().Window; got.Tokens != 16_384 || s.asked != 1 {
			t.Errorf("%+v in force, asked %d times", got, s.asked)
		}
		r.finish()
	})
}

// The server says its exact window at the first report that falls short, so that
// what was counted need not stand for it.
func TestAShortReportAsksForTheExactWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &tells{tokens: 4096}
		r := chat(t, &server{count: cutting(4096)}, 30, 1800, func(o *core.Options) {
			o.Model.Window, o.AskWindow = meter.Window{}, s.window
		})
		if got := r.reading().Window; got != sized(4096, meter.WindowServer) || s.asked != 1 {
			t.Errorf("%+v in force, asked %d times", got, s.asked)
		}
		r.finish()
	})
}

func TestAKnownWindowIsNotToldAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model.Window = sized(4096, meter.WindowServer) },
			agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 4096, Requested: 5000}))
		r.say("go")
		r.finish()
		for _, e := range r.memory.Events() {
			if n, ok := e.Body.(conversation.Notice); ok {
				t.Errorf("told %q", n.Text)
			}
		}
		c := r.memory.Calibration(testModel.CalibrationKey)
		if at := time.Unix(c.WindowAt, 0); c.Window != 4096 || time.Since(at) > time.Minute {
			t.Errorf("kept %+v", c)
		}
	})
}

func TestALearnedWindowExpires(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		at   time.Time
		want int
	}{
		"an hour ago": {now.Add(-time.Hour), 4096}, "a month ago": {now.Add(-30 * 24 * time.Hour), 0},
		"by a clock that was set back": {now.Add(time.Hour), 4096},
	} {
		if got := (conversation.Calibration{Window: 4096, WindowAt: c.at.Unix()}).LearnedWindow(now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := (conversation.Calibration{Window: 4096}).LearnedWindow(now); got != 4096 {
		t.Errorf("of an older version: %d", got)
	}
}
