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

// TestEveryFrameIsWhole streams an answer, scrolls and pastes. Each frame is a complete screen, nothing is drawn between two
// frames, and the screen equals a completely redrawn one.
func TestEveryFrameIsWhole(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	text := []rune(answer(3000))
	over := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.pour(over, func(i int) string {
			if 5*i == len(text)/5*5 {
				close(over)
			}
			return string(text[min(5*i, len(text)):min(5*i+5, len(text))])
		})
		w.end("stop", 0, 0)
	})
	term := p.talking(usual, s)
	term.key("ctrl+l")
	term.wait("frame between marks", func(screen) bool { return strings.Contains(term.written(), ansi.SetModeSynchronizedOutput) })
	term.redraw()
	from := len(term.written())
	term.say("tell me all")
	term.idle(lastWords)
	framesAreWhole(t, term.written(), from, usual, 20)
	term.checkRedrawn("after the stream")
	from = len(term.written())
	for n, key := range []string{"pgup", "pgup", "pgdown", "pgup"} {
		before := term.shown().text
		term.key(key)
		term.wait(fmt.Sprintf("page %d", n), func(s screen) bool { return s.text != before })
	}
	framesAreWhole(t, term.written(), from, usual, 4)
	term.checkRedrawn("after pages")
	from = len(term.written())
	term.paste("a short text with 漢字 and 👩‍🚀")
	term.see("a short text")
	term.paste(strings.Repeat("a line of a long log\n", 500))
	term.see("500 lines")
	framesAreWhole(t, term.written(), from, usual, 1)
	term.checkRedrawn("after a paste")
}

// checkRedrawn compares the screen with a completely redrawn one.
func (t *terminal) checkRedrawn(when string) {
	t.t.Helper()
	before := t.look()
	t.redraw()
	after := t.look()
	for at, cell := range before {
		if after[at] != cell {
			t.t.Fatalf("%s cell %v shows %s; drawn anew it shows %s:\n%s", when, at, cell, after[at], t.shown().text)
		}
	}
}

// redraw makes the program redraw the whole screen, and waits for it.
func (t *terminal) redraw() {
	t.t.Helper()
	erased := func() int { return strings.Count(t.written(), ansi.EraseEntireScreen) }
	n := erased()
	t.key("ctrl+l")
	t.wait("screen drawn anew", func(s screen) bool { return erased() > n && s.broken() == "" }) // by the library, with a frame over it
}

// look is the content of every cell, with its colours.
func (t *terminal) look() map[uv.Position]string {
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

// framesAreWhole replays the output and checks each frame from an offset on.
func framesAreWhole(t *testing.T, written string, from int, s size, least int) {
	t.Helper()
	again := vt.NewEmulator(s.w, s.h)
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(io.Discard, again) }) // nobody asks again
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
		if screen := newScreen(again); screen.broken() != "" {
			t.Fatalf("after frame %d: %s:\n%s", frames, screen.broken(), screen.text)
		}
		frames++
	}
	if frames < least {
		t.Errorf("only %d frames were written", frames)
	}
}
