package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// Fast typing, large pastes and many resizes.

func TestTypingWhileAReplyStreams(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	typed := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.streamUntil(typed, func(i int) string { return fmt.Sprintf("word%d ", i) })
		w.text("\n\nThe last word.")
		w.end("stop", 0, 0)
	}, textReply("Still here."))
	term := p.start(defaultSize, append(s.flags(), "--window", "100M")...) // the reply streams as long as the typing takes
	term.awaitIdle("Talking to")
	term.sendMessage("go")
	term.awaitText("word1 ")
	const draft = "the quick brown fox jumps over the lazy dog and 漢字 too"
	for _, r := range strings.Repeat(draft+" ", 3) {
		term.typeText(string(r))
	}
	term.typeText("END")
	during := term.awaitText("END")
	if !during.busy() || during.frameFault() != "" {
		t.Errorf("%s:\n%s", during.frameFault(), during.text)
	}
	close(typed)
	term.awaitIdle("The last word.", "END")
	term.press("enter")
	term.awaitIdle("Still here.")
	if sent := s.request(-1); !strings.Contains(sent, strings.Repeat(draft+" ", 3)+"END") {
		t.Errorf("what was typed is not what was sent: %s", sent[max(0, len(sent)-400):])
	}
}

func TestPasteOf200KBIsAChip(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("Still here."), textReply("Still here."))
	term := p.start(defaultSize, s.flags("--window", "200000")...) // it has to hold the paste
	term.awaitIdle("Talking to")
	var b strings.Builder
	for i := 0; b.Len() < 200<<10; i++ {
		fmt.Fprintf(&b, "line %d of a long log\n", i)
	}
	lines := strings.Count(b.String(), "\n")
	term.paste(b.String())
	term.awaitText(fmt.Sprintf("[pasted 1: %d lines", lines), "→ ~")
	term.typeText("what is this?")
	term.awaitText("what is this?")
	term.press("enter")
	term.awaitIdle("Still here.", "ctrl+o details")
	sent := s.request(0)
	if !strings.Contains(sent, fmt.Sprintf(`line %d of a long log\n`, lines-1)) || strings.Count(sent, "of a long log") != lines {
		t.Error("the paste was not sent whole")
	}
	term.checkContinues()
}

func TestResizeStorm(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	stop := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.streamUntil(stop, func(i int) string {
			if i >= 200 {
				return ""
			}
			return fmt.Sprintf("- item %d with `code` and **weight** and 漢字\n", i)
		})
		w.text("\nThe last word.")
		w.end("stop", 0, 0)
	}, textReply("Still here."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("go")
	term.awaitText("item 1")
	term.resize(size{1, 1})
	for i := range 60 {
		term.resize(size{20 + i*37%231, 8 + i*23%53})
	}
	for _, at := range []size{{20, 8}, {250, 60}, {40, 12}, {80, 24}, {20, 60}, {250, 8}, defaultSize} {
		term.resize(at)
		term.wait(fmt.Sprintf("frame of %dx%d", at.w, at.h), func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && s.frameFault() == "" && s.has("漢")
		})
	}
	close(stop)
	term.awaitIdle("The last word.")
	term.checkContinues()
}

// The terminal may be resized while a frame of the old size is being written. Its leftovers must not damage the next frame.
func TestAFrameOfTheOldSizeDoesNotDamageTheNext(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply(strings.Repeat("- a line of a long answer\n", 60), "\nThe last word."), textReply("Still here."))
	term := p.startChat(size{80, 24}, s)
	term.sendMessage("go")
	term.awaitIdle("The last word.")
	term.resizeDuring(size{60, 50}, "\x1b[3;18r\x1b[18;1H\x1b[6S\x1b[1;24r\x1b[23;1H")
	term.wait("frame of the new size", func(s screen) bool {
		_, h := s.size()
		return h == 50 && s.frameFault() == "" && strings.Count(s.text, "• a line of a long answer") > 30
	})
	term.checkContinues()
}
