package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Requests over the Messages API: whatever was done to the conversation between
// them, each can be made again, and each is one that the API takes.

// body is a body of the Messages API, as far as its rules reach.
type body struct {
	MaxTokens int `json:"max_tokens"`
	Messages  []struct {
		Role    string
		Content []struct {
			Type, ID  string
			ToolUseID string `json:"tool_use_id"`
			Signature string
		}
	}
}

// taken checks a body by the rules of the API: roles alternate, the user begins,
// every call is answered in the next message, and at most four breakpoints are set.
func taken(t *testing.T, sent string) body {
	t.Helper()
	var b body
	if err := json.Unmarshal([]byte(sent), &b); err != nil {
		t.Fatal(err)
	}
	var open []string
	for i, m := range b.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			t.Errorf("message %d is of role %s, not %s, or is empty", i, m.Role, want)
		}
		var calls, results []string
		for _, c := range m.Content {
			if c.Type == "tool_use" {
				calls = append(calls, c.ID)
			}
			if c.Type == "tool_result" {
				results = append(results, c.ToolUseID)
			}
		}
		if !slices.Equal(open, results) {
			t.Errorf("message %d answers %q, and the calls are %q", i, results, open)
		}
		open = calls
	}
	if n := strings.Count(sent, `"cache_control"`); n > 4 || len(open) > 0 || b.MaxTokens < 1 {
		t.Errorf("%d breakpoints, max_tokens %d, calls without a result: %q", n, b.MaxTokens, open)
	}
	return b
}

func TestRequestsOverTheMessagesAPIAreMadeAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"log.txt": logbook(1), "b.txt": "beta\n"})
	s := newServerOf(t, messages, func(w *wire) {
		w.reason("Both of them. ", "At once.")
		w.text("I will look.")
		w.call(0, "toolu_1", "read_file", object{"path": "log.txt"})
		w.call(1, "toolu_2", "read_file", object{"path": "b.txt"})
		w.end("tool_calls", 0, 0)
	})
	for n := 1; n <= 5; n++ {
		s.script = append(s.script, replyNumber(n))
	}
	s.aside(summarises(openGate()))
	term, id := p.underway(s, usual)
	term.compactsTwice()
	p.quits(term)
	for at := range s.count() {
		p.printsAsSent(s, id, at)
		taken(t, s.request(at))
	}
	if !strings.Contains(s.request(1), `"signature":"`+signed+`"`) || !strings.Contains(s.request(1), "Both of them. At once.") {
		t.Error("the thinking does not go back with its signature")
	}

	// Over chat completions the conversation goes on without what belongs to the other protocol.
	s.speak = chat
	term = p.start(usual, append(s.args(roomy...), "-r", id)...)
	term.idle("This is reply 4.")
	term.converseUntil("and over another protocol?", 5)
	if sent := s.request(-1); strings.Contains(sent, signed) || !strings.Contains(sent, "I will look.") {
		t.Error("the request carries a signature, or not what was said")
	}
	p.quits(term)
	for at := range s.count() {
		p.printsAsSent(s, id, at)
	}
}
