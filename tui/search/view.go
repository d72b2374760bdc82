package search

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/find"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

const (
	prompt    = "> " // before the line
	searching = "searching…"
	leastLine = 3  // height from which on there is room for the line
	leastWide = 72 // cells from which on a hit is one line
	whereWide = 44 // of where it is, then
	leastAir  = 20 // height from which on conversations are set apart
)

// View draws the view.
func (m *Model) View() string {
	v := m.shown()
	if m.Len() > 0 {
		v.Frame.Where = fmt.Sprintf("%d of %d", m.sheet.Selected(m)+1, m.Len())
		return m.sheet.View(m.options.Styles.Styles, v)
	}
	text, look := m.message()
	v.Body = pane.Each(look, pane.Wrap(text, max(m.width-4, 1)))
	for i, l := range v.Body {
		v.Body[i] = "  " + l
	}
	return m.sheet.View(m.options.Styles.Styles, v)
}

// shown is the hits and what stands around them.
func (m *Model) shown() pane.Shown {
	k := m.options.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.First, End: k.Last}
	return pane.Shown{Frame: m.frame(), Keys: pane.SheetKeys{Moves: moves, Close: k.Close}, Rows: m}
}

// Cursor is where the cursor is: in the line.
func (m *Model) Cursor() *tea.Cursor {
	if m.height < leastLine {
		return nil
	}
	m.line.View()
	x, _ := m.line.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.width)+len(prompt)+x, m.width-1), 1)
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the hits.
func (m *Model) frame() pane.Frame {
	s, keys, c := m.options.Styles, m.options.Keys, m.found
	f := pane.Frame{
		Title: "Search", Detail: m.summary(), Lines: []string{s.Key.Render(prompt) + s.Text.Render(strings.Join(m.line.View(), ""))},
		Hints: []string{
			pane.Hint("open", keys.Open), pane.Hint("close", keys.Close), pane.Hint("move", keys.Up, keys.Down),
			pane.Hint("page", keys.PageUp, keys.PageDown),
		},
	}
	if m.typed == "" || c.Err != "" || m.Len() == 0 && (m.stale() || c.Busy) {
		return f
	}
	var parts []string
	if c.Unread > 0 {
		parts = append(parts, "not read: "+numbers.Count(c.Unread, "conversation"))
	}
	if c.Damaged > 0 {
		parts = append(parts, "skipped: "+numbers.Count(c.Damaged, "damaged text"))
	}
	if len(parts) > 0 {
		f.Lines = append(f.Lines, s.Warning.Render(strings.Join(parts, ", ")+"; see plimsoll doctor"))
	}
	return f
}

// summary is how much was found, at the right of the title.
func (m *Model) summary() string {
	c := m.found
	switch {
	case m.typed == "" || c.Err != "" && !m.stale():
		return ""
	case m.stale() || c.Busy:
		return searching
	case len(c.Hits) == 0:
		return ""
	}
	hits, in := numbers.Count(len(c.Hits), "hit"), 1
	for i := range c.Hits[1:] {
		if m.first(i + 1) {
			in++
		}
	}
	if c.More {
		hits = "the first " + hits
	}
	if m.width < leastWide {
		return hits + took(c.Took)
	}
	return fmt.Sprintf("%s in %d of %s%s", hits, in, numbers.Count(c.Conversations, "conversation"), took(c.Took))
}

// message is what stands in place of hits, and how it looks.
func (m *Model) message() (string, lipgloss.Style) {
	s, c := m.options.Styles, m.found
	switch {
	case m.problem != "":
		return m.problem, s.Error
	case m.typed == "":
		return `type to search all conversations; "quoted words" match as a phrase`, s.Muted
	case m.stale() || c.Busy:
		return searching, s.Muted
	case c.Err != "":
		return plain.Line(c.Err), s.Error
	}
	return "nothing found in " + numbers.Count(c.Conversations, "conversation") + took(c.Took), s.Muted
}

// took is how long a search took, behind a comma, "" where that is no time.
func took(d time.Duration) string {
	if d < 50*time.Millisecond {
		return ""
	}
	return fmt.Sprintf(", %.1f s", d.Seconds())
}

// Len is how many rows there are: hits.
func (m *Model) Len() int {
	if m.typed == "" {
		return 0
	}
	return len(m.found.Hits)
}

// first reports whether a hit is the first of its conversation.
func (m *Model) first(row int) bool {
	return row == 0 || m.found.Hits[row].Conversation != m.found.Hits[row-1].Conversation
}

// Lines is a hit as it is drawn, under the title of its conversation where it is the first. Where it is stands before the
// text, in little room above it.
func (m *Model) Lines(row int, selected bool, width int) []string {
	s, h := m.options.Styles, m.found.Hits[row]
	var out []string
	if m.first(row) {
		if row > 0 && m.height >= leastAir {
			out = append(out, "")
		}
		title := strings.TrimSpace(plain.Line(h.Title))
		if title == "" {
			title = h.Conversation
		}
		out = append(out, "  "+s.Title.Render(pane.Clip(title, max(width-2, 1))))
	}
	mark, look, text := "  ", s.Muted, s.Text
	if selected {
		mark, look, text = "❯ ", s.Selected, s.Selected
	}
	who := plain.Line(h.Who)
	if h.Stored {
		who += " (full text)"
	}
	room := min(width*9/20, whereWide)
	if width < leastWide {
		room = width - 2
	}
	where := fmt.Sprintf("turn %-2d  %s  %s", h.Turn, pane.Fit(who, max(room-22, 8)), pane.Age(m.found.Now, h.Time))
	if width < leastWide {
		out = append(out, look.Render(pane.Fit(mark+where, width)))
		mark, where, room = "    ", "", 0
	}
	lead := look.Render(mark + pane.Fit(where, room))
	if room > 0 {
		lead += look.Render("  ")
	}
	line := lead + m.excerpt(h, max(width-ansi.StringWidth(lead), 1), text)
	if selected { // over the whole width
		line += look.Render(strings.Repeat(" ", max(0, width-ansi.StringWidth(line))))
	}
	return append(out, pane.Clip(line, width))
}

// excerpt is as much of the text around the place as goes into so many cells, with
// everything in it that was looked for highlighted.
func (m *Model) excerpt(h find.Hit, width int, look lipgloss.Style) string {
	text := plain.Line(h.Excerpt)
	at, ok := m.query.Find(text)
	if !ok { // what makes it safe has changed the place
		start := min(len(plain.Line(h.Excerpt[:max(0, min(h.At.Start, len(h.Excerpt)))])), len(text))
		at = find.Span{Start: start, End: start}
	}
	short, place := text, at
	for chars := width; chars > 0 && ansi.StringWidth(short) > width; {
		short, place = find.Excerpt(text, at, chars)
		chars -= max(1, (ansi.StringWidth(short)-width)/2) // no character has more cells than two
	}
	places := m.query.All(short)
	if len(places) == 0 {
		places = []find.Span{place}
	}
	inked := func(s lipgloss.Style, text string) string {
		if text == "" {
			return ""
		}
		return s.Render(text)
	}
	var b strings.Builder
	done := 0
	for _, p := range places {
		b.WriteString(inked(look, short[done:p.Start]) + inked(m.options.Styles.Match.Inherit(look), short[p.Start:p.End]))
		done = p.End
	}
	return pane.Clip(b.String()+inked(look, short[done:]), width)
}
