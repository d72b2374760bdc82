package paint

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// leastMoved is how many rows must move to make scrolling shorter than writing.
const leastMoved = 3

// scroll moves the rows that stand elsewhere in the next frame.
func (p *Painter) scroll(rows []string) {
	if !p.Scrolls {
		return
	}
	top, bottom := changed(p.rows, rows)
	if bottom-top < leastMoved {
		return
	}
	m := moved(p.rows, rows, top, bottom)
	if m.gain < leastMoved {
		return
	}
	first, last := m.first, m.last+m.by // of the rows that scroll
	if m.by < 0 {
		first, last = m.first+m.by, m.last
	}
	p.out.WriteString(ansi.SetTopBottomMargins(first+1, last+1))
	if m.by > 0 {
		p.moveTo(0, last)
		p.out.WriteString(strings.Repeat("\n", m.by))
		copy(p.rows[first:], p.rows[first+m.by:last+1])
		clear(p.rows[last-m.by+1 : last+1])
	} else {
		p.moveTo(0, first)
		p.out.WriteString(strings.Repeat(ansi.ReverseIndex, -m.by))
		copy(p.rows[first-m.by:last+1], p.rows[first:])
		clear(p.rows[first : first-m.by])
	}
	p.out.WriteString("\x1b[1;" + strconv.Itoa(p.height) + "r")
}

// changed is the first and the last row in which two frames differ.
func changed(old, rows []string) (top, bottom int) {
	bottom = len(rows) - 1
	for top < len(rows) && old[top] == rows[top] {
		top++
	}
	for bottom > top && old[bottom] == rows[bottom] {
		bottom--
	}
	return top, bottom
}

// move says that rows first to last of a frame stood so many rows below in the one
// before, above if negative.
type move struct {
	first, last, by int
	gain            int // rows that need not be written
}

// moved is the move between two frames that gains most.
func moved(old, rows []string, top, bottom int) (best move) {
	for by := top - bottom; by <= bottom-top; by++ {
		if by == 0 {
			continue
		}
		m := move{by: by}
		for y := max(top, top-by); y <= min(bottom, bottom-by); y++ {
			switch {
			case rows[y] != old[y+by]:
				m = move{by: by}
			case rows[y] != old[y]:
				if m.gain == 0 {
					m.first = y
				}
				m.last, m.gain = y, m.gain+1
			}
			if m.gain > best.gain {
				best = m
			}
		}
	}
	return best
}
