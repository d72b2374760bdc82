package search

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// prompt stands before the line.
const prompt = "> "

// leastLine is the height from which on there is room for the line.
const leastLine = 3

// View draws the view.
func (m *Model) View() string {
	f := m.frame()
	m.list.SetSize(m.width, f.Body(m.height))
	body := m.list.View(m)
	if m.Len() > 0 {
		f.Where = fmt.Sprintf("%d of %d", m.list.Selected(m)+1, m.Len())
	} else {
		for _, l := range pane.Wrap(m.said(), max(m.width-4, 1)) {
			body = append(body, "  "+m.tint(l))
		}
	}
	return m.o.Styles.Draw(f, body, m.width, m.height)
}

// Cursor is where the cursor is: in the line.
func (m *Model) Cursor() *tea.Cursor {
	if m.height < leastLine {
		return nil
	}
	m.line.View()
	x, _ := m.line.Cursor()
	c := tea.NewCursor(min(1+len(prompt)+x, m.width-1), 1)
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the hits.
func (m *Model) frame() pane.Frame {
	s, keys := m.o.Styles, m.o.Keys
	return pane.Frame{
		Title:  "Search",
		Detail: m.summary(),
		Lines:  []string{" " + s.Key.Render(prompt) + s.Text.Render(strings.Join(m.line.View(), ""))},
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
	case m.asked == "" || c.Err != "" && !m.old():
		return ""
	case m.old() || c.Busy:
		return searching
	case len(c.Hits) == 0:
		return ""
	}
	hits := many(len(c.Hits), "hit")
	if c.More {
		hits = "the first " + hits
	}
	took := fmt.Sprintf(", %.1f s", c.Took.Seconds())
	whole := fmt.Sprintf("%s in %d of %s%s", hits, len(m.starts), many(c.Conversations, "conversation"), took)
	if ansi.StringWidth(whole) > m.width*2/3 {
		return hits + took
	}
	return whole
}

// said is what stands in place of hits.
func (m *Model) said() string {
	c := m.found
	switch {
	case m.wrong != "":
		return m.wrong
	case m.asked == "":
		return `type to search all conversations; words in "quotation marks" stand together`
	case m.old() || c.Busy:
		return searching
	case c.Err != "":
		return plain.Line(c.Err)
	}
	return fmt.Sprintf("nothing found in %s, %.1f s", many(c.Conversations, "conversation"), c.Took.Seconds())
}

// tint colours a line of it.
func (m *Model) tint(line string) string {
	s := m.o.Styles
	if m.wrong != "" || m.asked != "" && !m.old() && m.found.Err != "" {
		return s.Error.Render(line)
	}
	return s.Muted.Render(line)
}

// many is a number of things.
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
