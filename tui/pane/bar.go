package pane

import (
	"strings"

	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
)

// BarStyles are the looks of a bar. All are inline.
type BarStyles struct {
	Segments           [projection.Draft + 1]lipgloss.Style
	Glyphs             Glyphs // of the segments
	Free, Reserve, End lipgloss.Style
}

// Bar draws bars in one look, a cell at a time: see [Cells]. Only one goroutine may use it.
type Bar struct {
	inks   [CellEnd + 1]Ink
	glyphs [CellEnd + 1]string
	solid  bool
}

// NewBar is a bar of these looks.
func NewBar(s BarStyles) *Bar {
	b := &Bar{solid: s.Glyphs == Blocks()}
	for i, g := range s.Glyphs {
		b.inks[i], b.glyphs[i] = NewInk(s.Segments[i]), g
	}
	b.inks[CellFree], b.glyphs[CellFree] = NewInk(s.Free), FreeGlyph
	b.inks[CellReserve], b.glyphs[CellReserve] = NewInk(s.Reserve), ReserveGlyph
	b.inks[CellEnd], b.glyphs[CellEnd] = NewInk(s.End), EndGlyph
	b.glyphs[CellLine] = LoadGlyph
	return b
}

// Draw renders cells. The load line looks as line does.
func (b *Bar) Draw(cells []int, line Ink) string {
	var out strings.Builder
	b.inks[CellLine] = line
	for i := 0; i < len(cells); {
		j := i + 1
		for j < len(cells) && cells[j] == cells[i] {
			j++
		}
		out.WriteString(b.Run(cells[i], j-i))
		i = j
	}
	return out.String()
}

// Run is some cells of one kind.
func (b *Bar) Run(kind, cells int) string {
	return b.inks[kind].Render(strings.Repeat(b.glyphs[kind], max(cells, 0)))
}

// eighths is how fine the length of a segment alone is.
const eighths = 8

// partGlyphs are the left eighths of a cell, from one to seven.
var partGlyphs = [eighths - 1]string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Length is a segment alone, as long as its part of the most tokens in so many cells, and padded to these. One that is
// there has at least an eighth of a cell.
func (b *Bar) Length(of projection.Segment, tokens, most, cells int) string {
	parts := 0
	if tokens > 0 && most > 0 {
		parts = max(1, min(cells*eighths, int(float64(tokens)/float64(most)*float64(cells*eighths)+0.5)))
	}
	full, rest := parts/eighths, parts%eighths
	if !b.solid && full > 0 { // a pattern has no parts
		rest = 0
	}
	out := b.Run(int(of), full)
	if rest > 0 {
		out += b.inks[of].Render(partGlyphs[rest-1])
		full++
	}
	return out + strings.Repeat(" ", cells-full)
}
