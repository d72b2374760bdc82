package preview

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The gauges stand above the rule and stay in sight; below it are the parts, each
// with its name, and what does not fit is scrolled to.

const (
	labelWidth = 9  // of the name of a part, where it stands beside it
	leastWide  = 48 // cells from which on it does
	airy       = 30 // lines from which on the gauges stand apart
)

// part is a piece of the body under a name. Its lines are styled.
type part struct {
	label string
	lines []string
}

// View draws the view.
func (m *Model) View() string {
	f := m.frame()
	body, where := m.reader.View(m.body(), f.Body(m.height))
	if where != "" {
		f.Where = where
	}
	return m.o.Styles.Pane.Draw(f, body, m.width, m.height)
}

// Cursor is where the cursor is, nil for nowhere.
func (m *Model) Cursor() *tea.Cursor {
	if !m.writing {
		return nil
	}
	m.edit.View()
	x, _ := m.edit.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.width)+len(focusPrompt)+x, m.width-1), max(m.height-2, 0))
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the body.
func (m *Model) frame() pane.Frame {
	s, keys := m.o.Styles.Pane, m.o.Keys
	f := pane.Frame{Title: "Compact", Detail: plain.Line(m.content.Model)}
	switch {
	case m.reader.Helping():
		f.Title = "Compact · keys"
		f.Hints = []string{pane.Hint("back", keys.Close)}
		return f
	case m.writing:
		f.Status = s.Title.Render(focusPrompt) + strings.Join(m.edit.View(), "")
		f.Hints = []string{pane.Hint("keep it", keys.TakeFocus), pane.Hint("cancel", keys.LeaveFocus)}
	default:
		f.Hints = m.hints()
	}
	if f.Lines = m.gauges(); m.height >= airy {
		f.Lines = append([]string{""}, f.Lines...)
	}
	return f
}

// hints is what can be done, the most important first.
func (m *Model) hints() []string {
	keys := m.o.Keys
	accept := ""
	if m.content.Err == "" {
		accept = pane.Hint("compact", keys.Accept)
	}
	hints := []string{
		accept, pane.Hint("close", keys.Close), pane.Hint("profile", keys.PreviousProfile, keys.NextProfile),
		pane.Hint("end", keys.EndEarlier, keys.EndLater), pane.Hint("help", keys.Help), pane.Hint("start", keys.StartEarlier, keys.StartLater),
	}
	if m.summarises() {
		hints = append(hints, pane.Hint("focus", keys.Focus), pane.Hint("review", keys.Review))
	}
	return append(hints, pane.Hint("default range", keys.Default))
}

// gauges is the gauge now and the gauge then, and what lies between them.
func (m *Model) gauges() []string {
	const label = 6
	s, width := m.o.Styles.Pane, max(pane.Within(m.width)-label+1, 1)
	line := func(name, gauge string) string { return s.Muted.Render(pane.Fit(name, label-1)) + gauge }
	c := m.content
	c.Then.CachedShare = -1 // the cached prefix breaks, and no request has said yet what is left of it
	now, then := m.o.Gauges(c.Now, c.Then, width)
	switch {
	case c.Err != "" && !c.Busy:
		return []string{line("now", now)}
	case c.Err != "": // there are no old numbers
		return []string{line("now", now), line("then", s.Muted.Render(workingOut))}
	}
	return []string{line("now", now), line("then", then), line("", " "+m.gained(width-1))} // below the inside of the bars
}

// workingOut is said while numbers are on their way.
const workingOut = "calculating…"

// gained says what is saved, in fewer words where there is little room.
func (m *Model) gained(width int) string {
	s, p := m.o.Styles, m.content.Preview
	text, gain, share := pane.About(p.Before)+" → "+pane.About(p.After), " · nothing saved", ""
	switch saved := p.Before - p.After; {
	case saved > 0:
		share = pane.Percent(saved, p.Before)
		gain, share = " · "+pane.About(saved)+" saved, "+share, " · "+share+" saved"
	case saved < 0:
		gain = " · " + pane.About(-saved) + " more"
	}
	old, was, style := "", "", s.Saved
	if m.content.Busy {
		old, was, style = "before the change: ", "was ", s.Pane.Muted
	}
	lines := []string{old + text + " tokens" + gain, old + text + gain, was + text + share}
	for _, line := range lines {
		if ansi.StringWidth(line) <= width {
			return style.Render(line)
		}
	}
	return style.Render(pane.Clip(was+text, width))
}

// body is the lines below the gauges, none wider than the view. Where there is room
// the parts stand apart.
func (m *Model) body() []string {
	if m.reader.Helping() {
		return m.help()
	}
	parts := m.parts()
	var tight, apart []string
	for i, p := range parts {
		lines := m.labelled(p)
		tight = append(tight, lines...)
		if i > 0 {
			apart = append(apart, "")
		}
		apart = append(apart, lines...)
	}
	if len(apart) <= m.frame().Body(m.height) {
		return apart
	}
	return tight
}

// labelled is a part with its name: beside it, where that is narrow above it.
func (m *Model) labelled(p part) []string {
	style, margin := m.o.Styles.Pane.Muted, pane.Margin(m.width)
	if m.width < leastWide {
		out := []string{margin + style.Render(p.label)}
		for _, l := range p.lines {
			out = append(out, margin+" "+l)
		}
		return out
	}
	out := make([]string, len(p.lines))
	for i, l := range p.lines {
		name := ""
		if i == 0 {
			name = p.label
		}
		out[i] = margin + style.Render(pane.Fit(name, labelWidth)) + l
	}
	return out
}

// room is how many cells the lines of a part have.
func (m *Model) room() int {
	if m.width < leastWide {
		return max(pane.Within(m.width)-1, 1)
	}
	return pane.Within(m.width) - labelWidth
}

// say is a text in lines that fit into a part.
func (m *Model) say(style lipgloss.Style, text string) []string {
	return pane.Each(style, pane.Wrap(text, m.room()))
}

// help is every key and what it does.
func (m *Model) help() []string {
	return append(m.o.Styles.Pane.KeyList(m.width, pane.BindingsIn(m.o.Keys)), "")
}

// by names a key in a text; "" if it is off.
func (m *Model) by(format string, b key.Binding) string {
	if !b.Enabled() {
		return ""
	}
	return fmt.Sprintf(format, b.Help().Key)
}
