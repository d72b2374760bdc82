package gauge

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// The bar is a [pane.Bar]. The ▲ of the load line replaces the cell in which the line is. Segments keep their colors however
// full the window is; only the ends, ▲ and the numbers change color. While a summary is written, the cells of what it
// will replace are hatched. When a compaction has landed, the bar moves from what it showed to what it shows now.

// cells returns the kind of each of the n cells of a bar that represents scale tokens.
func (m *Model) cells(r meter.Reading, scale, n int) []int {
	cells := pane.Cells(r, scale, n)
	m.hatch(cells, r)
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

// Tokens are amounts by segment.
type Tokens [projection.SegmentCount]int

// hatch marks the cells of what will go: of each segment its share, at least a cell if all of it goes.
func (m *Model) hatch(cells []int, r meter.Reading) {
	if m.going == (Tokens{}) {
		return
	}
	count := map[int]int{} // a mark such as the end of the window may stand among the cells of a segment
	for _, kind := range cells {
		count[kind]++
	}
	left := map[int]int{}
	for seg, tokens := range m.going[:projection.Draft] {
		if all := r.Segments[seg]; all > 0 {
			left[seg] = (tokens*count[seg] + all/2) / all
		}
	}
	for i, kind := range cells {
		if left[kind] > 0 {
			cells[i] += pane.Hatched
			left[kind]--
		}
	}
}

// Cell draws one cell of the bar for a legend. kind is a [projection.Segment] or one of the cells of package pane.
func (m *Model) Cell(kind int) string { return m.bar.Draw([]int{kind}, m.lines[pane.Normal]) }

// SetGoing hatches what a summary that is being written will replace; the zero value ends that.
func (m *Model) SetGoing(going Tokens) { m.going = going }

// Shrink makes the bar show a reading from which it moves to the one that View is given; see [Model.Step].
func (m *Model) Shrink(from meter.Reading) { m.from, m.step = from, 0 }

// Steps is how many steps a movement has.
const Steps = 6

// Step moves the bar on. It returns false when it has arrived.
func (m *Model) Step() bool {
	m.step++
	return m.Moves()
}

// Moves reports whether the bar moves.
func (m *Model) Moves() bool { return m.step < Steps && m.from.Used > 0 }

// moving returns the reading that the bar shows on its way to r.
func (m *Model) moving(r meter.Reading) meter.Reading {
	if !m.Moves() {
		return r
	}
	between := func(from, to int) int { return from + (to-from)*m.step/Steps }
	for i := range r.Segments {
		r.Segments[i] = between(m.from.Segments[i], r.Segments[i])
	}
	used := between(m.from.Used, r.Used)
	r.AfterSend += used - r.Used
	r.Used = used
	return r
}
