package e2e_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A program is killed during an automatic compaction: all messages are stored, and the compaction completely or not at all.

// contextOutput is the output of `context --json`.
type contextOutput struct {
	Window       int
	WindowSource string `json:"window_source"`
	Used         int
	Revision     uint64
	Summary      *string `json:"compacted_summary"`
}

func (p *sandbox) newestContext(args ...string) contextOutput {
	p.t.Helper()
	var g contextOutput
	if err := json.Unmarshal(p.output(append([]string{"context", "--json"}, args...)...), &g); err != nil {
		p.t.Fatal(err)
	}
	return g
}

// printedMessages returns the messages that `print --json` writes, without their states.
func (p *sandbox) printedMessages() []message {
	p.t.Helper()
	var out []message
	for line := range bytes.Lines(p.output("print", "--json")) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}

// checkPrinted checks that exactly the first questions and answers are printed, in order and complete.
func (p *sandbox) checkPrinted(questions, lines int) {
	p.t.Helper()
	var want []message
	for n := 1; n <= questions; n++ {
		want = append(want, message{Role: "user", Content: question(n)}, message{Role: "assistant", Content: answerTo(question(n), lines)})
	}
	if diff := cmp.Diff(want, p.printedMessages()); diff != "" {
		p.t.Errorf("the printed messages differ: %s", diff)
	}
}

func (p *sandbox) checkStored() {
	p.t.Helper()
	if findings, err := p.openStore().Check(p.t.Context(), nil); err != nil || len(findings) > 0 {
		p.t.Errorf("doctor finds %v, %v", findings, err)
	}
}

func TestKillDuringAnAutomaticSummary(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.startChat(high, s)
	n := term.askUntil(1, optimizing)
	s.awaitRequest("request for a summary", 1, isSummary)
	before := p.printedMessages()
	term.kill()
	term.awaitExit()

	if diff := cmp.Diff(before, p.printedMessages()); diff != "" {
		t.Errorf("after the kill other messages are stored: %s", diff)
	}
	p.checkPrinted(n-1, shortAnswer)
	if g, left := p.newestContext(), p.overlayKinds(p.newestConversation(p.openStore())); g.Revision != 0 || g.Summary != nil || len(left) > 0 {
		t.Errorf("after the kill there is %+v with %v", g, left)
	}

	term = p.start(high, s.flags("-c")...)
	if shown := term.awaitIdle(endOfAnswer(n - 1)); shown.has("▎ Compacted") || shown.has("interrupted") || shown.has("Read-only") {
		t.Errorf("after the kill the screen shows\n%s", shown.text)
	}
	full := s.awaitRequest("newest answer", n-1, isChat)
	first := n
	n = term.askPastLoadLine(term.askUntil(n, optimizing))
	if more := s.matching(isChat)[first-1].body.checkExtends(t, full.body); len(more) != 2 {
		t.Errorf("the first request after the kill has in addition %v", more)
	}
	s.releaseSummaries()
	term.awaitIdle("Compacted turns 1–")
	term.ask(n)
	if at := s.awaitRequest("answer with the summary", n, isChat).body.summaryIndex(); at < 1 {
		t.Error("the summary is not sent")
	}
	p.checkPrinted(n, shortAnswer)
	p.checkStored()
}

func TestKillAfterASummaryIsCommitted(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.startChat(high, s)
	n := term.askPastLoadLine(term.askUntil(1, optimizing))
	s.releaseSummaries()
	line := epochLine(term.awaitText("Compacted turns"))
	term.kill()
	term.awaitExit()

	p.checkPrinted(n-1, shortAnswer)
	g := p.newestContext()
	if g.Revision == 0 || g.Summary == nil || !strings.Contains(*g.Summary, summaryOfVoyage) || g.Used >= 7000 {
		t.Errorf("after the kill there is %+v", g)
	}
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, p.overlayKinds(p.newestConversation(p.openStore()))); diff != "" {
		t.Error(diff)
	}

	full := s.awaitRequest("newest answer", n-1, isChat)
	term = p.start(high, s.flags("-c")...)
	if shown := term.awaitIdle(endOfAnswer(n-1), "Compacted turns"); epochLine(shown) != line {
		t.Errorf("the line is %q, was %q", epochLine(shown), line)
	}
	term.ask(n)
	s.awaitRequest("answer after the kill", n, isChat).body.checkSummarised(t, full.body, 2)
	s.holdSummaries()
	n = term.askPastLoadLine(term.askUntil(n+1, optimizing))
	s.releaseSummaries()
	term.wait("second compaction", func(s screen) bool { return epochLine(s) != line && epochLine(s) != "" && !s.busy() })
	p.checkPrinted(n-1, shortAnswer)
	if again := p.newestContext(); again.Revision <= g.Revision {
		t.Errorf("the revision was %d and is %d", g.Revision, again.Revision)
	}
	p.checkStored()
}
