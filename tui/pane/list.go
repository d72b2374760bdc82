package pane

// Rows is the content of a List.
type Rows interface {
	// Len returns the number of rows.
	Len() int
	// Lines draws a row: at least one line, none wider than width.
	Lines(row int, selected bool, width int) []string
}

// List is a list with a cursor. Its rows may have any height; only visible rows are
// drawn. The scroll position is a row and a line of it, so that the screen does not move
// when rows above change.
type List struct {
	width, height int
	sel           int // the row with the cursor
	top, skip     int // the first visible row, and how many of its lines are above the screen
}

// Selected returns the row with the cursor, -1 in an empty list.
func (l *List) Selected(r Rows) int {
	if r.Len() == 0 {
		return -1
	}
	return min(l.sel, r.Len()-1)
}

// SetSize sets the size of the list, in cells.
func (l *List) SetSize(width, height int) { l.width, l.height = max(width, 1), max(height, 0) }

// Select moves the cursor to a row and scrolls until it is visible.
func (l *List) Select(r Rows, row int) {
	l.sel = max(0, min(row, r.Len()-1))
	l.reveal(r)
}

// Keep moves the cursor to a row without scrolling, for a row whose index has changed.
func (l *List) Keep(row int) { l.sel = max(0, row) }

// ToTop moves to the first row.
func (l *List) ToTop(r Rows) { l.sel, l.top, l.skip = 0, 0, 0 }

// ToEnd moves to the last row.
func (l *List) ToEnd(r Rows) { l.Select(r, r.Len()-1) }

// reveal scrolls as little as possible to show the row with the cursor. Of a row that is
// higher than the list it shows the beginning.
func (l *List) reveal(r Rows) {
	l.sel = max(0, min(l.sel, r.Len()-1))
	if r.Len() == 0 {
		l.top, l.skip = 0, 0
		return
	}
	height := l.rowHeight(r, l.sel)
	if l.sel <= l.top || height >= l.height {
		l.top, l.skip = l.sel, 0
		return
	}
	if l.offset(r, l.sel)+height <= l.height {
		return
	}
	for l.top = l.sel; height < l.height && l.top > 0; { // scroll until the row ends at the last line
		l.top--
		height += l.rowHeight(r, l.top)
	}
	l.skip = max(0, height-l.height)
}

func (l *List) rowHeight(r Rows, row int) int { return len(r.Lines(row, row == l.sel, l.width)) }

// offset returns the line of the screen on which a row begins. The row is top or below. For
// a row below the screen it is any number from height on.
func (l *List) offset(r Rows, row int) int {
	at := -l.skip
	for i := l.top; i < row && at < l.height; i++ {
		at += l.rowHeight(r, i)
	}
	return at
}

// Scroll scrolls by this many lines. A cursor that would leave the screen moves with it.
func (l *List) Scroll(r Rows, by int) {
	if r.Len() == 0 {
		return
	}
	l.move(r, by)
	l.bound(r)
	l.follow(r)
}

// move changes the scroll position by this many lines, no further than the ends of the rows.
func (l *List) move(r Rows, by int) {
	l.top = max(0, min(l.top, r.Len()-1))
	l.skip += by
	for l.skip < 0 && l.top > 0 {
		l.top--
		l.skip += l.rowHeight(r, l.top)
	}
	l.skip = max(l.skip, 0)
	for l.top < r.Len()-1 {
		tall := l.rowHeight(r, l.top)
		if l.skip < tall {
			break
		}
		l.skip -= tall
		l.top++
	}
}

// bound scrolls back where there would be empty lines after the last row.
func (l *List) bound(r Rows) {
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		if lines += l.rowHeight(r, row); lines >= l.height {
			return
		}
	}
	for lines < l.height && (l.skip > 0 || l.top > 0) {
		if l.skip > 0 {
			back := min(l.skip, l.height-lines)
			l.skip, lines = l.skip-back, lines+back
			continue
		}
		l.top--
		l.skip = l.rowHeight(r, l.top)
	}
}

// follow moves the cursor to a visible row.
func (l *List) follow(r Rows) {
	first, last := l.top, l.top
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		lines += l.rowHeight(r, row)
		if lines > l.height && row > l.top {
			break
		}
		last = row
		if lines >= l.height {
			break
		}
	}
	l.sel = max(first, min(l.sel, last))
}

// View draws the visible rows, at most height lines. If the size or the rows have changed, it
// first scrolls so that the row with the cursor is visible and the last row is not followed
// by empty lines.
func (l *List) View(r Rows) []string {
	n := r.Len()
	if n == 0 || l.height == 0 {
		return nil
	}
	l.sel = max(0, min(l.sel, n-1))
	l.move(r, 0)
	out, seen := l.draw(r)
	if len(out) < l.height && (l.top > 0 || l.skip > 0) {
		l.bound(r)
		out, seen = l.draw(r)
	}
	if !seen {
		l.reveal(r)
		out, _ = l.draw(r)
	}
	return out
}

// draw draws the visible rows, and reports whether the row with the cursor is among them.
func (l *List) draw(r Rows) (out []string, seen bool) {
	for row, skip := l.top, l.skip; row < r.Len() && len(out) < l.height; row, skip = row+1, 0 {
		lines := r.Lines(row, row == l.sel, l.width)
		seen = seen || row == l.sel && skip < len(lines)
		lines = lines[min(skip, len(lines)):]
		out = append(out, lines[:min(len(lines), l.height-len(out))]...)
	}
	return out, seen
}

// At returns the row on a line of the list, -1 for none.
func (l *List) At(r Rows, y int) int {
	if y < 0 || y >= l.height {
		return -1
	}
	at := -l.skip
	for row := l.top; row < r.Len() && at <= y; row++ {
		if at += l.rowHeight(r, row); y < at {
			return row
		}
	}
	return -1
}

// Step moves the cursor by a row. In a row that is higher than the list it first scrolls to
// the end of the row. Moving up into such a row shows the end of it.
func (l *List) Step(r Rows, by int) {
	sel := l.Selected(r)
	if sel < 0 {
		return
	}
	l.sel = sel
	if tall := l.rowHeight(r, sel); tall > l.height && l.height > 0 && sel >= l.top {
		at := l.offset(r, sel)
		if by > 0 && at+tall > l.height || by < 0 && at < 0 {
			l.move(r, max(-1, min(by, 1)))
			return
		}
	}
	if next := sel + by; next < 0 || next >= r.Len() {
		return
	}
	l.Select(r, sel+by)
	if tall := l.rowHeight(r, l.sel); by < 0 && l.sel < sel && tall > l.height {
		l.top, l.skip = l.sel, tall-l.height
	}
}

// Shift adds by to the indices of cursor and scroll position, after rows were inserted or
// removed above.
func (l *List) Shift(by int) { l.sel, l.top = max(0, l.sel+by), max(0, l.top+by) }
