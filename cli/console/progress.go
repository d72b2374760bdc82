package console

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// Progress is a progress bar on standard error. It draws only on a terminal, on one line, which Clear erases.
type Progress struct {
	label string
	cells int // of the bar

	mu    sync.Mutex
	w     io.Writer // nil: not a terminal
	drawn int       // filled cells on the screen, -1 if the bar is not drawn
}

// NewProgress is a bar that is not drawn yet.
func NewProgress(w io.Writer, label string) *Progress {
	if !Terminal(w) {
		return &Progress{drawn: -1}
	}
	return NewBar(w, label, Width(w, 80))
}

const (
	BarWidth    = 24 // cells of the longest bar
	minBarWidth = 8  // cells of the shortest bar, if the line has room for it
)

// NewBar is a bar that fits into one line with its text, because a wrapped line could not be erased.
func NewBar(w io.Writer, label string, columns int) *Progress {
	label = ansi.Truncate(label, max(0, columns-minBarWidth-2), "…")
	return &Progress{w: w, label: label, cells: max(0, min(BarWidth, columns-ansi.StringWidth(label)-2)), drawn: -1}
}

// Show draws the progress, if the number of filled cells changed.
func (p *Progress) Show(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || total <= 0 {
		return
	}
	filled := done * p.cells / total
	if filled == p.drawn {
		return
	}
	p.drawn = filled
	fmt.Fprintf(p.w, "\r%s %s%s", p.label, strings.Repeat("█", filled), strings.Repeat("·", p.cells-filled))
}

// PrintText writes a text to w in place of the bar.
func (p *Progress) PrintText(w io.Writer, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintln(w, text)
}

// Clear erases the bar.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// erase erases the bar. The caller holds the lock.
func (p *Progress) erase() {
	if p.w != nil && p.drawn >= 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = -1
	}
}
