package pane

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// What every gauge shows of a reading: how its cells are shared out, which colour its
// numbers have, and how its percentages are written. The cells go to the segments by
// largest remainder, so that the same reading always gives the same bar and the filled
// part is as long as the used share of the bar. The reserve is at the window's end
// where nothing else is. A bar that holds more than the window is scaled to what it
// holds, and a cell marks the window's end.

// Cells of a bar that are not segments: those are numbered by [projection.Segment].
const (
	CellFree = int(projection.Draft) + 1 + iota
	CellReserve
	CellLine // the load line, which a view puts where it wants it
	CellEnd  // the end of the window, in a bar that holds more
)

// Glyphs are the cells of the segments, by [projection.Segment].
type Glyphs [projection.Draft + 1]string

// Patterns all differ, so that a bar reads without color.
func Patterns() Glyphs {
	return Glyphs{"█", "▓", "▞", "▌", "▒", "░", "▚", "▙", "▂", "·"}
}

// Blocks are for terminals whose colors tell the segments apart: solid, and the draft, which is not
// sent yet, lighter.
func Blocks() Glyphs {
	return Glyphs{"█", "█", "█", "█", "█", "█", "█", "█", "█", "▒"}
}

// The glyphs of cells that are not segments.
const (
	FreeGlyph    = "┄" // the track, seen to its end
	ReserveGlyph = "╱"
	LoadGlyph    = "▲"
	EndGlyph     = "┃" // where the window ends, and more than it is used
)

// Scale is the tokens that a bar stands for: the window, or what the next request
// would have where that is more. Bars that are compared share the larger one.
func Scale(r meter.Reading) int { return max(r.Window.Tokens, r.AfterSend, r.Used, 1) }

// CellOf is the cell of a bar of n, standing for scale tokens, that a line falls in.
func CellOf(tokens, scale, n int) int {
	return max(0, min(n-1, int(float64(tokens)/float64(scale)*float64(n))))
}

// Cells is what every cell of a bar of n shows that stands for scale tokens.
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
	if r.Window.Known() && r.Window.Tokens < scale && n > 0 {
		cells[CellOf(r.Window.Tokens, scale, n)] = CellEnd
	}
	return cells
}

// Level is where a number of tokens stands towards the two lines.
type Level int

// The levels. Only these change the colour of numbers.
const (
	Calm    Level = iota // below the load line
	Loaded               // at or over the load line: compaction acts
	Blocked              // at or over the hard line: a request is held
)

// LevelOf is the level of tokens in a reading's window. Without a window
// everything is calm: no line is known.
func LevelOf(r meter.Reading, tokens int) Level {
	switch {
	case !r.Window.Known():
		return Calm
	case r.HardLine > 0 && tokens >= r.HardLine, tokens > r.Window.Tokens:
		return Blocked
	case r.LoadLine > 0 && tokens >= r.LoadLine:
		return Loaded
	}
	return Calm
}

// Share writes tokens as a percentage of a reading's window, <1% for a little and ""
// where the window is unknown.
func Share(r meter.Reading, tokens int) string {
	if !r.Window.Known() {
		return ""
	}
	return percentage(r.Percent(tokens), tokens)
}

// Fullness is how full the window of a reading is, with ~ before an estimate; of less than
// a percent < says that already.
func Fullness(r meter.Reading) string {
	share := Share(r, r.Used)
	if r.Estimated && !strings.HasPrefix(share, "<") {
		return "~" + share
	}
	return share
}

// percentage writes a whole percentage of an amount.
func percentage(n, of int) string {
	if n == 0 && of > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}

// Allot divides n cells among amounts in proportion, by largest remainder, ties to
// the first. An amount worth more than half a cell gets one, and a smaller one none as
// long as others can take it. Without amounts all cells go to the first.
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
			remainder[i]-- // it would look like twice as much
		}
	}
	for ; rest > 0; rest-- {
		best := slices.Index(remainder, slices.Max(remainder))
		cells[best]++
		remainder[best] = -2
	}
	// Largest remainder may pass over an amount worth more than half a cell when
	// there are many of those: it takes a cell from the longest.
	for i, left := range remainder {
		if longest := slices.Index(cells, slices.Max(cells)); cells[i] == 0 && left > 0.5 && cells[longest] > 1 {
			cells[longest]--
			cells[i]++
		}
	}
	return cells
}
