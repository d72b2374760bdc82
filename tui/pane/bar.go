package pane

import (
	"strings"

	"charm.land/lipgloss/v2"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// How every gauge is drawn. Where the segments are solid, the seam between two of them falls on an eighth of a cell, so
// that a bar is as true as the terminal can draw it: a segment smaller than an eighth is part of its neighbor, and none
// looks larger than it is. Patterns, which have no eighths, go by whole cells ([Cells]).

// BarStyles are the looks of a bar. All are inline.
type BarStyles struct {
	Segments           [projection.Draft + 1]lipgloss.Style
	Glyphs             Glyphs // of the segments; solid ones get seams
	Free, Reserve, End lipgloss.Style
}

// Bar draws bars in one look. Only one goroutine may use it.
type Bar struct {
	styles BarStyles
	inks   [CellEnd + 1]Ink
	glyphs [CellEnd + 1]string
	solid  bool
	seams  map[int]Ink
}

// NewBar is a bar of these looks.
func NewBar(s BarStyles) *Bar {
	b := &Bar{styles: s, solid: s.Glyphs == Blocks(), seams: map[int]Ink{}}
	for i, g := range s.Glyphs {
		b.inks[i], b.glyphs[i] = NewInk(s.Segments[i]), g
	}
	b.inks[CellFree], b.glyphs[CellFree] = NewInk(s.Free), FreeGlyph
	b.inks[CellReserve], b.glyphs[CellReserve] = NewInk(s.Reserve), ReserveGlyph
	b.inks[CellEnd], b.glyphs[CellEnd] = NewInk(s.End), EndGlyph
	b.glyphs[CellLine] = LoadGlyph
	return b
}

// eighths is how fine a seam is.
const eighths = 8

// partGlyphs are the left eighths of a cell, from one to seven.
var partGlyphs = [eighths - 1]string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// seam is a cell that begins as one kind and goes on as another after some eighths.
func seam(left, right, at int) int {
	return CellEnd + 1 + (left*(CellEnd+1)+right)*eighths + at
}

// Cells is what every cell of a bar of n shows that stands for scale tokens, as Draw takes it.
func (b *Bar) Cells(r meter.Reading, scale, n int) []int {
	cells := Cells(r, scale, n)
	if !b.solid {
		return cells
	}
	at := func(tokens int) int {
		return max(0, min(len(cells)*eighths, int(float64(tokens)/float64(scale)*float64(len(cells)*eighths)+0.5)))
	}
	used := 0
	for _, tokens := range r.Segments[:projection.Draft] {
		used += max(tokens, 0)
	}
	if used == 0 {
		return cells
	}
	ends := [projection.Draft]int{} // of the segments, in eighths
	sum := 0
	for i, tokens := range r.Segments[:projection.Draft] {
		sum += max(tokens, 0)
		ends[i] = at(int(float64(sum) / float64(used) * float64(r.Used)))
	}
	for i := range cells {
		if i*eighths < ends[projection.Draft-1] && cells[i] != CellEnd {
			cells[i] = sewn(ends, i, cells[i])
		} else if cells[i] < int(projection.Draft) {
			cells[i] = CellFree
		}
	}
	return cells
}

// sewn is the cell of a bar with segments that end so: the two kinds that have the most of it. Otherwise is what is
// behind the last of them.
func sewn(ends [projection.Draft]int, cell, otherwise int) int {
	from, to := cell*eighths, (cell+1)*eighths
	var kinds, parts [projection.Draft + 1]int
	n := 0
	for kind, end := range ends {
		if part := min(end, to) - from; part > 0 {
			kinds[n], parts[n] = kind, part
			n, from = n+1, from+part
		}
	}
	if from < to {
		if otherwise < int(projection.Draft) {
			otherwise = CellFree
		}
		kinds[n], parts[n] = otherwise, to-from
		n++
	}
	for n > 2 { // the smallest joins the larger of its neighbors
		least := 0
		for i := range n {
			if parts[i] < parts[least] {
				least = i
			}
		}
		join := least - 1
		if least == 0 || least < n-1 && parts[least+1] > parts[least-1] {
			join = least + 1
		}
		parts[join] += parts[least]
		copy(kinds[least:], kinds[least+1:n])
		copy(parts[least:], parts[least+1:n])
		n--
	}
	switch {
	case n == 1:
		return kinds[0]
	case kinds[1] == int(projection.Draft): // it has a pattern
		if parts[0] < parts[1] {
			return kinds[1]
		}
		return kinds[0]
	}
	return seam(kinds[0], kinds[1], parts[0])
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
	switch {
	case cells <= 0:
		return ""
	case kind <= CellEnd:
		return b.inks[kind].Render(strings.Repeat(b.glyphs[kind], cells))
	}
	ink, known := b.seams[kind]
	left, right, at := (kind-CellEnd-1)/eighths/(CellEnd+1), (kind-CellEnd-1)/eighths%(CellEnd+1), (kind-CellEnd-1)%eighths
	if !known {
		style := b.styles.Segments[left]
		if right < int(projection.Draft) {
			style = style.Background(b.styles.Segments[right].GetForeground())
		}
		ink = NewInk(style)
		b.seams[kind] = ink
	}
	return ink.Render(partGlyphs[at-1])
}

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
