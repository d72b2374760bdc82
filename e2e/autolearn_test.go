package e2e_test

import (
	"strings"
	"testing"
)

// Unexpected windows: one that is unknown until the server refuses a request, and a smaller one of another model.

// tall is a terminal that shows a whole turn with long answers.
var tall = size{140, 80}

func TestAutoCompactionLearnsTheWindowFromARefusal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, 2*shortAnswer)
	s.hide()
	s.open()
	term := p.talking(tall, s)
	n := term.askUntil(1, "The server says that")
	term.idle("The server says that its window is 8192 tokens.", "compacted turns 0–", said(n-1), "/8.2k")
	for _, fault := range []string{"exceeds the available context", "Larger than the context window (400)", "Too long"} {
		if strings.Contains(term.written(), fault) {
			t.Errorf("the refusal is shown as a fault, %q", fault)
		}
	}
	refused := s.all(func(a asked) bool { return a.refused && talk(a) })
	last := s.await("request made again", n, talk)
	if len(refused) != 1 || last.refused || last.tokens >= refused[0].tokens {
		t.Errorf("%d requests were refused; the last has %d tokens", len(refused), last.tokens)
	}
	last.body.checkSummarised(t, refused[0].body, 0)
	p.quits(term)
	if g := p.context(); g.WindowSource != "learned" || g.Window != smallWindow || g.Used > smallWindow {
		t.Errorf("the window is %+v", g)
	}

	term = p.start(tall, s.args()...)
	term.idle("Talking to", "/8.2k")
	s.shut()
	term.askUntil(1, optimizing) // before the server has to say so again
	if again := s.all(func(a asked) bool { return a.refused && talk(a) }); len(again) > 1 {
		t.Errorf("a new conversation has %d requests refused", len(again)-1)
	}
	p.quits(term)
	if g := p.context(); g.WindowSource != "learned" || g.Window != smallWindow {
		t.Errorf("a new conversation has the window %+v", g)
	}
}

func TestAutoCompactionAsksTheOldModelBeforeASmallerWindow(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, 4*shortAnswer)
	term := p.start(usual, s.args("--model", largeModel)...)
	term.idle("Talking to custom/"+largeModel, "/32.8k")
	const before = 8
	for n := 1; n <= before; n++ {
		term.ask(n)
	}
	full := s.await("answer of the large model", before, talk)
	if full.tokens <= smallWindow || full.model != largeModel {
		t.Fatalf("%s was sent %d tokens", full.model, full.tokens)
	}
	term.command("/model custom/" + smallModel)
	term.see("custom/"+smallModel, "/8.2k")
	ask := s.await("request for a summary", 1, summary)
	if ask.model != largeModel || ask.refused {
		t.Errorf("%s was asked for the summary with %d tokens", ask.model, ask.tokens)
	}
	s.setAnswerLines(shortAnswer)
	term.say(question(before + 1))
	term.wait("answer behind a note", func(s screen) bool { return s.has("compacted turns 0–", "at the hard line: ", said(before+1)) })
	s.open()
	last := s.await("answer of the small model", before+1, talk)
	if last.model != smallModel || last.refused || last.tokens > smallWindow {
		t.Errorf("%s was sent %d tokens", last.model, last.tokens)
	}
	last.body.checkSummarised(t, full.body, 2)
	term.ask(before + 2)
	if all := s.all(func(a asked) bool { return a.refused }); len(all) > 0 {
		t.Errorf("%d requests were longer than the window", len(all))
	}
}
