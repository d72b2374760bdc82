package e2e_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// TestEveryFrameIsComplete streams a reply, scrolls and pastes. Each frame is a complete screen, nothing is drawn between two
// frames, and the screen equals a completely redrawn one.
func TestEveryFrameIsComplete(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	text := []rune(markdownAnswer(2000))
	over := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.streamUntil(over, func(i int) string {
			if 5*i == len(text)/5*5 {
				close(over)
			}
			return string(text[min(5*i, len(text)):min(5*i+5, len(text))])
		})
		w.end("stop", 0, 0)
	})
	term := p.startChat(defaultSize, s)
	term.press("ctrl+l")
	term.wait("frame between marks", func(screen) bool { return strings.Contains(term.written(), ansi.SetModeSynchronizedOutput) })
	term.redraw()
	from := len(term.written())
	term.sendMessage("tell me all")
	term.awaitIdle(lastWords, "compacts in ~") // what comes next is computed after the end of the turn
	checkFrames(t, term.written(), from, defaultSize, 5)
	term.checkRedrawn("after the stream")
	from = len(term.written())
	for n, key := range []string{"pgup", "pgup", "pgdown", "pgup"} {
		before := term.shown().text
		term.press(key)
		term.wait(fmt.Sprintf("page %d", n), func(s screen) bool { return s.text != before })
	}
	checkFrames(t, term.written(), from, defaultSize, 4)
	term.checkRedrawn("after pages")
	from = len(term.written())
	term.paste("a short text with 漢字 and 👩‍🚀")
	term.awaitText("a short text")
	term.paste(strings.Repeat("a line of a long log\n", 500))
	term.awaitText("500 lines")
	checkFrames(t, term.written(), from, defaultSize, 1)
	term.checkRedrawn("after a paste")
}

// checkRedrawn compares the screen with a completely redrawn one.
func (t *terminal) checkRedrawn(when string) {
	t.t.Helper()
	before := t.cellContents()
	t.redraw()
	after := t.cellContents()
	for at, cell := range before {
		if after[at] != cell {
			t.t.Fatalf("%s cell %v shows %s; redrawn it shows %s:\n%s", when, at, cell, after[at], t.shown().text)
		}
	}
}

// redraw makes the program redraw the whole screen, and waits for it.
func (t *terminal) redraw() {
	t.t.Helper()
	erased := func() int { return strings.Count(t.written(), ansi.EraseEntireScreen) }
	n := erased()
	t.press("ctrl+l")
	t.wait("screen redrawn", func(s screen) bool { return erased() > n && s.frameFault() == "" }) // the library erases the screen and draws a frame
}

// cellContents returns the content of every cell, with its colours.
func (t *terminal) cellContents() map[uv.Position]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	cells := map[uv.Position]string{}
	for y := range t.screen.Height() {
		for x := range t.screen.Width() {
			if c := t.screen.CellAt(x, y); c != nil {
				cells[uv.Pos(x, y)] = fmt.Sprintf("%q%s", c.Content, c.Style.String())
			}
		}
	}
	return cells
}

func checkFrames(t *testing.T, written string, from int, s size, least int) {
	t.Helper()
	again := vt.NewEmulator(s.w, s.h)
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(io.Discard, again) }) // the replies are not needed
	defer answers.Wait()
	defer func() { _ = again.InputPipe().(io.Closer).Close() }() // never fails
	_, _ = again.WriteString(written[:from])
	frames, rest := 0, written[from:]
	for {
		between, frame, found := strings.Cut(rest, ansi.SetModeSynchronizedOutput)
		if said := strings.TrimSpace(ansi.Strip(between)); said != "" || strings.Contains(between, "\x1b[K") {
			t.Fatalf("between two frames there is %q", between)
		}
		if !found {
			break
		}
		frame, rest, found = strings.Cut(frame, ansi.ResetModeSynchronizedOutput)
		if !found {
			t.Fatalf("a frame does not end: %q", frame)
		}
		_, _ = again.WriteString(frame)
		if screen := newScreen(again); screen.frameFault() != "" {
			t.Fatalf("after frame %d: %s:\n%s", frames, screen.frameFault(), screen.text)
		}
		frames++
	}
	if frames < least {
		t.Errorf("only %d frames were written", frames)
	}
}
