package edit

// The layout: every logical line is wrapped into rows of at most width cells, at
// blanks and beside wide characters if possible. A row may have one blank more
// than its width, in the cell that is reserved for the cursor. Only changed
// lines are laid out again.

// SetWidth sets the number of cells of a row.
func (b *Buffer) SetWidth(width int) {
	width = max(width, 1)
	if width == b.width {
		return
	}
	b.width = width
	for i := range b.lines {
		b.lines[i].rows = nil
	}
}

// Rows returns the rows of a line, at least one.
func (b *Buffer) Rows(i int) []Row {
	l := &b.lines[i]
	if l.rows == nil {
		l.rows = b.wrap(l.text)
	}
	return l.rows
}

func (b *Buffer) wrap(s string) []Row {
	var rows []Row
	start, filled := 0, 0
	cut := 0 // last place at which the row can be split; start if none
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
			rows = append(rows, Row{start, cut})
			start, filled = cut, 0
			i = cut
		}
	}
	rows = append(rows, Row{start, len(s)})
	if filled > b.width {
		rows = append(rows, Row{len(s), len(s)})
	}
	return rows
}

// Height is the number of rows of the whole text.
func (b *Buffer) Height() int {
	n := 0
	for i := range b.lines {
		n += len(b.Rows(i))
	}
	return n
}

// Cursor returns the row in the whole text and the column of the cursor.
func (b *Buffer) Cursor() (y, x int) {
	for i := range b.at.Line {
		y += len(b.Rows(i))
	}
	rows := b.Rows(b.at.Line)
	r := len(rows) - 1
	for r > 0 && rows[r].Start > b.at.Col { // between two rows, the second
		r--
	}
	return y + r, b.columns(b.Current()[rows[r].Start:b.at.Col])
}

// columns is the width of a text in cells.
func (b *Buffer) columns(s string) int {
	x := 0
	for s != "" {
		n, w := b.atom(s)
		x += w
		s = s[n:]
	}
	return x
}

// Vertical moves the cursor a row up or down and keeps the column of the first such move. It
// returns false at the first or the last row.
func (b *Buffer) Vertical(step int) bool {
	y, x := b.Cursor()
	if y+step < 0 || y+step >= b.Height() {
		return false
	}
	goal := b.goal
	if goal < 0 {
		goal = x
	}
	b.toRow(y+step, goal)
	b.goal = goal
	return true
}

// toRow moves the cursor to the nearest position of a column and row of the whole text.
func (b *Buffer) toRow(row, column int) {
	for i := range b.lines {
		rows := b.Rows(i)
		if row < len(rows) {
			b.put(Position{i, b.offset(i, rows, row, column)}, -1)
			return
		}
		row -= len(rows)
	}
}

// PointAt moves the cursor to the nearest position of a column and row of the whole text.
func (b *Buffer) PointAt(row, column int) { b.toRow(max(0, min(row, b.Height()-1)), max(0, column)) }

func (b *Buffer) offset(line int, rows []Row, r, column int) int {
	s := b.lines[line].text
	i, x := rows[r].Start, 0
	for i < rows[r].End {
		n, w := b.atom(s[i:])
		// The end of a wrapped row is the start of the next row.
		if x+w > column || i+n == rows[r].End && r < len(rows)-1 {
			break
		}
		i += n
		x += w
	}
	return i
}
