package gauge

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// The bar. [pane.Cells] shares its cells out; the load line's ▲ replaces the cell it
// falls in. A segment keeps its colour whatever the reading, so that what fills the
// window is seen when it matters most: only the ends, ▲ and the numbers change.

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

// drawBar renders a bar of n cells between its ends, one styled piece for each
// run of equal cells.
func (m *Model) drawBar(b *strings.Builder, r meter.Reading, scale, n int) {
	level := pane.LevelOf(r, r.Used)
	b.WriteString(m.ends[level][0])
	cells := m.cells(r, scale, n)
	for i := 0; i < len(cells); {
		j := i
		for j < len(cells) && cells[j] == cells[i] {
			j++
		}
		m.drawRun(b, cells[i], j-i, level)
		i = j
	}
	b.WriteString(m.ends[level][1])
}

// Cell is one cell of a kind as the bar draws it, for a legend: a [projection.Segment], or
// one of the cells of package pane.
func (m *Model) Cell(kind int) string {
	var b strings.Builder
	m.drawRun(&b, kind, 1, pane.Calm)
	return b.String()
}

func (m *Model) drawRun(b *strings.Builder, kind, count int, level pane.Level) {
	style, glyph := m.styles.Free, pane.FreeGlyph
	switch {
	case kind < len(m.styles.Glyphs):
		style, glyph = m.styles.Segments[kind], m.styles.Glyphs[kind]
	case kind == pane.CellReserve:
		style, glyph = m.styles.Reserve, pane.ReserveGlyph
	case kind == pane.CellLine:
		style, glyph = m.styles.Levels[level], pane.LoadGlyph
	case kind == pane.CellEnd:
		style, glyph = m.styles.Levels[pane.Blocked], pane.EndGlyph
	}
	b.WriteString(style.Render(strings.Repeat(glyph, count)))
}
