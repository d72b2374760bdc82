package e2e_test

import (
	"strings"
	"testing"
)

// Unexpected windows: one is unknown until the server refuses a request, and one becomes smaller when the user switches
// models.

// tall is a terminal that shows a whole turn with long answers.
var tall = size{140, 80}

func TestAutoCompactionLearnsTheWindowFromARefusal(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, 2*shortAnswer)
	s.hideWindows()
	s.releaseSummaries()
	term := p.startChat(tall, s)
	n := term.askUntil(1, "The server says that")
	term.awaitIdle("The server says that its window is 8192 tokens.", "Compacted turns 1–", endOfAnswer(n-1), "8.2k ")
	for _, fault := range []string{"exceeds the available context", "Larger than the context window (400)", "Too long"} {
		if strings.Contains(term.written(), fault) {
			t.Errorf("the refusal is shown as a fault, %q", fault)
		}
	}
	refused := s.matching(func(a countedRequest) bool { return a.refused && isChat(a) })
	last := s.awaitRequest("request made again", n, isChat)
	if len(refused) != 1 || last.refused || last.tokens >= refused[0].tokens {
		t.Errorf("%d requests were refused; the last has %d tokens", len(refused), last.tokens)
	}
	last.body.checkSummarised(t, refused[0].body, 0)
	p.quit(term)
	if g := p.newestContext(); g.WindowSource != "learned" || g.Window != smallWindow || g.Used > smallWindow {
		t.Errorf("the window is %+v", g)
	}

	term = p.start(tall, s.flags()...)
	term.awaitIdle("Talking to", "8.2k ")
	s.holdSummaries()
	term.askUntil(1, optimizing) // before the server has to say so again
	if again := s.matching(func(a countedRequest) bool { return a.refused && isChat(a) }); len(again) > 1 {
		t.Errorf("a new conversation has %d requests refused", len(again)-1)
	}
	p.quit(term)
	if g := p.newestContext(); g.WindowSource != "learned" || g.Window != smallWindow {
		t.Errorf("a new conversation has the window %+v", g)
	}
}

func TestOldModelWritesTheSummaryBeforeASwitchToASmallerWindow(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, 4*shortAnswer)
	term := p.start(size{100, 40}, s.flags("--model", largeModel)...)
	term.awaitIdle("Talking to custom/"+largeModel, "32.8k ")
	const before = 8
	for n := 1; n <= before; n++ {
		term.ask(n)
	}
	full := s.awaitRequest("answer of the large model", before, isChat)
	if full.tokens <= smallWindow || full.model != largeModel {
		t.Fatalf("%s was sent %d tokens", full.model, full.tokens)
	}
	term.slashCommand("/model custom/" + smallModel)
	term.awaitText("custom/"+smallModel, "8.2k ")
	ask := s.awaitRequest("request for a summary", 1, isSummary)
	if ask.model != largeModel || ask.refused {
		t.Errorf("%s was asked for the summary with %d tokens", ask.model, ask.tokens)
	}
	s.setAnswerLines(shortAnswer)
	term.sendMessage(question(before + 1))
	term.wait("answer after a note", func(s screen) bool { return s.has("Compacted turns 1–", endOfAnswer(before+1)) })
	s.releaseSummaries()
	last := s.awaitRequest("answer of the small model", before+1, isChat)
	if last.model != smallModel || last.refused || last.tokens > smallWindow {
		t.Errorf("%s was sent %d tokens", last.model, last.tokens)
	}
	last.body.checkSummarised(t, full.body, 2)
	term.ask(before + 2)
	if all := s.matching(func(a countedRequest) bool { return a.refused }); len(all) > 0 {
		t.Errorf("%d requests were longer than the window", len(all))
	}
}
