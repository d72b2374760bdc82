package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// What an impatient person and a window manager do.

func TestTypingWhileAReplyStreams(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	typed := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.pour(typed, func(i int) string { return fmt.Sprintf("word%d ", i) })
		w.text("\n\nThe last word.")
		w.end("stop", 0, 0)
	}, says("Still here."))
	term := p.start(usual, append(s.args(), "--window", "100M")...) // it streams for as long as typing takes
	term.idle("Talking to")
	term.say("go")
	term.see("word1 ")
	const draft = "the quick brown fox jumps over the lazy dog and 漢字 too"
	for _, r := range strings.Repeat(draft+" ", 3) {
		term.typed(string(r))
	}
	term.typed("END")
	during := term.see("END")
	if !during.busy() || during.broken() != "" {
		t.Errorf("%s:\n%s", during.broken(), during.text)
	}
	close(typed)
	term.idle("The last word.", "END")
	term.key("enter")
	term.idle("Still here.")
	if sent := s.request(-1); !strings.Contains(sent, strings.Repeat(draft+" ", 3)+"END") {
		t.Errorf("what was typed is not what was sent: %s", sent[max(0, len(sent)-400):])
	}
}

func TestPasteOf200KBIsAChip(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("Still here."), says("Still here."))
	term := p.start(usual, s.args("--window", "200000")...) // it has to hold the paste
	term.idle("Talking to")
	var b strings.Builder
	for i := 0; b.Len() < 200<<10; i++ {
		fmt.Fprintf(&b, "line %d of a long log\n", i)
	}
	lines := strings.Count(b.String(), "\n")
	term.paste(b.String())
	term.see(fmt.Sprintf("[pasted 1: %d lines", lines), "→ ~")
	term.typed("what is this?")
	term.see("what is this?")
	term.key("enter")
	term.idle("Still here.", "ctrl+o details")
	sent := s.request(0)
	if !strings.Contains(sent, fmt.Sprintf(`line %d of a long log\n`, lines-1)) || strings.Count(sent, "of a long log") != lines {
		t.Error("the paste was not sent whole")
	}
	term.checkContinues()
}

func TestResizeStorm(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	stop := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.pour(stop, func(i int) string {
			if i >= 200 {
				return ""
			}
			return fmt.Sprintf("- item %d with `code` and **weight** and 漢字\n", i)
		})
		w.text("\nThe last word.")
		w.end("stop", 0, 0)
	}, says("Still here."))
	term := p.talking(usual, s)
	term.say("go")
	term.see("item 1")
	term.resize(size{1, 1})
	for i := range 60 {
		term.resize(size{20 + i*37%231, 8 + i*23%53})
	}
	for _, at := range []size{{20, 8}, {250, 60}, {40, 12}, {80, 24}, {20, 60}, {250, 8}, usual} {
		term.resize(at)
		term.wait(fmt.Sprintf("frame of %dx%d", at.w, at.h), func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && s.broken() == "" && s.has("漢")
		})
	}
	close(stop)
	term.idle("The last word.")
	term.checkContinues()
}

// A frame may be on its way while the terminal gets another size: it is drawn
// for the old one, and what it leaves behind must not spoil the next.
func TestFrameOfTheOldSizeSpoilsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says(strings.Repeat("- a line of a long answer\n", 60), "\nThe last word."), says("Still here."))
	term := p.talking(size{80, 24}, s)
	term.say("go")
	term.idle("The last word.")
	term.resizeDuring(size{60, 50}, "\x1b[3;18r\x1b[18;1H\x1b[6S\x1b[1;24r\x1b[23;1H")
	term.wait("frame of the new size", func(s screen) bool {
		_, h := s.size()
		return h == 50 && s.broken() == "" && strings.Count(s.text, "• a line of a long answer") > 30
	})
	term.checkContinues()
}
