package gauge

import (
	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// The bar is a [pane.Bar]; the load line's ▲ replaces the cell it falls in. A segment keeps its color whatever the
// reading, so that what fills the window is seen when it matters most: only the ends, ▲ and the numbers change.

// cells is what every cell of a bar of n shows.
func (m *Model) cells(r meter.Reading, scale, n int) []int {
	cells := pane.Cells(r, scale, n)
	if r.LoadLine <= 0 || n <= 0 {
		return cells
	}
	at := pane.CellOf(r.LoadLine, scale, n)
	if cells[at] == pane.CellEnd && n > 1 { // far over the window both fall into one
		at = max(at-1, 0)
		cells[at+1] = pane.CellEnd
	}
	cells[at] = pane.CellLine
	return cells
}

// drawBar is a bar of n cells between its ends.
func (m *Model) drawBar(r meter.Reading, scale, n int) string {
	level := pane.LevelOf(r, r.Used)
	return m.ends[level][0] + m.bar.Draw(m.cells(r, scale, n), m.lines[level]) + m.ends[level][1]
}

// Cell is one cell of a kind as the bar draws it, for a legend: a [projection.Segment], or
// one of the cells of package pane.
func (m *Model) Cell(kind int) string { return m.bar.Draw([]int{kind}, m.lines[pane.Calm]) }
