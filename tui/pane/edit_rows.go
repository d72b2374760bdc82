package pane

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// The layout of a text that is being edited: lines are cut into rows, at blanks and
// behind wide characters where possible. A row may hold one blank more than there is
// room for, in the cell that is kept for the cursor.

// piece is a row of the text: offsets, without the line feed.
type piece struct{ start, end int }

// tabCells is how wide a tab is.
const tabCells = 4

// lay is the text in rows, at least one.
func (e *Edit) lay() []piece {
	if e.rows != nil {
		return e.rows
	}
	room := max(e.width-1, 1)
	start, cut, filled := 0, 0, 0
	end := func(at int) {
		e.rows = append(e.rows, piece{start, at})
		if filled > room { // a blank has taken the cell of the cursor
			e.rows = append(e.rows, piece{at, at})
		}
	}
	for i := 0; i < len(e.text); {
		if e.text[i] == '\n' {
			end(i)
			i++
			start, cut, filled = i, i, 0
			continue
		}
		n, w := atom(e.text[i:])
		blank := e.text[i] == ' '
		if filled+w > room && i > start && (!blank || filled > room) {
			if cut <= start {
				cut = i
			}
			e.rows = append(e.rows, piece{start, cut})
			start, i, filled = cut, cut, 0
			continue
		}
		i, filled = i+n, filled+w
		if blank || w > 1 {
			cut = i
		}
	}
	end(len(e.text))
	return e.rows
}

// row is the row with the cursor: where two meet, the second.
func (e *Edit) row() int {
	rows := e.lay()
	return max(0, sort.Search(len(rows), func(i int) bool { return rows[i].start > e.at })-1)
}

// endOf is the last place of the cursor in a row.
func (e *Edit) endOf(row int) int {
	rows := e.lay()
	p := rows[row]
	if row+1 == len(rows) || rows[row+1].start > p.end || p.start == p.end {
		return p.end
	}
	return e.offset(row, e.width) // the end of a row that goes on is the start of the next
}

// vertical moves the cursor by rows, to the column it came from.
func (e *Edit) vertical(by, goal int) {
	row := e.row()
	if goal < 0 {
		goal = cells(e.text[e.lay()[row].start:e.at])
	}
	target := row + by
	switch rows := e.lay(); {
	case target < 0:
		e.at = 0
	case target >= len(rows):
		e.at = len(e.text)
	default:
		e.at = e.offset(target, goal)
	}
	e.goal = goal
}

// offset is the place in a row that is nearest to a column from the left.
func (e *Edit) offset(row, column int) int {
	rows := e.lay()
	p := rows[row]
	goesOn := row+1 < len(rows) && rows[row+1].start == p.end
	i, x := p.start, 0
	for i < p.end {
		n, w := atom(e.text[i:])
		if x+w > column || goesOn && i+n == p.end {
			break
		}
		i, x = i+n, x+w
	}
	return i
}

// View is the rows in sight, at most height, none wider than width. It shows the one
// with the cursor.
func (e *Edit) View() []string {
	rows, row := e.lay(), e.row()
	e.top = max(0, min(e.top, len(rows)-e.height))
	e.top = max(min(e.top, row), row-e.height+1)
	var out []string
	for _, p := range rows[e.top:min(len(rows), e.top+e.height)] {
		line := strings.ReplaceAll(e.text[p.start:p.end], "\t", strings.Repeat(" ", tabCells))
		out = append(out, Clip(line, e.width))
	}
	return out
}

// Line is a text that stays on one line in exactly width cells, and the column of the cursor in it. A long text ends at
// the cursor, so that one sees what one types.
func (e *Edit) Line(width int) (string, int) {
	head := e.text[:e.at]
	x := ansi.StringWidth(head)
	if over := x - width + 1; over > 0 {
		shown := ansi.TruncateLeft(head, over, "")
		if ansi.StringWidth(shown) >= width { // a wide character stays whole
			shown = ansi.TruncateLeft(head, over+1, "")
		}
		return Fit(shown, width), min(ansi.StringWidth(shown), width-1)
	}
	return Fit(e.text, width), x
}

// Cursor is the cell of the cursor in the view as it was drawn last.
func (e *Edit) Cursor() (x, y int) {
	row := e.row()
	x = cells(e.text[e.lay()[row].start:e.at])
	return min(x, e.width-1), max(0, min(row-e.top, e.height-1))
}

// Scrolled is the first row in sight, as it was drawn last.
func (e *Edit) Scrolled() int { return e.top }

// atom is the character that a text begins with: its bytes and its cells.
func atom(s string) (n, cells int) {
	switch {
	case s[0] == '\t':
		return 1, tabCells
	case s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return 1, 1
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(len(cluster), 1), w
}

// cells is how wide a part of a line is.
func cells(s string) int {
	x := 0
	for s != "" {
		n, w := atom(s)
		s, x = s[n:], x+w
	}
	return x
}
