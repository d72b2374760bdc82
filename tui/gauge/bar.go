package gauge

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// The bar. [pane.Cells] shares its cells out; the load line's ▲ replaces the cell it
// falls in. A segment keeps its colour whatever the reading, so that what fills the
// window is seen when it matters most: only the ends, ▲ and the numbers change.

// glyphs are the cells of the segments, by projection.Segment. All differ, so
// that the bar reads without colour.
var glyphs = [projection.Draft + 1]string{"█", "▓", "▞", "▌", "▒", "░", "▚", "▙", "▂", "·"}

const (
	freeGlyph    = " "
	reserveGlyph = "╱"
	lineGlyph    = "▲"
	endGlyph     = "┃" // the window ends here, and more than it is used
)

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

func (m *Model) drawRun(b *strings.Builder, kind, count int, level pane.Level) {
	style, glyph := m.styles.Free, freeGlyph
	switch {
	case kind < len(glyphs):
		style, glyph = m.styles.Segments[kind], glyphs[kind]
	case kind == pane.CellReserve:
		style, glyph = m.styles.Reserve, reserveGlyph
	case kind == pane.CellLine:
		style, glyph = m.styles.Levels[level], lineGlyph
	case kind == pane.CellEnd:
		style, glyph = m.styles.Levels[pane.Blocked], endGlyph
	}
	b.WriteString(style.Render(strings.Repeat(glyph, count)))
}
