package e2e_test

import (
	"strings"
	"testing"
)

// What the screen shows of automatic compaction, on large and small terminals.

// small are the sizes at which the frame must be complete.
var small = []size{{80, 24}, {40, 12}}

// checkFrame checks that the frame is complete, the gauge shows a number, and a typed draft is visible together with some
// texts.
func (t *terminal) checkFrame(texts ...string) {
	t.t.Helper()
	t.typeText("a draft")
	shown := t.wait("draft beside "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(append(texts, "│ a draft")...) && s.frameFault() == ""
	})
	if !strings.HasSuffix(shown.gaugeShare(), "%") {
		t.t.Errorf("the gauge shows %q:\n%s", shown.gaugeShare(), shown.text)
	}
	t.press("ctrl+u")
	t.wait("empty draft", func(s screen) bool { return !s.has("a draft") && s.frameFault() == "" })
}

// checkFrameAt resizes the terminal to each of the sizes, and waits for a complete frame with some texts.
func (t *terminal) checkFrameAt(sizes []size, texts ...string) {
	t.t.Helper()
	for _, at := range sizes {
		t.resize(at)
		t.wait("frame of the size", func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && s.has(texts...) && s.frameFault() == ""
		})
	}
}

func TestAutoCompactionOnSmallScreens(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.start(small[1], s.flags()...)
	term.wait("first frame", func(s screen) bool { return s.has("%") && s.frameFault() == "" })
	n := term.askUntil(1, optimizing)
	term.checkFrame(optimizing, endOfAnswer(n-1))
	s.setAnswerLines(4)
	term.ask(n)
	n = term.askPastLoadLine(n+1) - 1
	term.checkFrame(optimizing, endOfAnswer(n))
	term.checkFrameAt(small, optimizing, endOfAnswer(n))
	s.releaseSummaries()
	term.wait("compaction", func(s screen) bool {
		return s.has("Compacted") && !s.has(optimizing) && s.frameFault() == ""
	})
	term.checkFrame("Compacted")
}
