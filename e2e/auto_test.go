package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// Automatic compaction, from the first message to the requests after it. The server counts the tokens.

// shortAnswer is a number of lines: after the load line is reached, one or two more turns stay below the hard line.
const shortAnswer = 14

// ask sends question n and waits for the end of its turn, or for one of the given texts.
func (t *terminal) ask(n int, or ...string) screen {
	t.t.Helper()
	t.sendMessage(question(n))
	return t.wait(fmt.Sprintf("answer %d", n), func(s screen) bool {
		return s.has(endOfAnswer(n)) && (s.has(optimizing) || !s.busy()) || slices.ContainsFunc(or, func(text string) bool { return s.has(text) })
	})
}

// askPastLoadLine asks questions from n on until the gauge is above the load line, and returns the number of the next one.
func (t *terminal) askPastLoadLine(n int) int {
	t.t.Helper()
	for last := n + 20; n < last; n++ {
		if t.shown().gaugePercent(t.t) > 100*loadLine/smallWindow {
			return n
		}
		t.ask(n)
	}
	t.t.Fatalf("after all these questions the gauge is below the load line:\n%s", t.shown().text)
	return n
}

const waits = "the request waits"

func endOfAnswer(n int) string { return fmt.Sprintf("That was answer %d.", n) }

// askUntil asks questions from n on until the screen shows a text, and returns the number of the next one. A turn may fail.
func (t *terminal) askUntil(n int, until string) int {
	t.t.Helper()
	for last := n + 60; n < last; n++ {
		if t.ask(n, until).has(until) {
			return n + 1
		}
	}
	t.t.Fatalf("after all these questions there is no %q:\n%s", until, t.shown().text)
	return n
}

// noteIndex returns the index of the message that replaces evicted or summarised turns, or -1.
func (r request) noteIndex() int {
	return slices.IndexFunc(r.Messages, func(m json.RawMessage) bool { return bytes.Contains(m, []byte("Earlier turns of this conversation")) })
}

// summaryIndex returns the index of the message that contains the summary, or -1.
func (r request) summaryIndex() int {
	if i := r.noteIndex(); i >= 0 && bytes.Contains(r.Messages[i], []byte("Know what the logbooks say")) {
		return i
	}
	return -1
}

// checkSummarised checks that a request equals an earlier one, except that a note replaces some messages and there are more
// messages at the end. All other messages have the same bytes.
func (r request) checkSummarised(t *testing.T, earlier request, more int) {
	t.Helper()
	at := r.noteIndex()
	if at < 1 || !bytes.Equal(r.Tools, earlier.Tools) {
		t.Fatalf("the note is message %d, and the tools are the same: %v", at, bytes.Equal(r.Tools, earlier.Tools))
	}
	left := len(r.Messages) - at - 1 - more
	if left < 1 || len(earlier.Messages) < at+left {
		t.Fatalf("of %d messages %d follow the summary", len(earlier.Messages), left)
	}
	whole := append(append([]string(nil), texts(earlier.Messages[:at])...), texts(earlier.Messages[len(earlier.Messages)-left:])...)
	shown := append(append([]string(nil), texts(r.Messages[:at])...), texts(r.Messages[at+1:at+1+left])...)
	if diff := cmp.Diff(whole, shown); diff != "" {
		t.Errorf("what the summary keeps has changed: %s", diff)
	}
}

func texts[T ~[]byte](messages []T) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = string(m)
	}
	return out
}

func TestAutoCompactionRunsWhileTheConversationContinues(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.startChat(size{140, 30}, s)
	n := term.askUntil(1, optimizing)
	s.awaitRequest("request for a summary", 1, isSummary)
	if shown := term.shown(); shown.frameFault() != "" || strings.Index(shown.text, optimizing) < strings.Index(shown.text, endOfAnswer(n-1)) {
		t.Errorf("%s:\n%s", shown.frameFault(), shown.text)
	}
	s.setAnswerLines(4)
	if during := term.ask(n); !during.has(optimizing, endOfAnswer(n)) || during.has("▎ Compacted") {
		t.Errorf("a message sent meanwhile:\n%s", during.text)
	}
	n = term.askPastLoadLine(n+1) - 1
	full := s.awaitRequest("answer meanwhile", n, isChat)
	term.typeText("a draft")
	term.awaitText("│ a draft", optimizing)
	s.releaseSummaries()
	term.awaitIdle("Compacted turns 1–", "ctrl+x undo", "│ a draft")
	term.press("ctrl+u")
	s.holdSummaries()

	term.ask(n + 1)
	smaller := s.awaitRequest("request with the summary", n+1, isChat)
	if smaller.tokens >= full.tokens {
		t.Errorf("the request had %d tokens, and has %d with the summary", full.tokens, smaller.tokens)
	}
	smaller.body.checkSummarised(t, full.body, 2)
	if smaller.body.summaryIndex() < 1 {
		t.Error("the request has no summary")
	}

	p.undoAndContinue(s, term, full, n+2)
	if all := s.matching(func(a countedRequest) bool { return a.refused }); len(all) > 0 {
		t.Errorf("%d requests were longer than the window", len(all))
	}
}

// undoAndContinue undoes the compaction before question n, and continues up to the hard line while the next summary is late.
// The request at the hard line then contains a note without a summary, and does not wait.
func (p *sandbox) undoAndContinue(s *countingServer, term *terminal, full countedRequest, n int) {
	p.t.Helper()
	term.press("ctrl+x")
	term.awaitIdle("(undone)")
	if again := term.ask(n); again.has(optimizing) {
		p.t.Errorf("it starts again at once:\n%s", again.text)
	}
	whole := s.awaitRequest("request without the summary", n, isChat)
	if more := whole.body.checkExtends(p.t, full.body); len(more) != 4 || more[1].Content != question(n-1) || more[3].Content != question(n) {
		p.t.Errorf("after the undo the request has in addition %v", more)
	}
	s.setAnswerLines(shortAnswer)
	next := term.askUntil(n+1, "ctrl+x undo") - 1
	last := s.awaitRequest("message at the hard line", next, isChat)
	if at := last.body.noteIndex(); at < 1 || last.body.decode(p.t)[len(last.body.Messages)-1].Content != question(next) {
		p.t.Errorf("the message at the hard line went out with the note at %d", at)
	}
	if strings.Contains(term.written(), waits) {
		p.t.Error("a request waited")
	}
	kinds := []conversation.Kind{conversation.KindSummary, conversation.KindRevert, conversation.KindSummary}
	if diff := cmp.Diff(kinds, p.overlayKinds(p.newestConversation(p.openStore()))); diff != "" {
		p.t.Error(diff)
	}
}
