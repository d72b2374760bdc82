package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// What the screen shows of automatic compaction, on large and small terminals.

// small are the sizes at which all of it has to be in order.
var small = []size{{80, 24}, {40, 12}}

// inOrder checks that the frame is whole, the gauge has its number, and what is
// typed is seen together with some texts.
func (t *terminal) inOrder(texts ...string) {
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

func TestAutoCompactionOnSmallScreens(t *testing.T) {
	t.Parallel()
	for _, at := range small {
		t.Run(fmt.Sprintf("%dx%d", at.w, at.h), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			s := newCounter(t, shortAnswer)
			term := p.start(at, s.args()...)
			term.wait("first frame", func(s screen) bool { return s.has("/8.2k") && s.broken() == "" })
			n := term.fill(1, optimizing)
			term.inOrder(optimizing, said(n-1))
			s.answersWith(4)
			term.ask(n)
			n = term.past(n+1) - 1
			term.inOrder(optimizing, said(n))
			for _, to := range append(small, at) {
				term.resize(to)
				term.wait("frame of the size", func(s screen) bool {
					w, h := s.size()
					return w == to.w && h == to.h && s.has(optimizing, said(n)) && s.broken() == ""
				})
			}
			s.open()
			term.wait("compaction", func(s screen) bool {
				return s.has("compacted") && !s.has(optimizing) && s.broken() == ""
			})
			term.inOrder("compacted")
		})
	}
}

func TestPausedSummariesOnSmallScreens(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, 2*shortAnswer)
	s.breaks()
	term := p.start(usual, s.args()...)
	term.wait("first frame", func(s screen) bool { return s.has("/8.2k") && s.broken() == "" })
	n := term.fill(1, paused) // on a smaller screen the notes of failed summaries cover the answers
	term.wait("paused note", func(s screen) bool { return s.has(paused, said(n-1)) && !s.busy() && s.broken() == "" })
	for _, to := range append([]size{usual}, small...) {
		term.resize(to)
		term.wait("frame of the size", func(s screen) bool {
			w, h := s.size()
			return w == to.w && h == to.h && s.has(paused) && s.broken() == ""
		})
		term.inOrder(paused)
	}
}
