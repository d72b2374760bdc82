package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A server that fails to write summaries: the conversation continues without them.

// secretWord is in every message, and must not be in a log file.
const secretWord = "kumquat-7319"

// paused is the hint that no more summaries are requested.
const paused = "summaries paused"

// askWithoutSummaries asks questions from n on until the screen shows a text, while the server writes no summaries. It returns
// the number of the next question.
func (t *terminal) askWithoutSummaries(n int, until string) int {
	t.t.Helper()
	for last := n + 60; n < last; n++ {
		t.sendMessage(question(n) + " " + secretWord)
		shown := t.wait("answer "+endOfAnswer(n), func(s screen) bool { return s.has(endOfAnswer(n)) && !s.busy() })
		if shown.has(until) {
			return n + 1
		}
	}
	t.t.Fatalf("after all these questions there is no %q:\n%s", until, t.shown().text)
	return n
}

func TestAutoCompactionWithoutASummariser(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.env["PLIMSOLL_API_KEY"] = secret
	s := newCountingServer(t, shortAnswer)
	s.failSummaries()
	term := p.startChat(high, s)
	n := term.askWithoutSummaries(1, "Compacted turns")
	term.askWithoutSummaries(n, endOfAnswer(n)) // what is evicted after a reply is gone from the next request
	last := s.awaitRequest("answer after a note", n, isChat)
	if before := s.matching(isChat)[n-2]; last.tokens >= before.tokens || last.body.noteIndex() < 1 || !strings.Contains(string(last.body.Messages[len(last.body.Messages)-1]), question(n)) {
		t.Errorf("the request had %d tokens, and has %d: %s", before.tokens, last.tokens, last.body.Messages)
	}
	n = term.askWithoutSummaries(n+1, paused)
	before := len(s.matching(isSummary))
	term.askWithoutSummaries(n, endOfAnswer(n+2))
	if more := len(s.matching(isSummary)) - before; more > 0 {
		t.Errorf("%d more summaries are asked for", more)
	}
	if all := s.matching(func(a countedRequest) bool { return a.refused }); len(all) > 0 {
		t.Errorf("%d requests were longer than the window", len(all))
	}
	kinds := p.overlayKinds(p.newestConversation(p.openStore()))
	if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt, conversation.KindAttempt, conversation.KindSummary, conversation.KindAttempt}, kinds[:min(4, len(kinds))]); diff != "" {
		t.Errorf("%v: %s", kinds, diff)
	}
	term.checkFrameAt(append(small, high), paused)
	term.checkFrame(paused)
	p.quit(term)
	p.checkDecisionLog()
}

// checkDecisionLog checks that the log file contains the planner's decisions and compactions with their numbers, and no
// messages.
func (p *sandbox) checkDecisionLog() {
	p.t.Helper()
	logs := p.logs()
	for _, want := range []string{
		`msg=planner decision="load line" moment=\w+ used=[67]\d\d\d estimated=\w+ window=8192 window_source=server load_line=6881 hard_line=7782 `,
		`msg=compaction outcome=failed source=auto trigger="load line" .*class="server error" status=500 `,
		`msg=compaction outcome=made source=auto trigger="load line" .*before=\d{4} after=\d{4}`,
	} {
		if !regexp.MustCompile(want).MatchString(logs) {
			p.t.Errorf("the log has no line as %s", want)
		}
	}
	if n := strings.Count(logs, "outcome=failed"); n != 3 {
		p.t.Errorf("the log has %d failed attempts, not 3", n)
	}
	for _, said := range []string{secretWord, "logbook", "knots", "That was answer", secret} {
		if strings.Contains(logs, said) {
			p.t.Errorf("the log says %q", said)
		}
	}
}
