package pane

import (
	"strings"

	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
)

// BarStyles are the styles of a bar. All are inline.
type BarStyles struct {
	Segments           [projection.Draft + 1]lipgloss.Style
	Glyphs             Glyphs // of the segments
	Free, Reserve, End lipgloss.Style
}

// Bar draws bars from the kinds of their cells: see [Cells]. Only one goroutine may use it.
type Bar struct {
	styles [Hatched + CellFree]InlineStyle
	glyphs [Hatched + CellFree]string
	solid  bool
}

// NewBar returns a bar with these styles.
func NewBar(s BarStyles) *Bar {
	b := &Bar{solid: s.Glyphs == Blocks()}
	for i, g := range s.Glyphs {
		b.styles[i], b.glyphs[i] = NewInlineStyle(s.Segments[i]), g
		b.styles[Hatched+i], b.glyphs[Hatched+i] = b.styles[i], HatchGlyph
	}
	b.styles[CellFree], b.glyphs[CellFree] = NewInlineStyle(s.Free), FreeGlyph
	b.styles[CellReserve], b.glyphs[CellReserve] = NewInlineStyle(s.Reserve), ReserveGlyph
	b.styles[CellEnd], b.glyphs[CellEnd] = NewInlineStyle(s.End), EndGlyph
	b.glyphs[CellLine] = LoadGlyph
	return b
}

// Draw draws cells. line is the style of the load line.
func (b *Bar) Draw(cells []int, line InlineStyle) string {
	var out strings.Builder
	b.styles[CellLine] = line
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

// Run draws some cells of one kind.
func (b *Bar) Run(kind, cells int) string {
	return b.styles[kind].Render(strings.Repeat(b.glyphs[kind], max(cells, 0)))
}

// eighths is the number of steps in a cell for Length.
const eighths = 8

// partGlyphs fill one to seven eighths of a cell from the left.
var partGlyphs = [eighths - 1]string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Length draws one segment as a bar of its own: most tokens would fill all cells. The result is padded to the cells. A segment
// with tokens has at least an eighth of a cell.
func (b *Bar) Length(of projection.Segment, tokens, most, cells int) string {
	parts := 0
	if tokens > 0 && most > 0 {
		parts = max(1, min(cells*eighths, int(float64(tokens)/float64(most)*float64(cells*eighths)+0.5)))
	}
	full, rest := parts/eighths, parts%eighths
	if !b.solid && full > 0 { // patterns have no eighths
		rest = 0
	}
	out := b.Run(int(of), full)
	if rest > 0 {
		out += b.styles[of].Render(partGlyphs[rest-1])
		full++
	}
	return out + strings.Repeat(" ", cells-full)
}
