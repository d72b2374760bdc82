package e2e_test

import (
	"fmt"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// screen is what a terminal shows at one moment.
type screen struct {
	text   string     // the rows, without blanks at their ends
	cells  [][]string // what each cell holds; "" after a wide character
	cursor uv.Position
}

func newScreen(e *vt.Emulator) screen {
	w, h := e.Width(), e.Height()
	s := screen{cells: make([][]string, h), cursor: e.CursorPosition()}
	rows := make([]string, h)
	for y := range h {
		row := make([]string, w)
		var b strings.Builder
		for x := range w {
			if c := e.CellAt(x, y); c != nil {
				row[x] = c.Content
			}
			b.WriteString(row[x])
		}
		s.cells[y], rows[y] = row, strings.TrimRight(b.String(), " ")
	}
	s.text = strings.Join(rows, "\n")
	return s
}

// has reports whether all of the texts are on the screen, each on one row.
func (s screen) has(texts ...string) bool {
	for _, t := range texts {
		if !strings.Contains(s.text, t) {
			return false
		}
	}
	return true
}

// row returns row y, counted from the bottom if negative.
func (s screen) row(y int) string {
	rows := strings.Split(s.text, "\n")
	if y < 0 {
		y += len(rows)
	}
	return rows[y]
}

// size returns the numbers of columns and rows.
func (s screen) size() (w, h int) { return len(s.cells[0]), len(s.cells) }

// gutter is the number of empty cells at both ends of every line.
func gutter(width int) int {
	switch {
	case width < 24:
		return 0
	case width < 60:
		return 1
	}
	return 2
}

// frameFault returns what is wrong with the frame around the conversation, or "". It checks the header, the box of the
// composer, the gauge and the hints.
func (s screen) frameFault() string {
	w, h := s.size()
	bottom, gutter := h-1, gutter(w)
	if h >= 8 && w >= 20 && !strings.HasPrefix(s.row(0), strings.Repeat(" ", gutter)+strings.Repeat("⊖ ", min(w/60, 1))+"plimsoll") {
		return "no header in the first row"
	}
	if h >= 16 && s.row(1) != strings.Repeat(" ", gutter)+strings.Repeat("─", w-2*gutter) {
		return "no rule in the second row"
	}
	if h >= 10 {
		hints := []string{"enter send", "enter queue", "enter choose", "enter connect", "Read-only", "enter to continue"}
		if w >= 40 && !slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(s.row(bottom), h) }) {
			return "no hints in the last row"
		}
		bottom--
	}
	if legend := s.row(bottom); strings.Contains(legend, "█ prompt ") && !strings.Contains(legend, "▏") { // the line that names the segments
		bottom--
	}
	if gauge := s.row(bottom); !strings.ContainsAny(gauge, "0123456789") || w >= 40 && !strings.Contains(gauge, "%") && !strings.Contains(gauge, "tokens") {
		return fmt.Sprintf("no gauge in row %d: %q", bottom, gauge)
	}
	bottom--
	if s.cells[bottom][gutter] != "╰" || s.cells[bottom][w-1-gutter] != "╯" {
		return fmt.Sprintf("row %d is not the lower border of the composer", bottom)
	}
	for y := bottom - 1; y >= 0; y-- {
		switch left, right := s.cells[y][gutter], s.cells[y][w-1-gutter]; {
		case left == "╭" && right == "╮":
			if y == bottom-1 {
				return "the composer has no room for text"
			}
			return ""
		case left != "│" || right != "│":
			return fmt.Sprintf("row %d is in the composer, but its edges are %q and %q", y, left, right)
		}
	}
	return "the composer has no upper border"
}

// gaugeShare returns the used share of the window as the gauge shows it ("~12%", "<1%"), or "".
func (s screen) gaugeShare() string {
	for y := -1; y >= -3; y-- {
		row := s.row(y)
		end := strings.LastIndex(row, "▏") // the bar may have others in it
		if end < 0 {
			continue
		}
		if fields := strings.Fields(row[end+len("▏"):]); len(fields) > 0 {
			return fields[0]
		}
	}
	return ""
}
