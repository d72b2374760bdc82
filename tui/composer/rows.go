package composer

// The layout: every logical line is cut into rows of at most width cells, at
// blanks and beside wide characters where possible. A row may hold one blank
// more than its width, in the cell that is kept for the cursor. Only lines
// that changed are laid out again.

// row is a piece of a line: offsets in bytes.
type row struct{ start, end int }

// setWidth changes the cells a row may fill.
func (b *buffer) setWidth(width int) {
	width = max(width, 1)
	if width == b.width {
		return
	}
	b.width = width
	for i := range b.lines {
		b.lines[i].rows = nil
	}
}

// rowsOf are the rows of a line, at least one.
func (b *buffer) rowsOf(i int) []row {
	l := &b.lines[i]
	if l.rows == nil {
		l.rows = b.wrap(l.text)
	}
	return l.rows
}

// wrap cuts a line into rows.
func (b *buffer) wrap(s string) []row {
	var rows []row
	start, filled := 0, 0
	cut := 0 // where the row can be cut; start: nowhere
	for i := 0; i < len(s); {
		n, w := b.atom(s[i:])
		blank := s[i] == ' '
		if w > 1 {
			cut = i
		}
		switch {
		case filled+w <= b.width || i == start || blank && filled == b.width:
			i += n
			filled += w
			if blank || w > 1 {
				cut = i
			}
		default:
			if cut <= start {
				cut = i
			}
			rows = append(rows, row{start, cut})
			start, filled = cut, 0
			i = cut
		}
	}
	rows = append(rows, row{start, len(s)})
	if filled > b.width {
		rows = append(rows, row{len(s), len(s)})
	}
	return rows
}

// height is the number of rows of the whole text.
func (b *buffer) height() int {
	n := 0
	for i := range b.lines {
		n += len(b.rowsOf(i))
	}
	return n
}

// cursor is the row of the whole text and the column the cursor is at.
func (b *buffer) cursor() (y, x int) {
	for i := range b.at.line {
		y += len(b.rowsOf(i))
	}
	rows := b.rowsOf(b.at.line)
	r := rowAt(rows, b.at.col)
	return y + r, b.columns(b.current()[rows[r].start:b.at.col])
}

// rowAt is the row an offset belongs to: where two meet, the second.
func rowAt(rows []row, col int) int {
	for i := len(rows) - 1; i > 0; i-- {
		if rows[i].start <= col {
			return i
		}
	}
	return 0
}

// columns is the number of cells a text takes.
func (b *buffer) columns(s string) int {
	x := 0
	for s != "" {
		n, w := b.atom(s)
		x += w
		s = s[n:]
	}
	return x
}

// vertical moves the cursor a row up or down, to the column it came from. It
// reports false at the first or the last row.
func (b *buffer) vertical(step int) bool {
	y, x := b.cursor()
	if y+step < 0 || y+step >= b.height() {
		return false
	}
	goal := b.goal
	if goal < 0 {
		goal = x
	}
	target := y + step
	for i := range b.lines {
		rows := b.rowsOf(i)
		if target < len(rows) {
			b.at = place{i, b.offset(i, rows, target, goal)}
			break
		}
		target -= len(rows)
	}
	b.goal = goal
	return true
}

// pointAt puts the cursor at a column of a row of the whole text, as near as it gets.
func (b *buffer) pointAt(row, column int) {
	row = max(0, min(row, b.height()-1))
	for i := range b.lines {
		rows := b.rowsOf(i)
		if row < len(rows) {
			b.goal = -1
			b.at = place{i, b.offset(i, rows, row, max(0, column))}
			return
		}
		row -= len(rows)
	}
}

// offset is the offset in a row of the atom at a column.
func (b *buffer) offset(line int, rows []row, r, column int) int {
	s := b.lines[line].text
	i, x := rows[r].start, 0
	for i < rows[r].end {
		n, w := b.atom(s[i:])
		// The end of a row that goes on is the start of the next one.
		if x+w > column || i+n == rows[r].end && r < len(rows)-1 {
			break
		}
		i += n
		x += w
	}
	return i
}
