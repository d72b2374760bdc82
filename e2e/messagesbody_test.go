package e2e_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Requests over the Messages API: all can be rebuilt, and all follow the rules of the API, whatever happened between them.

// body is the part of a request to the Messages API that its rules concern.
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

// checkMessagesBody checks the rules of the API: roles alternate, the user begins, the next message answers every call, and at
// most four cache breakpoints are set.
func checkMessagesBody(t *testing.T, sent string) body {
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

func TestRequestsOfTheMessagesAPIAreRebuilt(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": logbook(1), "b.txt": "beta\n"})
	s := newServerOf(t, messages, func(w *wire) {
		w.reasoning("Both of them. ", "At once.")
		w.text("I will look.")
		w.call(0, "toolu_1", "read_file", object{"path": "log.txt"})
		w.call(1, "toolu_2", "read_file", object{"path": "b.txt"})
		w.end("tool_calls", 0, 0)
	})
	for n := 1; n <= 5; n++ {
		s.script = append(s.script, replyNumber(n))
	}
	s.scriptSummaries(summaryReply(openGate()))
	term, id := p.openRecording(s, defaultSize)
	term.compactTwice()
	p.quit(term)
	for at := range s.requestCount() {
		p.checkPrintedRequest(s, id, at)
		checkMessagesBody(t, s.request(at))
	}
	if !strings.Contains(s.request(1), `"signature":"`+signed+`"`) || !strings.Contains(s.request(1), "Both of them. At once.") {
		t.Error("the thinking does not go back with its signature")
	}

	// Over chat completions the conversation continues without the fields of the Messages API.
	s.proto = chat
	term = p.start(defaultSize, append(s.flags(roomy...), "-r", id)...)
	term.awaitIdle("This is reply 4.")
	term.converseUntil("and over another protocol?", 5)
	if sent := s.request(-1); strings.Contains(sent, signed) || !strings.Contains(sent, "I will look.") {
		t.Error("the request contains a signature, or not the text")
	}
	p.quit(term)
	for at := range s.requestCount() {
		p.checkPrintedRequest(s, id, at)
	}
}
