package account

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/tui/pane"
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
	for i := range int(compact.Draft) + 1 {
		out = append(out, row{kind: rowSegment, n: i, head: i == 0})
	}
	out = append(out, row{kind: rowFree})
	if c.Account.Outlook.ColdLine > 0 {
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
	part(rowTotal, rowSummaries, rowCacheSaved, rowPrompts, rowCacheNow)
	return out
}

// mostItems is how many of the heaviest items are shown.
const mostItems = 10

func (c *Content) heaviest() int { return min(len(c.Account.Heaviest), mostItems) }

// heading is what stands above the part that a row begins.
func (r row) heading(s *rows, width int) (left, right string) {
	switch r.kind {
	case rowSegment:
		return "What fills it", s.legendColumns(width)
	case rowWindow:
		return "The window and its lines", ""
	case rowNext:
		return "What happens next", ""
	case rowItem, rowNoItem:
		return "The heaviest", ""
	case rowSaving, rowNoSaving:
		return "What overlays save", ""
	case rowFactor:
		return "How exact the estimates are", ""
	}
	return "What it cost", ""
}

// rows are the rows of a content, drawn as a list wants them.
type rows struct {
	inks   inks
	glyphs map[compact.Segment]string
	roomy  bool // there are lines to spare

	content Content
	list    []row
}

// Len is how many rows there are.
func (s *rows) Len() int { return len(s.list) }

// Lines is a row as it is drawn.
func (s *rows) Lines(n int, selected bool, width int) []string {
	r := s.list[n]
	var out []string
	if r.head {
		out = s.head(r, width)
	}
	lines := r.draw(s, width-2)
	for i, l := range lines {
		mark := "  "
		switch {
		case selected && i == 0:
			mark = "❯ "
		case selected:
			mark = "│ "
		}
		plainly := r.kind == rowGauge && i > 0 // the bar keeps its colors, and the whole width
		switch {
		case plainly:
			out = append(out, l)
		case selected:
			out = append(out, s.inks.selected.Render(pane.Fit(mark+ansi.Strip(l), width)))
		default:
			out = append(out, pane.Clip(mark+l, width))
		}
	}
	return out
}

// roomy is the height from which on the parts stand apart and the gauge is thick.
const roomy = 20

// head is the heading of a part.
func (s *rows) head(r row, width int) []string {
	var out []string
	if s.roomy {
		out = append(out, "")
	}
	left, right := r.heading(s, width-2)
	left = s.inks.title.Render(pane.Clip(left, width))
	if right != "" {
		left = left + strings.Repeat(" ", max(1, 2+ansi.StringWidth(right)-ansi.StringWidth(strings.TrimLeft(right, " "))-ansi.StringWidth(left)))
		left += s.inks.muted.Render(strings.TrimLeft(right, " "))
	}
	out = append(out, pane.Clip(left, width))
	if r.kind == rowItem && s.roomy {
		out = append(out, s.inks.muted.Render(pane.Clip("  "+s.itemColumns(width-2), width)))
	}
	return out
}

// draw is a row without the marks at its left, in lines of so many cells; of the gauge
// the lines after the first have two more.
func (r row) draw(s *rows, width int) []string {
	switch r.kind {
	case rowGauge:
		return s.gauge(width)
	case rowSegment:
		return []string{s.legendLine(compact.Segment(r.n), width)}
	case rowFree:
		return []string{s.freeLine(width)}
	case rowItem:
		return []string{s.itemLine(s.content.Account.Heaviest[r.n], width)}
	case rowSaving:
		return []string{s.savingLine(s.content.Account.Savings[r.n], width)}
	case rowNext:
		return s.nextLines(width)
	}
	return []string{s.fact(r, width)}
}

// Cells of a fact: its name, and its number.
const (
	nameCells  = 17
	valueCells = 16
	leastName  = 8
	leastValue = 10

	alignedNotes = 60 // from which width on the notes stand below each other
)

// fact is a name, a number, and a word about it where there is room.
func (s *rows) fact(r row, width int) string {
	value, note := r.value(&s.content)
	if r.kind == rowNoItem || r.kind == rowNoSaving {
		return s.inks.muted.Render(pane.Clip(value, width))
	}
	name := nameFor(width)
	out, used := s.label(r, name)+s.inks.text.Render(value), name+ansi.StringWidth(value)
	at := used + 2
	if width >= alignedNotes {
		at = max(at, name+valueCells)
	} else if at+ansi.StringWidth(note) > width {
		return out
	}
	return out + strings.Repeat(" ", at-used) + s.inks.muted.Render(pane.Clip(note, width-at))
}

// nameFor is how many cells a name gets.
func nameFor(width int) int { return min(nameCells, max(leastName, width-leastValue)) }

// label is the name of a row, with the glyph it has in the gauge.
func (s *rows) label(r row, cells int) string {
	glyph, style := " ", s.inks.muted
	switch r.kind {
	case rowLoad:
		glyph, style = loadGlyph, s.inks.load
	case rowHard:
		glyph, style = hardGlyph, s.inks.hard
	case rowReserve:
		glyph, style = reserveGlyph, s.inks.reserve
	}
	return style.Render(glyph) + " " + s.inks.text.Render(pane.Fit(r.name(&s.content), cells-2))
}

// right puts a text at the right of so many cells.
func right(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}

// line repeats a glyph.
func line(glyph string, cells int) string { return strings.Repeat(glyph, max(0, cells)) }

// painted is a run of a glyph in a style.
func painted(s pane.Ink, glyph string, cells int) string {
	if cells <= 0 {
		return ""
	}
	return s.Render(line(glyph, cells))
}
