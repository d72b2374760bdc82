package pane

// Rows is what a List shows.
type Rows interface {
	// Len is how many rows there are.
	Len() int
	// Lines is a row as it is drawn, at least one line, none wider than width.
	Lines(row int, selected bool, width int) []string
}

// List is a list with a cursor. Its rows may have any height; only those in sight
// are drawn. The position is a row and a line of it, so that nothing jumps when
// other rows change.
type List struct {
	width, height int
	sel           int // the row with the cursor
	top, skip     int // the first row in sight, and how many of its lines are above
}

// Selected is the row with the cursor, -1 of an empty list.
func (l *List) Selected(r Rows) int {
	if r.Len() == 0 {
		return -1
	}
	return min(l.sel, r.Len()-1)
}

// SetSize gives the list its place.
func (l *List) SetSize(width, height int) { l.width, l.height = max(width, 1), max(height, 0) }

// Select moves the cursor to a row and shows it.
func (l *List) Select(r Rows, row int) {
	l.sel = max(0, min(row, r.Len()-1))
	l.reveal(r)
}

// Keep puts the cursor on a row without scrolling: for rows that have changed, where
// another row stands there now.
func (l *List) Keep(row int) { l.sel = max(0, row) }

// ToTop moves to the first row, ToEnd to the last.
func (l *List) ToTop(r Rows) { l.sel, l.top, l.skip = 0, 0, 0 }

// ToEnd moves to the last row.
func (l *List) ToEnd(r Rows) { l.Select(r, r.Len()-1) }

// reveal scrolls as little as shows the row with the cursor; of one that is higher
// than the list the beginning.
func (l *List) reveal(r Rows) {
	l.sel = max(0, min(l.sel, r.Len()-1))
	if r.Len() == 0 {
		l.top, l.skip = 0, 0
		return
	}
	tall := l.tall(r, l.sel)
	if l.sel <= l.top || tall >= l.height {
		l.top, l.skip = l.sel, 0
		return
	}
	if end := l.offset(r, l.sel) + tall; end <= l.height {
		return
	}
	l.endAt(r, l.sel, tall)
}

// endAt scrolls until a row of so many lines ends at the last line.
func (l *List) endAt(r Rows, row, tall int) {
	lines := tall
	for l.top = row; lines < l.height && l.top > 0; {
		l.top--
		lines += l.tall(r, l.top)
	}
	l.skip = max(0, lines-l.height)
}

// tall is how many lines a row has.
func (l *List) tall(r Rows, row int) int { return len(r.Lines(row, row == l.sel, l.width)) }

// offset is the line of the view on which a row begins that is no higher than top;
// of one below the view some line from height on.
func (l *List) offset(r Rows, row int) int {
	at := -l.skip
	for i := l.top; i < row && at < l.height; i++ {
		at += l.tall(r, i)
	}
	return at
}

// Scroll moves what is in sight by so many lines, and the cursor with it where it
// would leave.
func (l *List) Scroll(r Rows, by int) {
	if r.Len() == 0 {
		return
	}
	l.move(r, by)
	l.bound(r)
	l.follow(r)
}

// move shifts the position by so many lines, no further than the ends of the rows.
func (l *List) move(r Rows, by int) {
	l.top = max(0, min(l.top, r.Len()-1))
	l.skip += by
	for l.skip < 0 && l.top > 0 {
		l.top--
		l.skip += l.tall(r, l.top)
	}
	l.skip = max(l.skip, 0)
	for l.top < r.Len()-1 {
		tall := l.tall(r, l.top)
		if l.skip < tall {
			break
		}
		l.skip -= tall
		l.top++
	}
}

// bound keeps the end of the list at the end of the screen.
func (l *List) bound(r Rows) {
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		if lines += l.tall(r, row); lines >= l.height {
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
		l.skip = l.tall(r, l.top)
	}
}

// follow moves the cursor to what is in sight.
func (l *List) follow(r Rows) {
	first, last := l.top, l.top
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		lines += l.tall(r, row)
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

// View is what is in sight, at most height lines. Where the place or the rows have
// changed since the last move, it shows the end of the list at the end of the screen
// and the row with the cursor in sight.
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

// draw is what is in sight, and whether a line of the row with the cursor is.
func (l *List) draw(r Rows) (out []string, seen bool) {
	for row, skip := l.top, l.skip; row < r.Len() && len(out) < l.height; row, skip = row+1, 0 {
		lines := r.Lines(row, row == l.sel, l.width)
		seen = seen || row == l.sel && skip < len(lines)
		lines = lines[min(skip, len(lines)):]
		out = append(out, lines[:min(len(lines), l.height-len(out))]...)
	}
	return out, seen
}

// At is the row on a line of the view, -1 for none.
func (l *List) At(r Rows, y int) int {
	if y < 0 || y >= l.height {
		return -1
	}
	at := -l.skip
	for row := l.top; row < r.Len() && at <= y; row++ {
		if at += l.tall(r, row); y < at {
			return row
		}
	}
	return -1
}

// Step moves the cursor by a row. A row that is higher than the list is scrolled
// through first, and entered at the end that is nearer.
func (l *List) Step(r Rows, by int) {
	sel := l.Selected(r)
	if sel < 0 {
		return
	}
	l.sel = sel
	if tall := l.tall(r, sel); tall > l.height && l.height > 0 && sel >= l.top {
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
	if tall := l.tall(r, l.sel); by < 0 && l.sel < sel && tall > l.height {
		l.top, l.skip = l.sel, tall-l.height
	}
}

// Shift says that the rows have moved by so many: what was in sight stays in sight,
// though it counts differently now.
func (l *List) Shift(by int) { l.sel, l.top = max(0, l.sel+by), max(0, l.top+by) }
