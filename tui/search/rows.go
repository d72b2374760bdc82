package search

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// A row is a hit. The first of a conversation has its title above it. Where there is
// room, where a hit is stands before the text; otherwise above it.

const (
	leastWide = 72 // cells from which on a hit is one line
	mostWhere = 44 // of where it is, then
	whoWidth  = 24 // of who said it, at most
	leastAir  = 20 // lines of the view from which on conversations are set apart
)

// Len is how many rows there are.
func (m *Model) Len() int {
	if m.typed == "" {
		return 0
	}
	return len(m.found.Hits)
}

// Lines is a row as it is drawn.
func (m *Model) Lines(row int, selected bool, width int) []string {
	if selected {
		return m.draw(row, true, width)
	}
	if m.drawn[row] == nil {
		m.drawn[row] = m.draw(row, false, width)
	}
	return m.drawn[row]
}

func (m *Model) draw(row int, selected bool, width int) []string {
	s, h := m.options.Styles, m.found.Hits[row]
	var out []string
	if n := m.hitsFrom[row]; n > 0 {
		if row > 0 && m.height >= leastAir {
			out = append(out, "")
		}
		out = append(out, m.heading(h, n, width))
	}
	mark, look, text, end := "  ", s.Muted, s.Text, 0
	if selected { // over the whole width
		mark, look, text, end = "❯ ", s.Selected, s.Selected, width
	}
	filled := func(line string) string {
		return line + look.Render(strings.Repeat(" ", max(0, end-ansi.StringWidth(line))))
	}
	if width < leastWide {
		return append(out, filled(look.Render(pane.Clip(mark+m.where(h, width-2), width))), filled(look.Render("    ")+m.excerpt(h, width-4, text)))
	}
	room := min(width*9/20, mostWhere, m.columns.all())
	return append(out, filled(look.Render(mark+pane.Fit(m.where(h, room), room)+"  ")+m.excerpt(h, width-room-4, text)))
}

// heading is the line above the hits of a conversation.
func (m *Model) heading(h find.Hit, hits, width int) string {
	s := m.options.Styles
	count := fmt.Sprintf("%d hits", hits)
	if hits == 1 {
		count = "1 hit"
	}
	title := strings.TrimSpace(plain.Line(h.Title))
	if title == "" {
		title = h.Conversation
	}
	room := max(width-2, 1) // behind the mark of a row
	return "  " + pane.Between(s.Title.Render(pane.Clip(title, room)), s.Detail.Render(count), room)
}

// columns are the widths of what says where a hit is, in cells.
type columns struct{ turn, who, age int }

// columnsOf measures all that was found, so that rows keep their columns while one
// scrolls.
func columnsOf(c Content) columns {
	var w columns
	for _, h := range c.Hits {
		w.turn = max(w.turn, len(strconv.Itoa(h.Turn)))
		w.who = max(w.who, min(ansi.StringWidth(plain.Line(h.Who)), whoWidth)+len(full(h)))
		w.age = max(w.age, len(pane.Age(c.Now, h.Time)))
	}
	return w
}

// all is the cells that they take side by side.
func (w columns) all() int { return len("turn ") + w.turn + len("  ") + w.who + len("  ") + w.age }

// full says that a hit is in the full text of a result that was cut.
func full(h find.Hit) string {
	if h.Stored {
		return " (full text)"
	}
	return ""
}

// where is turn, who and age of a hit in columns, in so many cells: who is cut first.
func (m *Model) where(h find.Hit, width int) string {
	w := m.columns
	room := max(w.who-max(w.all()-width, 0), 0)
	mark := full(h)
	if mark != "" && room < w.who {
		mark = " (full)"
	}
	who := pane.Clip(plain.Line(h.Who), min(room-len(mark), whoWidth)) + mark
	return pane.Clip(fmt.Sprintf("turn %-*d  ", w.turn, h.Turn)+pane.Fit(who, room)+"  "+pane.Age(m.found.Now, h.Time), width)
}

// excerpt is as much of the text around the place as goes into so many cells, with
// everything in it that was looked for highlighted.
func (m *Model) excerpt(h find.Hit, width int, look lipgloss.Style) string {
	text := plain.Line(h.Excerpt)
	at, ok := m.query.Find(text)
	if !ok { // what makes it safe has changed the place
		start := min(len(plain.Line(h.Excerpt[:bound(h.At.Start, h.Excerpt)])), len(text))
		at = find.Span{Start: start, End: start}
	}
	short, place := fit(text, at, max(width, 1))
	places := m.query.All(short)
	if len(places) == 0 {
		places = []find.Span{place}
	}
	var b strings.Builder
	done := 0
	for _, p := range places {
		b.WriteString(inked(look, short[done:p.Start]) + inked(m.options.Styles.Match.Inherit(look), short[p.Start:p.End]))
		done = p.End
	}
	return pane.Clip(b.String()+inked(look, short[done:]), width)
}

// bound is an offset inside a text.
func bound(at int, text string) int { return max(0, min(at, len(text))) }

// inked is a text in a style, nothing of none.
func inked(s lipgloss.Style, text string) string {
	if text == "" {
		return ""
	}
	return s.Render(text)
}

// fit is the text around a place in at most so many cells, unless the place alone is
// wider.
func fit(text string, at find.Span, width int) (string, find.Span) {
	if ansi.StringWidth(text) <= width {
		return text, at
	}
	short, place := "", find.Span{}
	for chars := width; chars > 0; {
		short, place = find.Excerpt(text, at, chars)
		cells := ansi.StringWidth(short)
		if cells <= width {
			break
		}
		chars -= max(1, (cells-width)/2) // no character has more cells than two
	}
	return short, place
}
