package account

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"

	"plimsoll/conversation/plain"

	"github.com/charmbracelet/x/ansi"
)

// Rows are kinds and numbers: what they say is worked out where they are drawn. The
// first of a part has the heading of that part above it.

// rowKind is what a row shows.
type rowKind int

// The kinds of rows, in their order.
const (
	rowGauge rowKind = iota
	rowSegment
	rowFree
	rowWindow
	rowLoad
	rowHard
	rowCold
	rowReserve
	rowAfterSend
	rowNext
	rowRule
	rowItem
	rowNoItem
	rowSaving
	rowNoSaving
	rowWithout
	rowPins
	rowFactor
	rowOff
	rowTotal
	rowSummaries
	rowCacheSaved
	rowPrompts
	rowCacheUse
	rowCacheKept
	rowCacheNow
)

// row is one row of the list.
type row struct {
	kind rowKind
	n    int  // of a segment, an item or a saving: which
	head bool // it begins a part
}

// rows are the rows of a content, behind what out has room for.
func (c *Content) rows(out []row) []row {
	out = append(out, row{kind: rowGauge})
	part := func(kinds ...rowKind) {
		for i, k := range kinds {
			out = append(out, row{kind: k, head: i == 0})
		}
	}
	for i := range int(projection.Draft) + 1 {
		out = append(out, row{kind: rowSegment, n: i, head: i == 0})
	}
	out = append(out, row{kind: rowFree})
	if c.Account.Forecast.ColdLine > 0 {
		part(rowWindow, rowLoad, rowHard, rowCold, rowReserve, rowAfterSend)
	} else {
		part(rowWindow, rowLoad, rowHard, rowReserve, rowAfterSend)
	}
	part(rowNext, rowRule)
	for i := range c.heaviest() {
		out = append(out, row{kind: rowItem, n: i, head: i == 0})
	}
	if c.heaviest() == 0 {
		part(rowNoItem)
	}
	for i := range c.Account.Savings {
		out = append(out, row{kind: rowSaving, n: i, head: i == 0})
	}
	if len(c.Account.Savings) == 0 {
		part(rowNoSaving)
	} else {
		out = append(out, row{kind: rowWithout})
	}
	out = append(out, row{kind: rowPins})
	part(rowFactor, rowOff)
	part(rowTotal, rowSummaries, rowCacheSaved, rowPrompts, rowCacheUse, rowCacheKept, rowCacheNow)
	return out
}

// mostItems is how many of the heaviest items are shown.
const mostItems = 10

func (c *Content) heaviest() int { return min(len(c.Account.Heaviest), mostItems) }

// rows are the rows of a content, drawn as a list wants them.
type rows struct {
	inks  inks
	roomy bool // there are lines to spare

	content Content
	list    []row
}

// Len is how many rows there are.
func (s *rows) Len() int { return len(s.list) }

// roomy is the height from which on the parts stand apart and the gauge is thick.
const roomy = 20

// Cells of a fact: its name, and its number.
const (
	nameCells  = 17
	valueCells = 16
	leastName  = 8
	leastValue = 10

	alignedNotes = 60 // from which width on the notes stand below each other
)

// nameFor is how many cells a name gets.
func nameFor(width int) int { return min(nameCells, max(leastName, width-leastValue)) }

// right puts a text at the right of so many cells.
func right(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}

// line repeats a glyph.
func line(glyph string, cells int) string { return strings.Repeat(glyph, max(0, cells)) }

// Content is what a view shows.
type Content struct {
	Account inspect.Breakdown
	// Reading is how full the window is at this moment: it moves while a reply streams
	// and while the user types, the account only when something was done.
	Reading  meter.Reading
	Title    string // of the conversation
	Model    string
	Priced   string // what the costs rest on: "reported", or the date of the catalogue; "" unknown
	Cold     bool   // the provider's cache no longer holds the conversation
	ColdAt   string // when it goes cold, for a sentence; "" unknown
	Paused   bool   // no model is asked for summaries automatically
	ReadOnly bool
	Pinned   func(event uint64) bool // nil: nothing is
}

// safe makes a text from elsewhere one line that can be drawn.
func safe(text string) string { return plain.Line(text[:min(len(text), longest)]) }

// longest is how much of a text is looked at: no line has room for more.
const longest = 2000
