package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// A voyage is a stored conversation whose turns each read a long file. This file also parses requests without changing a byte.

// logbook is the file that turn n reads.
func logbook(n int) string {
	var b strings.Builder
	for line := range 60 {
		fmt.Fprintf(&b, "watch %d of day %d: wind from the west, %d knots, %d ships sighted\n", line, n, 10+(line*7+n)%20, line%5)
	}
	return b.String()
}

// summaryOfVoyage is a valid summary of a voyage.
const summaryOfVoyage = "### Goal\nKnow what the logbooks say (t0).\n\n### Done\nThe logbooks were read with read_file, a day in each turn: day-0.txt (t0), day-1.txt (t1), " +
	"day-2.txt (t2). The wind came from the west on all of them, and up to four ships were sighted in a watch.\n\n" +
	"### Next step\nRead the logbook of the day that the user names next."

func turnOfVoyage(n int) []conversation.Body {
	call := conversation.ToolCall{ID: fmt.Sprintf("call-%d", n), Name: "read_file", Arguments: fmt.Sprintf(`{"path":"day-%d.txt"}`, n)}
	model := "custom/" + modelName
	return []conversation.Body{
		conversation.UserMessage{Text: fmt.Sprintf("What happened on day %d?", n)},
		conversation.AssistantMessage{Text: "I look it up.", Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls, Model: model},
		conversation.ToolResult{CallID: call.ID, Tool: call.Name, Status: conversation.ResultOK, Text: logbook(n)},
		conversation.AssistantMessage{Text: fmt.Sprintf("Day %d was quiet.", n), Stop: conversation.StopEnd, Model: model},
	}
}

// storeVoyage stores a conversation of so many turns, and returns its ID.
func (p *sandbox) storeVoyage(turns int) string {
	p.t.Helper()
	var bodies []conversation.Body
	for n := range turns {
		bodies = append(bodies, turnOfVoyage(n)...)
	}
	return p.storeConversation(p.openStore(), bodies)
}

// storeConversation stores a conversation, and returns its ID.
func (p *sandbox) storeConversation(s *storage.Store, bodies []conversation.Body) string {
	p.t.Helper()
	id := conversation.NewID()
	w, err := s.Create(p.t.Context(), storage.NewConversation{ID: id, Workspace: p.work})
	if err != nil {
		p.t.Fatal(err)
	}
	var log conversation.Log
	for len(bodies) > 0 {
		n := min(1000, len(bodies))
		prepared := log.Prepare(time.Now(), bodies[:n]...)
		if err := w.Append(p.t.Context(), prepared); err != nil {
			p.t.Fatal(err)
		}
		if err := log.Commit(prepared); err != nil {
			p.t.Fatal(err)
		}
		bodies = bodies[n:]
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	return id
}

// overlayKinds returns the kinds of the overlays and failed compactions of a stored conversation.
func (p *sandbox) overlayKinds(id string) []conversation.Kind {
	p.t.Helper()
	events, _, err := p.openStore().Load(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	var kinds []conversation.Kind
	for _, e := range events {
		if k := e.Body.Kind(); k.IsOverlay() || k == conversation.KindAttempt {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// openVoyage opens a voyage of four turns in a terminal and sends one message, so that there is a request to compare with. The
// server's script continues after its reply.
func (p *sandbox) openVoyage(s *server, at size, more ...string) *terminal {
	p.t.Helper()
	id := p.storeVoyage(4)
	s.mu.Lock()
	s.script = append([]reply{func(w *wire) {
		w.text("Fair winds.")
		w.end("stop", 7000, 3)
	}}, s.script...)
	s.mu.Unlock()
	term := p.start(at, s.flags(append(more, "-r", id)...)...)
	term.awaitIdle("Day 3 was quiet.")
	term.sendMessage("how is the wind?")
	term.wait("reply and what it used", func(s screen) bool { return s.has("Fair winds.") && s.gaugeShare() == "44%" && !s.busy() })
	return term
}

// request contains the messages and tools of a request, byte for byte.
type request struct {
	Messages []json.RawMessage
	Tools    json.RawMessage
}

// parsedRequest returns request i, the last if i is -1.
func (s *server) parsedRequest(i int) request {
	s.t.Helper()
	return s.parse(s.request(i))
}

// summaryRequest returns request i of the summaries' own script, the last if i is -1.
func (s *server) summaryRequest(i int) request {
	s.t.Helper()
	return s.parse(s.awaitRequest(s.summaries, i))
}

// parse parses a request body, which must have messages and tools.
func (s *server) parse(body string) request {
	s.t.Helper()
	var r request
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		s.t.Fatal(err)
	}
	if len(r.Messages) == 0 || len(r.Tools) == 0 {
		s.t.Fatalf("a request has %d messages and %d bytes of tools", len(r.Messages), len(r.Tools))
	}
	return r
}

// checkExtends checks that a request begins with an earlier one: the same system prompt, tools and messages, byte for byte. It
// returns the messages after them.
func (r request) checkExtends(t testing.TB, earlier request) []message {
	t.Helper()
	if !bytes.Equal(r.Tools, earlier.Tools) {
		t.Errorf("the tools are %s, were %s", r.Tools, earlier.Tools)
	}
	for i, m := range earlier.Messages {
		if i >= len(r.Messages) || !bytes.Equal(m, r.Messages[i]) {
			t.Fatalf("message %d was\n%s\nand is not there any more: %d messages", i, m, len(r.Messages))
		}
	}
	return request{Messages: r.Messages[len(earlier.Messages):]}.decode(t)
}

// message is a message of a request.
type message struct {
	Role, Content string
	CallID        string `json:"tool_call_id"`
}

func (r request) decode(t testing.TB) []message {
	t.Helper()
	out := make([]message, len(r.Messages))
	for i, m := range r.Messages {
		if err := json.Unmarshal(m, &out[i]); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
	}
	return out
}

// result returns the content of the answer to a call, or "".
func (r request) result(t testing.TB, call string) string {
	t.Helper()
	for _, m := range r.decode(t) {
		if m.CallID == call {
			return m.Content
		}
	}
	return ""
}
