package search

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// prompt stands before the line.
const prompt = "> "

// leastLine is the height from which on there is room for the line.
const leastLine = 3

// View draws the view.
func (m *Model) View() string {
	v := m.shown()
	if m.Len() > 0 {
		v.Frame.Where = fmt.Sprintf("%d of %d", m.sheet.Selected(m)+1, m.Len())
	} else {
		for _, l := range pane.Wrap(m.message(), max(m.width-4, 1)) {
			v.Body = append(v.Body, "  "+m.colored(l))
		}
	}
	return m.sheet.View(m.options.Styles.Styles, v)
}

// shown is the hits and what stands around them.
func (m *Model) shown() pane.Shown { return pane.Shown{Frame: m.frame(), Rows: m} }

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
	s, keys := m.options.Styles, m.options.Keys
	lines := []string{s.Key.Render(prompt) + s.Text.Render(strings.Join(m.line.View(), ""))}
	for _, l := range m.unread() {
		lines = append(lines, s.Warning.Render(l))
	}
	return pane.Frame{
		Title:  "Search",
		Detail: m.summary(),
		Lines:  lines,
		Hints: []string{
			pane.Hint("open", keys.Open), pane.Hint("close", keys.Close), pane.Hint("move", keys.Up, keys.Down),
			pane.Hint("page", keys.PageUp, keys.PageDown),
		},
	}
}

// searching says that hits are on their way.
const searching = "searching…"

// summary is how much was found, at the right of the title: in fewer words where
// there is little room.
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
	hits := numbers.Count(len(c.Hits), "hit")
	if c.More {
		hits = "the first " + hits
	}
	took := took(c.Took)
	whole := fmt.Sprintf("%s in %d of %s%s", hits, len(m.hitsFrom), numbers.Count(c.Conversations, "conversation"), took)
	if ansi.StringWidth(whole) > m.width*2/3 {
		return hits + took
	}
	return whole
}

// unread tells what could not be read of that of which the hits are.
func (m *Model) unread() []string {
	c := m.found
	if m.typed == "" || c.Err != "" || m.Len() == 0 && (m.stale() || c.Busy) {
		return nil
	}
	var parts []string
	if c.Unread > 0 {
		parts = append(parts, "not read: "+numbers.Count(c.Unread, "conversation"))
	}
	if c.Damaged > 0 {
		parts = append(parts, "skipped: "+numbers.Count(c.Damaged, "damaged text"))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{pane.Clip(strings.Join(parts, ", ")+"; see plimsoll doctor", pane.Within(m.width))}
}

// message is what stands in place of hits.
func (m *Model) message() string {
	c := m.found
	switch {
	case m.problem != "":
		return m.problem
	case m.typed == "":
		return `type to search all conversations; "quoted words" match as a phrase`
	case m.stale() || c.Busy:
		return searching
	case c.Err != "":
		return plain.Line(c.Err)
	}
	return "nothing found in " + numbers.Count(c.Conversations, "conversation") + took(c.Took)
}

// took is how long a search took, behind a comma, "" where that is no time.
func took(d time.Duration) string {
	if d < 50*time.Millisecond {
		return ""
	}
	return fmt.Sprintf(", %.1f s", d.Seconds())
}

// colored is a line of the message in its color.
func (m *Model) colored(line string) string {
	s := m.options.Styles
	if m.problem != "" || m.typed != "" && !m.stale() && m.found.Err != "" {
		return s.Error.Render(line)
	}
	return s.Muted.Render(line)
}
