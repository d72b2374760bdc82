package search

import (
	"cmp"
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
	prompt     = "> " // before the field
	searching  = "searching…"
	leastField = 3  // height from which there is room for the field
	leastWide  = 72 // width from which a hit takes one line
	whereWide  = 44 // cells of turn, author and age in that line at most
	leastGaps  = 20 // height from which there are empty lines between conversations
)

// View draws the view.
func (m *Model) View() string {
	v := m.paneContent()
	if m.Len() > 0 {
		v.Frame.Where = fmt.Sprintf("%d of %d", m.list.Selected(m)+1, m.Len())
		return m.list.View(m.styles, v)
	}
	text, look := m.message()
	v.Body = pane.Each(look, pane.Wrap(text, max(m.list.Width-4, 1)))
	for i, l := range v.Body {
		v.Body[i] = "  " + l
	}
	return m.list.View(m.styles, v)
}

// paneContent is the list of hits with its frame.
func (m *Model) paneContent() pane.Content {
	k := m.keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.First, End: k.Last}
	return pane.Content{Frame: m.frame(), Keys: pane.ListDetailKeys{Moves: moves, Close: k.Close}, Rows: m}
}

// Cursor returns the place of the cursor in the field.
func (m *Model) Cursor() *tea.Cursor {
	if m.list.Height < leastField {
		return nil
	}
	m.field.View()
	x, _ := m.field.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.list.Width)+len(prompt)+x, m.list.Width-1), 1)
	c.Shape = tea.CursorBar
	return c
}

// frame is the title, the field, the keys, and what could not be read.
func (m *Model) frame() pane.Frame {
	s, keys, c := m.styles, m.keys, m.found
	f := pane.Frame{
		Title: "Search", Detail: m.summary(), Lines: []string{s.Key.Render(prompt) + s.Text.Render(strings.Join(m.field.View(), ""))},
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
	if m.list.Width < leastWide {
		return hits + took(c.Took)
	}
	return fmt.Sprintf("%s in %d of %s%s", hits, in, numbers.Count(c.Conversations, "conversation"), took(c.Took))
}

// message is the text in place of hits, and its style.
func (m *Model) message() (string, lipgloss.Style) {
	s, c := m.styles, m.found
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

// took is the duration of a search after a comma, "" for a short one.
func took(d time.Duration) string {
	if d < 50*time.Millisecond {
		return ""
	}
	return fmt.Sprintf(", %.1f s", d.Seconds())
}

// Len returns the number of hits.
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

// Lines draws a hit: its turn, author and age, and then the text, on a narrow screen in a second line. The first hit of a
// conversation has the title above it.
func (m *Model) Lines(row int, selected bool, width int) []string {
	s, h := m.styles, m.found.Hits[row]
	var out []string
	if m.first(row) {
		if row > 0 && m.list.Height >= leastGaps {
			out = append(out, "")
		}
		title := cmp.Or(strings.TrimSpace(plain.Line(h.Title)), h.Conversation)
		out = append(out, "  "+s.Title.Render(pane.Clip(title, max(width-2, 1))))
	}
	mark, style, text := "  ", s.Muted, s.Text
	if selected {
		mark, style, text = "❯ ", s.Selected, s.Selected
	}
	author := plain.Line(h.Who)
	if h.Stored {
		author += " (full text)"
	}
	room := min(width*9/20, whereWide)
	if width < leastWide {
		room = width - 2
	}
	where := fmt.Sprintf("turn %-2s  %s  %s", pane.Turn(h.Turn), pane.Fit(author, max(room-22, 8)), numbers.Age(m.found.Now, h.Time))
	if width < leastWide {
		out = append(out, style.Render(pane.Fit(mark+where, width)))
		mark, where, room = "    ", "", 0
	}
	lead := style.Render(mark + pane.Fit(where, room))
	if room > 0 {
		lead += style.Render("  ")
	}
	line := lead + m.excerpt(h, max(width-ansi.StringWidth(lead), 1), text)
	if selected { // the highlight reaches over the whole width
		line += style.Render(strings.Repeat(" ", max(0, width-ansi.StringWidth(line))))
	}
	return append(out, pane.Clip(line, width))
}

// excerpt is as much of the text around the match as fits into width cells, with all matches
// highlighted.
func (m *Model) excerpt(h find.Hit, width int, style lipgloss.Style) string {
	text := plain.Line(h.Excerpt)
	at, ok := m.query.Find(text)
	if !ok { // plain.Line replaced characters of the match
		start := min(len(plain.Line(h.Excerpt[:max(0, min(h.At.Start, len(h.Excerpt)))])), len(text))
		at = find.Span{Start: start, End: start}
	}
	short, match := text, at
	for chars := width; chars > 0 && ansi.StringWidth(short) > width; {
		short, match = find.Excerpt(text, at, chars)
		chars -= max(1, (ansi.StringWidth(short)-width)/2) // no character has more than two cells
	}
	matches := m.query.All(short)
	if len(matches) == 0 {
		matches = []find.Span{match}
	}
	unmarked, marked := pane.NewInlineStyle(style), pane.NewInlineStyle(m.styles.Match.Inherit(style))
	var b strings.Builder
	done := 0
	for _, p := range matches {
		b.WriteString(unmarked.Render(short[done:p.Start]) + marked.Render(short[p.Start:p.End]))
		done = p.End
	}
	return pane.Clip(b.String()+unmarked.Render(short[done:]), width)
}
