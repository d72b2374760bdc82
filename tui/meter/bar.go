package meter

import (
	"strings"

	"plimsoll/compact"
)

// The bar. Its cells are given to the segments by largest remainder, ties to
// the segment drawn first, so that the same reading always gives the same bar
// and the filled part is as long as the used share of the window. A segment
// worth more than half a cell gets one. The load line's ▲ replaces the cell it
// falls in; the reserve is hatched at the end where nothing else is. From the
// hard line on the segments are told apart by their glyphs alone.

// glyphs are the cells of the segments, by compact.Segment. All differ, so
// that the bar reads without colour.
var glyphs = [compact.Draft + 1]string{"█", "▓", "▞", "▌", "▒", "░", "▚", "▙", "▂", "·"}

const (
	freeGlyph    = " "
	reserveGlyph = "╱"
	lineGlyph    = "▲"
)

// cell kinds that are not segments.
const (
	cellFree = len(glyphs) + iota
	cellReserve
	cellLine
)

// bar is what every cell of a bar of n shows: a segment or a cell kind.
func bar(r compact.Reading, n int) []int {
	cells := make([]int, n)
	window := r.Window.Tokens
	at := func(tokens int) int { return min(n, int(float64(max(tokens, 0))/float64(window)*float64(n)+0.5)) }
	used, draft, reserve := at(r.Used), at(r.AfterSend), n-at(r.Reserve)
	i := 0
	for seg, count := range allot(r.Segments[:compact.Draft], used) {
		for range count {
			cells[i] = seg
			i++
		}
	}
	for ; i < n; i++ {
		switch {
		case i < draft:
			cells[i] = int(compact.Draft)
		case i >= reserve:
			cells[i] = cellReserve
		default:
			cells[i] = cellFree
		}
	}
	if r.LoadLine > 0 && n > 0 {
		cells[min(n-1, int(float64(r.LoadLine)/float64(window)*float64(n)))] = cellLine
	}
	return cells
}

// allot divides n cells among the segments in proportion to their tokens.
// Where no segment is known all cells go to the first.
func allot(tokens []int, n int) []int {
	cells := make([]int, len(tokens))
	sum := 0
	for _, t := range tokens {
		sum += max(t, 0)
	}
	if sum == 0 {
		cells[0] = n
		return cells
	}
	rest := n
	remainder := make([]float64, len(tokens))
	for i, t := range tokens {
		quota := float64(max(t, 0)) / float64(sum) * float64(n)
		cells[i] = int(quota)
		remainder[i] = quota - float64(cells[i])
		rest -= cells[i]
	}
	for ; rest > 0; rest-- {
		best := largest(remainder)
		cells[best]++
		remainder[best] = -1
	}
	// Largest remainder may pass over a segment worth more than half a cell
	// when there are many of those: it takes a cell from the longest.
	for i, left := range remainder {
		if longest := largest(cells); cells[i] == 0 && left > 0.5 && cells[longest] > 1 {
			cells[longest]--
			cells[i]++
		}
	}
	return cells
}

// largest is the index of the first largest value.
func largest[T int | float64](values []T) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// drawBar renders a bar of n cells between its ends, one styled piece for each
// run of equal cells.
func (m *Model) drawBar(b *strings.Builder, r compact.Reading, n int) {
	level := LevelOf(r, r.Used)
	b.WriteString(m.ends[level][0])
	cells := bar(r, n)
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

func (m *Model) drawRun(b *strings.Builder, kind, count int, level Level) {
	style, glyph := m.styles.Free, freeGlyph
	switch {
	case kind < len(glyphs):
		style, glyph = m.styles.Segments[kind], glyphs[kind]
		if level == Blocked && kind != int(compact.Draft) {
			style = m.styles.Levels[level]
		}
	case kind == cellReserve:
		style, glyph = m.styles.Reserve, reserveGlyph
	case kind == cellLine:
		style, glyph = m.styles.Levels[level], lineGlyph
	}
	b.WriteString(style.Render(strings.Repeat(glyph, count)))
}
