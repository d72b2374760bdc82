package cli

import (
	"fmt"
	"io"
	"strings"
)

// progress is a bar on standard error for long work. It draws only on a
// terminal, on one line that it takes away again.
type progress struct {
	w     io.Writer // nil: not a terminal
	what  string
	drawn int // cells filled when it was drawn last, -1 before
}

func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: what, drawn: -1}
	if terminal(w) {
		p.w = w
	}
	return p
}

// show draws how far the work is, if that has changed to the eye.
func (p *progress) show(done, total int) {
	if p.w == nil || total <= 0 {
		return
	}
	filled := done * barWidth / total
	if filled == p.drawn {
		return
	}
	p.drawn = filled
	fmt.Fprintf(p.w, "\r%s %s%s", p.what, strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled))
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.w != nil && p.drawn >= 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
