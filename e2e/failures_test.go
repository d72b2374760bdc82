package e2e_test

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Failures of servers: each is shown, the text that had arrived is kept, and the next message works.

// secret is the API key of the tests, which must not be shown or logged.
const secret = "sk-e2e-3f9a81c07b52d64e"

// failure is a script of replies to one message that fails or is retried.
type failure struct {
	name   string
	script []reply  // replies to the message
	see    []string // on the screen at the end of the turn
	kept   string   // what had arrived, if anything
	unseen string   // what may not be on the screen
}

// repeat returns a reply n times.
func repeat(n int, r reply) []reply {
	out := make([]reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// soon asks the client to retry in 20 ms.
var soon = map[string]string{"Retry-After-Ms": "20"}

func refusals() []failure {
	return []failure{
		{name: "400", script: repeat(1, errorReply(400, nil, `{"error":{"message":"no such parameter: frobnicate","type":"invalid_request_error"}}`)),
			see: []string{"no such parameter: frobnicate", "Request refused (400)"}},
		{name: "401", script: repeat(1, errorReply(401, nil, `{"error":{"message":"Incorrect API key provided: `+secret+`","code":"invalid_api_key"}}`)),
			see: []string{"Key refused (401)"}, unseen: secret},
		{name: "404", script: repeat(1, errorReply(404, nil, `{"error":{"message":"model test-model does not exist","code":"model_not_found"}}`)),
			see: []string{"model test-model does not exist", "No such model or address (404)"}},
		{name: "413", script: repeat(1, errorReply(413, nil, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."}}`)),
			see: []string{"Larger than the context window (413)", "maximum context length is 4096"}},
		{name: "429 that passes", script: []reply{errorReply(429, map[string]string{"Retry-After": "1"}, `{"error":{"message":"slow down"}}`), textReply("There we are.")},
			see: []string{"There we are."}, unseen: "slow down"},
		{name: "429 for an hour", script: repeat(1, errorReply(429, map[string]string{"Retry-After": "3600"}, `{"error":{"message":"slow down"}}`)),
			see: []string{"slow down", "Rate limited (429)", "the server asks to wait 1h0m0s"}},
		{name: "500 that passes", script: append(repeat(3, errorReply(500, soon, `{"error":{"message":"oops"}}`)), textReply("There we are.")),
			see: []string{"There we are."}, unseen: "oops"},
		{name: "500 for good", script: repeat(4, errorReply(500, soon, `oops`)), see: []string{"Server error (500) after 4 tries", "oops"}},
		{name: "529 that passes", script: []reply{errorReply(529, soon, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), textReply("There we are.")},
			see: []string{"There we are."}, unseen: "verloaded"},
		{name: "529 for good", script: repeat(4, errorReply(529, soon, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)),
			see: []string{"No capacity (529) after 4 tries"}},
	}
}

// halfReply sends the beginning of a reply and then calls a function that breaks it off.
func halfReply(then func(w *wire)) reply {
	return func(w *wire) {
		w.text("Half of", " an answer.")
		then(w)
	}
}

// replyWithExtraByte sends a complete response with one byte too many.
func replyWithExtraByte(w *wire) {
	rec := httptest.NewRecorder()
	whole := &wire{Stream: newStream(rec), w: rec, r: w.r, t: w.t}
	if w.blocks != nil {
		whole.blocks = &blockState{}
	}
	textReply("There we are.")(whole)
	conn, _, err := http.NewResponseController(w.w).Hijack()
	if err != nil {
		w.t.Error(err)
		return
	}
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%sX", rec.Body.Len(), rec.Body)
	_ = conn.Close()
}

func brokenReplies() []failure {
	drop := halfReply((*wire).dropConnection)
	clean := halfReply(func(*wire) {})
	garbled := halfReply((*wire).breakEvent)
	return []failure{
		{name: "dropped once", script: []reply{drop, textReply("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "dropped for good", script: repeat(4, drop), kept: "Half of an answer.", see: []string{"broke after 4 tries"}},
		{name: "clean cut once", script: []reply{clean, textReply("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "clean cut for good", script: repeat(4, clean), kept: "Half of an answer.", see: []string{"after 4 tries"}},
		{name: "malformed once", script: []reply{garbled, textReply("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "malformed for good", script: repeat(4, garbled), kept: "Half of an answer.", see: []string{"not valid JSON", "tries ("}},
		{name: "empty", script: repeat(2, textReply()), see: []string{"gave an empty reply", "after 2 tries"}},
		{name: "a page instead of a stream", script: repeat(1, func(w *wire) { w.Raw("<html><title>Welcome to nginx</title></html>") }),
			see: []string{"Welcome to nginx", "base_url"}},
		{name: "a byte too many", script: repeat(1, replyWithExtraByte), see: []string{"There we are."}},
		{name: "400 keep-alives", script: repeat(1, func(w *wire) {
			w.Raw(strings.Repeat(": OPENROUTER PROCESSING\n\n", 400))
			w.text("Worth the wait.")
			w.end("stop", 0, 0)
		}), see: []string{"Worth the wait."}, unseen: "OPENROUTER"},
	}
}

func TestConversationContinuesAfterErrorResponses(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		checkSurvives(t, proto, map[protocol][]failure{chat: refusals(), messages: refusalsOfMessages()}[proto])
	})
}

func TestConversationContinuesAfterBrokenReplies(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		checkSurvives(t, proto, append(brokenReplies(), map[protocol][]failure{messages: brokenRepliesOfMessages()}[proto]...))
	})
}

// checkSurvives goes through failures in one program, each in a new conversation, and sends a message after each.
func checkSurvives(t *testing.T, proto protocol, failures []failure) {
	t.Helper()
	p := newSandbox(t, nil)
	p.env["PLIMSOLL_API_KEY"] = secret
	s := newServerOf(t, proto)
	term := p.startChat(size{120, 20}, s)
	for _, m := range failures {
		t.Log(m.name)
		before := s.requestCount()
		s.addReplies(append(m.script, textReply("Still here."))...)
		term.sendMessage("begin")
		shown := term.awaitIdle(append(m.see, "▌ begin")...)
		if m.unseen != "" && shown.has(m.unseen) {
			t.Errorf("%q is on the screen:\n%s", m.unseen, shown.text)
		}
		if n := strings.Count(shown.text, m.kept); m.kept != "" && n != 1 {
			t.Errorf("what had arrived is there %d times:\n%s", n, shown.text)
		}
		if n := s.requestCount() - before; n != len(m.script) {
			t.Errorf("%d requests were made, not %d", n, len(m.script))
		}
		term.checkContinues()
		if m.kept != "" && !strings.Contains(s.request(-1), m.kept) {
			t.Errorf("what had arrived is not sent on: %s", s.request(-1))
		}
		term.slashCommand("/new")
		term.awaitWithout("▌ begin")
		term.awaitIdle()
	}
	p.quit(term)
}

// quit quits the program, and checks that the API key is not in its output or log file.
func (p *sandbox) quit(term *terminal) {
	p.t.Helper()
	term.press("ctrl+d")
	if code := term.awaitExit(); code != 0 {
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

// A failed turn is shown when the conversation is opened again and in a second window, and enter sends it again.
func TestFailedTurnIsStoredAndSentAgainWithEnter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []reply
		see    []string
		dead   bool
	}{
		"401":  {script: repeat(1, errorReply(401, nil, `{"error":{"message":"Incorrect API key provided"}}`)), see: []string{"▍ Key refused (401): Incorrect API key"}},
		"dead": {see: []string{"▍ No answer from http://127.0.0.1:", "after 4 tries"}, dead: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newSandbox(t, nil)
			s := newServer(t, append(c.script, textReply("There we are."))...)
			var listen func() net.Listener
			if c.dead {
				s.Close()
				listen = p.occupyPort(s.Listener.Addr())
			}
			term := p.start(defaultSize, s.flags()...)
			if c.dead {
				term.awaitText("! No answer from http://127.0.0.1:", "/connect chooses another")
			}
			term.awaitIdle()
			term.sendMessage("begin")
			term.awaitIdle(append(c.see, "▌ begin", "enter sends again")...)
			p.quit(term)
			term = p.start(defaultSize, s.flags("-c")...)
			term.awaitIdle(append(c.see, "▌ begin", "enter sends again")...)
			second := p.start(defaultSize, s.flags("-c")...)
			if shown := second.awaitText(append(c.see, "following")...); shown.has("enter sends again") {
				t.Errorf("the second window names a key that does nothing:\n%s", shown.text)
			}
			if c.dead {
				l := listen()
				s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
				s.Server.Listener.Close()
				s.Server.Listener = l
				s.Start()
				t.Cleanup(s.Close)
			}
			term.press("enter")
			if shown := term.awaitIdle("There we are.", "▌ begin"); shown.has("enter sends again") || strings.Count(shown.text, "▌ begin") != 1 {
				t.Errorf("after it was sent again:\n%s", shown.text)
			}
			second.awaitText("There we are.")
			if s.request(0) != s.request(-1) {
				t.Errorf("another request was sent:\n%s\n%s", s.request(0), s.request(-1))
			}
			p.quit(second)
			p.quit(term)
		})
	}
}

// occupyPort keeps a port from other tests, while connections to it are refused. What it returns listens there.
func (p *sandbox) occupyPort(at net.Addr) (listen func() net.Listener) {
	p.t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	free := sync.OnceValue(func() error { return syscall.Close(fd) })
	p.t.Cleanup(func() { _ = free() }) // the test has failed before it listened
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err = cmp.Or(err, syscall.Bind(fd, &syscall.SockaddrInet4{Port: at.(*net.TCPAddr).Port, Addr: [4]byte{127, 0, 0, 1}})); err != nil {
		p.t.Fatal(err)
	}
	return func() net.Listener {
		if err := free(); err != nil {
			p.t.Fatal(err)
		}
		l, err := net.Listen("tcp", at.String())
		if err != nil {
			p.t.Fatal(err)
		}
		return l
	}
}

func TestWaitBeforeARetryIsShown(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, errorReply(429, map[string]string{"Retry-After": "20"}, `{"error":{"message":"slow down"}}`), textReply("Still here."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("begin")
	term.awaitText("Rate limited (429). Try 2 of 4 in")
	term.press("esc")
	term.awaitIdle("▌ begin")
	term.checkContinues()
	if s.requestCount() != 2 {
		t.Errorf("%d requests were made, not 2", s.requestCount())
	}
}

func TestEscStopsAnEndlessReply(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	gone := make(chan struct{})
	s := newServer(t, func(w *wire) {
		defer close(gone)
		w.text("It goes on")
		w.streamUntil(nil, func(int) string { return " and on" })
	}, textReply("Still here."))
	term := p.start(defaultSize, append(s.flags(), "--window", "100M")...)
	term.awaitIdle("Talking to")
	term.sendMessage("never end")
	term.awaitText("and on and on and on and on")
	term.press("esc")
	term.awaitIdle("■ stopped", "and on and on")
	<-gone
	term.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, "It goes on and on and on") {
		t.Error("what had arrived is not sent on")
	}
}
