package gauge

import (
	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// The bar is a [pane.Bar]. The ▲ of the load line replaces the cell in which the line is. Segments keep their colors however
// full the window is; only the ends, ▲ and the numbers change color.

// cells returns the kind of each of the n cells of a bar that represents scale tokens.
func (m *Model) cells(r meter.Reading, scale, n int) []int {
	cells := pane.Cells(r, scale, n)
	if r.LoadLine <= 0 || n <= 0 {
		return cells
	}
	at := pane.CellOf(r.LoadLine, scale, n)
	if cells[at] == pane.CellEnd && n > 1 { // in a bar far over the window both are in one cell
		at = max(at-1, 0)
		cells[at+1] = pane.CellEnd
	}
	cells[at] = pane.CellLine
	return cells
}

// Cell draws one cell of the bar for a legend. kind is a [projection.Segment] or one of the cells of package pane.
func (m *Model) Cell(kind int) string { return m.bar.Draw([]int{kind}, m.lines[pane.Normal]) }
