package e2e_test

import (
	"strings"
	"testing"
)

// What the screen shows of automatic compaction, on large and small terminals.

// small are the sizes at which the frame must be complete.
var small = []size{{80, 24}, {40, 12}}

// checkFrame checks that the frame is complete, the gauge has its number, and typed text is visible together with some texts.
func (t *terminal) checkFrame(texts ...string) {
	t.t.Helper()
	t.typed("a draft")
	shown := t.wait("draft beside "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(append(texts, "│ a draft")...) && s.broken() == ""
	})
	if !strings.HasSuffix(shown.used(), "%") {
		t.t.Errorf("the gauge says %q:\n%s", shown.used(), shown.text)
	}
	t.key("ctrl+u")
	t.wait("empty draft", func(s screen) bool { return !s.has("a draft") && s.broken() == "" })
}

// checkFrameAt has the terminal take each of the small sizes; the frame there has some texts.
func (t *terminal) checkFrameAt(sizes []size, texts ...string) {
	t.t.Helper()
	for _, at := range sizes {
		t.resize(at)
		t.wait("frame of the size", func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && s.has(texts...) && s.broken() == ""
		})
	}
}

func TestAutoCompactionOnSmallScreens(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, shortAnswer)
	term := p.start(small[1], s.args()...)
	term.wait("first frame", func(s screen) bool { return s.has("/8.2k") && s.broken() == "" })
	n := term.askUntil(1, optimizing)
	term.checkFrame(optimizing, said(n-1))
	s.setAnswerLines(4)
	term.ask(n)
	n = term.askPastLoadLine(n+1) - 1
	term.checkFrame(optimizing, said(n))
	term.checkFrameAt(small, optimizing, said(n))
	s.open()
	term.wait("compaction", func(s screen) bool {
		return s.has("compacted") && !s.has(optimizing) && s.broken() == ""
	})
	term.checkFrame("compacted")
}
