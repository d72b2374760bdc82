package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What servers do wrong: each leads to the right thing on the screen, what had
// arrived is kept, and the next message works.

// secret is the key that tests give; it may be seen nowhere.
const secret = "sk-e2e-3f9a81c07b52d64e"

// mishap is a request that does not go well.
type mishap struct {
	name   string
	script []reply  // replies to the message
	see    []string // on the screen at the end of the turn
	kept   string   // what had arrived, if anything
	unseen string   // what may not be on the screen
}

// again is a reply n times.
func again(n int, r reply) []reply {
	out := make([]reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// soon asks to be tried again in 20 ms.
var soon = map[string]string{"Retry-After-Ms": "20"}

func refusals() []mishap {
	return []mishap{
		{name: "400", script: again(1, status(400, nil, `{"error":{"message":"no such parameter: frobnicate","type":"invalid_request_error"}}`)),
			see: []string{"no such parameter: frobnicate", "Request refused (400)"}},
		{name: "401", script: again(1, status(401, nil, `{"error":{"message":"Incorrect API key provided: `+secret+`","code":"invalid_api_key"}}`)),
			see: []string{"Key refused (401)"}, unseen: secret},
		{name: "404", script: again(1, status(404, nil, `{"error":{"message":"model test-model does not exist","code":"model_not_found"}}`)),
			see: []string{"model test-model does not exist", "No such model or address (404)"}},
		{name: "413", script: again(1, status(413, nil, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."}}`)),
			see: []string{"Larger than the context window (413)", "maximum context length is 4096"}},
		{name: "429 that passes", script: []reply{status(429, map[string]string{"Retry-After": "1"}, `{"error":{"message":"slow down"}}`), says("There we are.")},
			see: []string{"There we are."}, unseen: "slow down"},
		{name: "429 for an hour", script: again(1, status(429, map[string]string{"Retry-After": "3600"}, `{"error":{"message":"slow down"}}`)),
			see: []string{"slow down", "Rate limited (429)", "the server asks to wait 1h0m0s"}},
		{name: "500 that passes", script: append(again(3, status(500, soon, `{"error":{"message":"oops"}}`)), says("There we are.")),
			see: []string{"There we are."}, unseen: "oops"},
		{name: "500 for good", script: again(4, status(500, soon, `oops`)), see: []string{"Server error (500) after 4 tries", "oops"}},
		{name: "529 that passes", script: []reply{status(529, soon, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), says("There we are.")},
			see: []string{"There we are."}, unseen: "verloaded"},
		{name: "529 for good", script: again(4, status(529, soon, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)),
			see: []string{"No capacity (529) after 4 tries"}},
	}
}

// half sends the beginning of a reply and breaks off somehow.
func half(then func(w *wire)) reply {
	return func(w *wire) {
		w.text("Half of", " an answer.")
		then(w)
	}
}

// unsolicited is a whole reply, with a byte behind it that nobody asked for.
func unsolicited(w *wire) {
	rec := httptest.NewRecorder()
	whole := &wire{Stream: newStream(rec), w: rec, r: w.r, t: w.t}
	if w.content != nil {
		whole.content = &content{}
	}
	says("There we are.")(whole)
	conn, _, err := http.NewResponseController(w.w).Hijack()
	if err != nil {
		w.t.Error(err)
		return
	}
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%sX", rec.Body.Len(), rec.Body)
	_ = conn.Close()
}

func breakages() []mishap {
	drop := half((*wire).cut)
	clean := half(func(*wire) {})
	garbled := half((*wire).garble)
	return []mishap{
		{name: "dropped once", script: []reply{drop, says("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "dropped for good", script: again(4, drop), kept: "Half of an answer.", see: []string{"broke after 4 tries"}},
		{name: "clean cut once", script: []reply{clean, says("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "clean cut for good", script: again(4, clean), kept: "Half of an answer.", see: []string{"after 4 tries"}},
		{name: "malformed once", script: []reply{garbled, says("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "malformed for good", script: again(4, garbled), kept: "Half of an answer.", see: []string{"after 4 tries"}},
		{name: "empty", script: again(2, says()), see: []string{"gave an empty reply", "after 2 tries"}},
		{name: "a page instead of a stream", script: again(1, func(w *wire) { w.Raw("<html><title>Welcome to nginx</title></html>") }),
			see: []string{"Welcome to nginx", "base_url"}},
		{name: "a byte too many", script: again(1, unsolicited), see: []string{"There we are."}},
		{name: "400 keep-alives", script: again(1, func(w *wire) {
			w.Raw(strings.Repeat(": OPENROUTER PROCESSING\n\n", 400))
			w.text("Worth the wait.")
			w.end("stop", 0, 0)
		}), see: []string{"Worth the wait."}, unseen: "OPENROUTER"},
	}
}

func TestSurvivesRefusals(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		survives(t, speak, map[protocol][]mishap{chat: refusals(), messages: refusalsOfMessages()}[speak])
	})
}

func TestSurvivesBreakages(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		survives(t, speak, append(breakages(), map[protocol][]mishap{messages: breakagesOfMessages()}[speak]...))
	})
}

// survives goes through mishaps over a protocol in one program, each in a conversation of its own.
func survives(t *testing.T, speak protocol, mishaps []mishap) {
	t.Helper()
	p := newPlace(t, nil)
	p.env["PLIMSOLL_API_KEY"] = secret
	s := newServerOf(t, speak)
	term := p.talking(size{120, 30}, s)
	for _, m := range mishaps {
		t.Log(m.name)
		before := s.count()
		s.adds(append(m.script, says("Still here."))...)
		term.say("begin")
		shown := term.idle(append(m.see, "▌ begin")...)
		if m.unseen != "" && shown.has(m.unseen) {
			t.Errorf("%q is on the screen:\n%s", m.unseen, shown.text)
		}
		if n := strings.Count(shown.text, m.kept); m.kept != "" && n != 1 {
			t.Errorf("what had arrived is there %d times:\n%s", n, shown.text)
		}
		if n := s.count() - before; n != len(m.script) {
			t.Errorf("%d requests were made, not %d", n, len(m.script))
		}
		term.checkContinues()
		if m.kept != "" && !strings.Contains(s.request(-1), m.kept) {
			t.Errorf("what had arrived is not sent on: %s", s.request(-1))
		}
		term.command("/new")
		term.awaitWithout("▌ begin")
		term.idle()
	}
	p.quits(term)
}

// quits leaves the program and looks for secrets in what it left.
func (p *place) quits(term *terminal) {
	p.t.Helper()
	term.key("ctrl+d")
	if code := term.end(); code != 0 {
		p.t.Errorf("exit code %d", code)
	}
	if strings.Contains(term.written(), secret) {
		p.t.Error("the key was written to the terminal")
	}
	if strings.Contains(term.written(), "Unsolicited response") {
		p.t.Error("net/http wrote to the terminal")
	}
	if strings.Contains(p.logs(), secret) {
		p.t.Error("the key is in the log")
	}
}

// A turn that failed is still there for the next program and for a second window, and one key sends it again.
func TestFailedTurnsStayAndAreSentAgainWithOneKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []reply
		see    []string
		dead   bool
	}{
		"401":  {script: again(1, status(401, nil, `{"error":{"message":"Incorrect API key provided"}}`)), see: []string{"✗ Key refused (401): Incorrect API key"}},
		"dead": {see: []string{"✗ No answer from http://127.0.0.1:", "after 4 tries"}, dead: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			s := newServer(t, append(c.script, says("There we are."))...)
			if c.dead {
				s.Close()
			}
			term := p.start(usual, s.args()...)
			if c.dead {
				term.see("! No answer from http://127.0.0.1:", "/connect chooses another")
			}
			term.idle()
			term.say("begin")
			term.idle(append(c.see, "▌ begin", "enter sends again")...)
			p.quits(term)
			term = p.start(usual, s.args("-c")...)
			term.idle(append(c.see, "▌ begin", "enter sends again")...)
			second := p.start(usual, s.args("-c")...)
			if shown := second.see(append(c.see, "following")...); shown.has("enter sends again") {
				t.Errorf("the second window names a key that does nothing:\n%s", shown.text)
			}
			if c.dead {
				l, err := net.Listen("tcp", s.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
				s.Server.Listener.Close()
				s.Server.Listener = l
				s.Start()
				t.Cleanup(s.Close)
			}
			term.key("enter")
			if shown := term.idle("There we are.", "▌ begin"); shown.has("enter sends again") || strings.Count(shown.text, "▌ begin") != 1 {
				t.Errorf("after it was sent again:\n%s", shown.text)
			}
			second.see("There we are.")
			if s.request(0) != s.request(-1) {
				t.Errorf("another request was sent:\n%s\n%s", s.request(0), s.request(-1))
			}
			p.quits(second)
			p.quits(term)
		})
	}
}

func TestShowsTheWaitBeforeTryingAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, status(429, map[string]string{"Retry-After": "20"}, `{"error":{"message":"slow down"}}`), says("Still here."))
	term := p.talking(usual, s)
	term.say("begin")
	term.see("Rate limited (429). Try 2 of 4 in")
	term.key("esc")
	term.idle("▌ begin")
	term.checkContinues()
	if s.count() != 2 {
		t.Errorf("%d requests were made, not 2", s.count())
	}
}

func TestEscStopsAnEndlessReply(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	gone := make(chan struct{})
	s := newServer(t, func(w *wire) {
		defer close(gone)
		w.text("It goes on")
		w.pour(nil, func(int) string { return " and on" })
	}, says("Still here."))
	term := p.start(usual, append(s.args(), "--window", "100M")...)
	term.idle("Talking to")
	term.say("never end")
	term.see("and on and on and on and on")
	term.key("esc")
	term.idle("■ stopped", "and on and on")
	<-gone
	term.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, "It goes on and on and on") {
		t.Error("what had arrived is not sent on")
	}
}
