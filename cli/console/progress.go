package console

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// Progress is a bar on standard error for long work. It draws only on a
// terminal, on one line that it takes away again. Work that was given up may go
// on with it: once it is closed nothing is written.
type Progress struct {
	columns int // of the terminal
	What    string
	Cells   int // of the bar

	mu          sync.Mutex
	W           io.Writer // nil: not a terminal
	done, total int       // told last
	Drawn       int       // cells filled when it was drawn last, -1: it is not there
	held        bool      // something else has the line
	closed      bool
}

func NewProgress(w io.Writer, what string) *Progress {
	p := &Progress{What: what, Cells: BarWidth, Drawn: -1}
	if Terminal(w) {
		p.W = w
		p.Fit(Width(w, 80))
	}
	return p
}

// Inside is the bar of a part of the work. It has the line of p until again, and
// nothing of it is written once p is closed.
func (p *Progress) Inside(what string) *Progress {
	p.Hold()
	part := &Progress{What: what, Cells: BarWidth, Drawn: -1}
	if p.W != nil {
		part.W = lineOf{p}
		part.Fit(p.columns)
	}
	return part
}

// lineOf writes where the bar of p is.
type lineOf struct{ p *Progress }

func (l lineOf) Write(b []byte) (int, error) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.closed {
		return len(b), nil
	}
	l.p.erase()
	return l.p.W.Write(b)
}

// Fit makes bar and text fit into a line, from which a bar could not be taken
// away if it went on in the next.
func (p *Progress) Fit(columns int) {
	p.columns = columns
	p.What = ansi.Truncate(p.What, max(0, columns-barLeast-2), "…")
	p.Cells = max(0, min(BarWidth, columns-ansi.StringWidth(p.What)-2))
}

// barLeast is how many cells a bar has at least where there is room for it.
const barLeast = 8

// Show draws how far the work is, if that has changed to the eye.
func (p *Progress) Show(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	p.draw()
}

// Hold takes the bar away until again, whatever is told meanwhile.
func (p *Progress) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.held = true
}

// Again draws the bar where something else took it away.
func (p *Progress) Again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = false
	p.draw()
}

// Tell writes a text to w in place of the bar, unless the bar is closed.
func (p *Progress) Tell(w io.Writer, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.erase()
	fmt.Fprintln(w, text)
}

// Clear takes the bar away.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// Close takes the bar away for good.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.closed = true
}

// draw draws what was told last. The caller holds the lock.
func (p *Progress) draw() {
	if p.W == nil || p.total <= 0 || p.closed || p.held {
		return
	}
	filled := p.done * p.Cells / p.total
	if filled == p.Drawn {
		return
	}
	p.Drawn = filled
	fmt.Fprintf(p.W, "\r%s %s%s", p.What, strings.Repeat("█", filled), strings.Repeat("·", p.Cells-filled))
}

// erase takes the bar away. The caller holds the lock.
func (p *Progress) erase() {
	if p.W != nil && p.Drawn >= 0 && !p.closed {
		fmt.Fprint(p.W, "\r\x1b[K")
		p.Drawn = -1
	}
}

// BarWidth is the width of the longest bar, in cells.
const BarWidth = 24
