package pane

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// How gauges show a reading: which cells its segments have, which colour its numbers
// have, and how its percentages are written. Cells are divided among the segments by
// largest remainder, so that the same reading always gives the same bar, and the filled
// part is as long as the used share of the bar. The reserve is at the end of the window,
// in cells that are not used. If more than the window is used, the bar represents that,
// and a cell marks the end of the window.

// Cells of a bar that are not segments: those are numbered by [projection.Segment].
const (
	CellFree = int(projection.Draft) + 1 + iota
	CellReserve
	CellLine // the load line; Cells does not set it, the views do
	CellEnd  // the end of the window, in a bar that represents more
)

// Hatched added to the cell of a segment draws it hatched: it will go.
const Hatched = CellEnd + 1

// Glyphs are the cells of the segments, by [projection.Segment].
type Glyphs [projection.Draft + 1]string

// Patterns all differ, so that a bar reads without color.
func Patterns() Glyphs {
	return Glyphs{"█", "▓", "▞", "▌", "▒", "░", "▚", "▙", "▂", "·"}
}

// Blocks are for terminals with colors: solid, and lighter for the draft, which is not
// sent yet.
func Blocks() Glyphs {
	return Glyphs{"█", "█", "█", "█", "█", "█", "█", "█", "█", "▒"}
}

// The glyphs of cells that are not segments.
const (
	FreeGlyph    = "┄" // so that the whole length of the bar is visible
	ReserveGlyph = "╱"
	LoadGlyph    = "▲"
	EndGlyph     = "┃" // the end of the window, if more is used
	HatchGlyph   = "╳"
)

// Scale returns the tokens that a whole bar represents: the window, or the next request
// if that is larger. Bars that are compared use the larger of their scales.
func Scale(r meter.Reading) int { return max(r.Window.Tokens, r.AfterSend, r.Used, 1) }

// CellOf returns the cell in which a line is, in a bar of n cells for scale tokens.
func CellOf(tokens, scale, n int) int {
	return max(0, min(n-1, int(float64(tokens)/float64(scale)*float64(n))))
}

// Cells returns the kind of each cell of a bar of n cells for scale tokens.
func Cells(r meter.Reading, scale, n int) []int {
	n = max(n, 0)
	cells := make([]int, n)
	at := func(tokens int) int { return max(0, min(n, int(float64(tokens)/float64(scale)*float64(n)+0.5))) }
	i := 0
	for seg, count := range Allot(r.Segments[:projection.Draft], at(r.Used)) {
		for range count {
			cells[i] = seg
			i++
		}
	}
	draft, end := at(r.AfterSend), at(r.Window.Tokens)
	reserve := end - at(r.Reserve)
	for ; i < n; i++ {
		switch {
		case i < draft:
			cells[i] = int(projection.Draft)
		case i >= reserve && i < end:
			cells[i] = CellReserve
		default:
			cells[i] = CellFree
		}
	}
	if r.Window.IsKnown() && r.Window.Tokens < scale && n > 0 {
		cells[CellOf(r.Window.Tokens, scale, n)] = CellEnd
	}
	return cells
}

// Level says between which lines a number of tokens is.
type Level int

// The levels. Only these change the colour of numbers.
const (
	Normal  Level = iota // below the load line
	Loaded               // at or above the load line: compaction starts
	Blocked              // at or above the hard line: requests wait for compaction
)

// LevelOf returns the level of a number of tokens in a reading's window. It is Normal if the
// window is unknown.
func LevelOf(r meter.Reading, tokens int) Level {
	switch {
	case !r.Window.IsKnown():
		return Normal
	case r.HardLine > 0 && tokens >= r.HardLine, tokens > r.Window.Tokens:
		return Blocked
	case r.LoadLine > 0 && tokens >= r.LoadLine:
		return Loaded
	}
	return Normal
}

// Share formats tokens as a percentage of a reading's window, <1% if it rounds to 0, and ""
// if the window is unknown.
func Share(r meter.Reading, tokens int) string {
	if !r.Window.IsKnown() {
		return ""
	}
	return percentage(r.Percent(tokens), tokens)
}

// Fullness formats how full the window of a reading is, with ~ before an estimate unless
// it is <1%.
func Fullness(r meter.Reading) string {
	share := Share(r, r.Used)
	if r.Estimated && !strings.HasPrefix(share, "<") {
		return "~" + share
	}
	return share
}

func percentage(n, of int) string {
	if n == 0 && of > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}

// Allot divides n cells among amounts in proportion, by largest remainder; in a tie the first
// wins. An amount worth more than half a cell gets at least one, and a smaller one gets none
// if others can take it. If all amounts are 0, the first gets all cells.
func Allot(amounts []int, n int) []int {
	cells := make([]int, len(amounts))
	sum := 0
	for _, a := range amounts {
		sum += max(a, 0)
	}
	if sum == 0 {
		if len(cells) > 0 {
			cells[0] = n
		}
		return cells
	}
	rest, remainder := n, make([]float64, len(amounts))
	for i, a := range amounts {
		quota := float64(max(a, 0)) / float64(sum) * float64(n)
		cells[i] = int(quota)
		remainder[i] = quota - float64(cells[i])
		rest -= cells[i]
		if quota < 0.5 {
			remainder[i]-- // a whole cell would make it look twice as large
		}
	}
	for ; rest > 0; rest-- {
		best := slices.Index(remainder, slices.Max(remainder))
		cells[best]++
		remainder[best] = -2
	}
	// If many amounts are worth more than half a cell, some may have got none: these take
	// a cell from the longest.
	for i, left := range remainder {
		if longest := slices.Index(cells, slices.Max(cells)); cells[i] == 0 && left > 0.5 && cells[longest] > 1 {
			cells[longest]--
			cells[i]++
		}
	}
	return cells
}
