package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// progress is a bar on standard error for long work. It draws only on a
// terminal, on one line that it takes away again. Work that was given up may go
// on with it: once it is closed nothing is written.
type progress struct {
	columns int // of the terminal
	what    string
	cells   int // of the bar

	mu          sync.Mutex
	w           io.Writer // nil: not a terminal
	done, total int       // told last
	drawn       int       // cells filled when it was drawn last, -1: it is not there
	held        bool      // something else has the line
	closed      bool
}

func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what, cells: barWidth, drawn: -1}
	if terminal(w) {
		p.w = w
		p.fit(width(w, 80))
	}
	return p
}

// inside is the bar of a part of the work. It has the line of p until again, and
// nothing of it is written once p is closed.
func (p *progress) inside(what string) *progress {
	p.hold()
	part := &progress{what: what, cells: barWidth, drawn: -1}
	if p.w != nil {
		part.w = lineOf{p}
		part.fit(p.columns)
	}
	return part
}

// lineOf writes where the bar of p is.
type lineOf struct{ p *progress }

func (l lineOf) Write(b []byte) (int, error) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.closed {
		return len(b), nil
	}
	l.p.erase()
	return l.p.w.Write(b)
}

// fit makes bar and text fit into a line, from which a bar could not be taken
// away if it went on in the next.
func (p *progress) fit(columns int) {
	p.columns = columns
	p.what = ansi.Truncate(p.what, max(0, columns-barLeast-2), "…")
	p.cells = max(0, min(barWidth, columns-ansi.StringWidth(p.what)-2))
}

// barLeast is how many cells a bar has at least where there is room for it.
const barLeast = 8

// show draws how far the work is, if that has changed to the eye.
func (p *progress) show(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	p.draw()
}

// hold takes the bar away until again, whatever is told meanwhile.
func (p *progress) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.held = true
}

// again draws the bar where something else took it away.
func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = false
	p.draw()
}

// tell writes a text to w in place of the bar, unless the bar is closed.
func (p *progress) tell(w io.Writer, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.erase()
	fmt.Fprintln(w, text)
}

// clear takes the bar away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// close takes the bar away for good.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.closed = true
}

// draw draws what was told last. The caller holds the lock.
func (p *progress) draw() {
	if p.w == nil || p.total <= 0 || p.closed || p.held {
		return
	}
	filled := p.done * p.cells / p.total
	if filled == p.drawn {
		return
	}
	p.drawn = filled
	fmt.Fprintf(p.w, "\r%s %s%s", p.what, strings.Repeat("█", filled), strings.Repeat("·", p.cells-filled))
}

// erase takes the bar away. The caller holds the lock.
func (p *progress) erase() {
	if p.w != nil && p.drawn >= 0 && !p.closed {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = -1
	}
}

// barWidth is the width of the longest bar, in cells.
const barWidth = 24
