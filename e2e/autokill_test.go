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

// gauge is the output of `context --json`.
type gauge struct {
	Window       int
	WindowSource string `json:"window_source"`
	Used         int
	Revision     uint64
	Summary      *string `json:"compacted_summary"`
}

func (p *place) context(args ...string) gauge {
	p.t.Helper()
	var g gauge
	if err := json.Unmarshal(p.prints(append([]string{"context", "--json"}, args...)...), &g); err != nil {
		p.t.Fatal(err)
	}
	return g
}

// printed are the messages that `print --json` writes, without their states.
func (p *place) printed() []message {
	p.t.Helper()
	var out []message
	for line := range bytes.Lines(p.prints("print", "--json")) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}

// checkPrinted checks that the first questions and answers are printed, in order and
// whole, and nothing else.
func (p *place) checkPrinted(questions, lines int) {
	p.t.Helper()
	var want []message
	for n := 1; n <= questions; n++ {
		want = append(want, message{Role: "user", Content: question(n)}, message{Role: "assistant", Content: answerTo(question(n), lines)})
	}
	if diff := cmp.Diff(want, p.printed()); diff != "" {
		p.t.Errorf("the printed messages differ: %s", diff)
	}
}

// checkStored checks that doctor finds no damage.
func (p *place) checkStored() {
	p.t.Helper()
	if findings, err := p.store().Check(p.t.Context(), nil); err != nil || len(findings) > 0 {
		p.t.Errorf("doctor finds %v, %v", findings, err)
	}
}

func TestKillWhileASummaryIsWrittenByItself(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, shortAnswer)
	term := p.talking(usual, s)
	n := term.askUntil(1, optimizing)
	s.await("request for a summary", 1, summary)
	before := p.printed()
	term.kill()
	term.end()

	if diff := cmp.Diff(before, p.printed()); diff != "" {
		t.Errorf("after the kill other things were said: %s", diff)
	}
	p.checkPrinted(n-1, shortAnswer)
	if g, left := p.context(), p.overlays(p.newest(p.store())); g.Revision != 0 || g.Summary != nil || len(left) > 0 {
		t.Errorf("after the kill there is %+v with %v", g, left)
	}

	term = p.start(usual, s.args("-c")...)
	if shown := term.idle(said(n - 1)); shown.has("compacted") || shown.has("interrupted") || shown.has("Read-only") {
		t.Errorf("after the kill the screen shows\n%s", shown.text)
	}
	full := s.await("newest answer", n-1, talk)
	first := n
	n = term.askPastLoadLine(term.askUntil(n, optimizing))
	if more := s.all(talk)[first-1].body.extends(t, full.body); len(more) != 2 {
		t.Errorf("the first request after the kill says in addition %v", more)
	}
	s.open()
	term.idle("compacted turns 0–", "at the load line: ")
	term.ask(n)
	if at := s.await("answer with the summary", n, talk).body.block(); at < 1 {
		t.Error("the summary is not sent")
	}
	p.checkPrinted(n, shortAnswer)
	p.checkStored()
}

func TestKillRightAfterASummaryLanded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, shortAnswer)
	term := p.talking(usual, s)
	n := term.askPastLoadLine(term.askUntil(1, optimizing))
	s.open()
	line := epochLine(term.see("compacted turns"))
	term.kill()
	term.end()

	p.checkPrinted(n-1, shortAnswer)
	g := p.context()
	if g.Revision == 0 || g.Summary == nil || !strings.Contains(*g.Summary, summaryOfVoyage) || g.Used >= 7000 {
		t.Errorf("after the kill there is %+v", g)
	}
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, p.overlays(p.newest(p.store()))); diff != "" {
		t.Error(diff)
	}

	full := s.await("newest answer", n-1, talk)
	term = p.start(usual, s.args("-c")...)
	if shown := term.idle(said(n-1), "compacted turns"); epochLine(shown) != line {
		t.Errorf("the line is %q, was %q", epochLine(shown), line)
	}
	term.ask(n)
	s.await("answer after the kill", n, talk).body.checkSummarised(t, full.body, 2)
	s.shut()
	n = term.askPastLoadLine(term.askUntil(n+1, optimizing))
	s.open()
	term.wait("second compaction", func(s screen) bool { return epochLine(s) != line && epochLine(s) != "" && !s.busy() })
	p.checkPrinted(n-1, shortAnswer)
	if again := p.context(); again.Revision <= g.Revision {
		t.Errorf("the revision was %d and is %d", g.Revision, again.Revision)
	}
	p.checkStored()
}
