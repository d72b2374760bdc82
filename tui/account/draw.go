package account

import (
	"strings"

	"plimsoll/compact/projection"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

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
		plainly := r.kind == rowGauge && i > 0 // the bar keeps its colors
		switch {
		case plainly:
			out = append(out, pane.Clip("  "+l, width))
		case selected:
			out = append(out, s.inks.selected.Render(pane.Fit(mark+ansi.Strip(l), width)))
		default:
			out = append(out, pane.Clip(mark+l, width))
		}
	}
	return out
}

// head is the heading of a part.
func (s *rows) head(r row, width int) []string {
	var out []string
	if s.roomy {
		out = append(out, "")
	}
	left, right := r.heading(s, width-2)
	left = "  " + s.inks.title.Render(pane.Clip(left, width-2))
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

// draw is a row without the marks at its left, in lines of so many cells.
func (r row) draw(s *rows, width int) []string {
	switch r.kind {
	case rowGauge:
		return s.gauge(width)
	case rowSegment:
		return []string{s.legendLine(projection.Segment(r.n), width)}
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
		return "Saved by compaction", ""
	case rowFactor:
		return "How exact the estimates are", ""
	}
	return "What it cost", ""
}

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

// label is the name of a row, with the glyph it has in the gauge.
func (s *rows) label(r row, cells int) string {
	glyph, style := " ", s.inks.muted
	switch r.kind {
	case rowLoad:
		glyph, style = pane.LoadGlyph, s.inks.load
	case rowHard:
		glyph, style = hardGlyph, s.inks.hard
	case rowReserve:
		glyph, style = pane.ReserveGlyph, s.inks.reserve
	}
	return style.Render(glyph) + " " + s.inks.text.Render(pane.Fit(r.name(&s.content), cells-2))
}
