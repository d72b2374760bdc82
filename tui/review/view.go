package review

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"plimsoll/compact/edit"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// View draws the view.
func (m *Model) View() string {
	f := m.frame()
	height := f.Body(m.height)
	if m.editing {
		m.place()
		lines := m.edit.View()
		for i, l := range lines {
			lines[i] = pane.Margin(m.width) + m.o.Styles.Text.Render(l)
		}
		f.Where = pane.Range(m.edit.Scrolled(), height, m.edit.Rows())
		return m.o.Styles.Draw(f, lines, m.width, m.height)
	}
	body, where := m.reader.View(m.body(), height)
	f.Where = where
	return m.o.Styles.Draw(f, body, m.width, m.height)
}

// place gives the text that is changed its place.
func (m *Model) place() { m.edit.SetSize(pane.Within(m.width), m.frame().Body(m.height)) }

// Cursor is where the cursor is, nil for nowhere.
func (m *Model) Cursor() *tea.Cursor {
	if !m.editing {
		return nil
	}
	m.place()
	m.edit.View()
	x, y := m.edit.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.width)+x, m.width-1), min(m.frame().Top(m.height)+y, m.height-1))
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the body.
func (m *Model) frame() pane.Frame {
	keys, c := m.o.Keys, m.content
	f := pane.Frame{Title: "Summary of " + edit.Range{From: c.FromTurn, To: c.ToTurn}.String(), Detail: plain.Line(c.Model)}
	switch {
	case m.reader.Helping():
		f.Title = "Summary · keys"
		f.Hints = []string{pane.Hint("back", keys.Close)}
		return f
	case m.editing:
		f.Hints = []string{pane.Hint("done", keys.Done), pane.Hint("in $EDITOR", keys.Editor)}
	default:
		f.Hints = []string{
			pane.Hint("apply", keys.Accept), pane.Hint("keep pending", keys.Close), pane.Hint("change", keys.Change),
			pane.Hint("discard", keys.GiveUp), pane.Hint("$EDITOR", keys.Editor), pane.Hint("help", keys.Help),
		}
	}
	if m.giving {
		f.Status = m.o.Styles.Warning.Render(keys.GiveUp.Help().Key + " again discards the summary")
	}
	f.Lines = m.about()
	return f
}

// about is the size of the summary, and what is to be known of it.
func (m *Model) about() []string {
	s, c := m.o.Styles, m.content
	lines := []string{m.size(pane.Within(m.width))}
	say := func(style lipgloss.Style, text string) {
		for _, l := range pane.Wrap(text, pane.Within(m.width)) {
			lines = append(lines, style.Render(l))
		}
	}
	if why := m.wrong(); why != "" {
		say(s.Error, why)
	} else if doubt := m.doubt(); doubt != "" {
		say(s.Warning, doubt)
	}
	if c.Held {
		say(s.Warning, "a request is waiting for it")
	}
	if focus := plain.Line(c.Focus); focus != "" {
		lines = append(lines, s.Muted.Render(pane.Clip("focus: "+focus, pane.Within(m.width))))
	}
	return lines
}

// size is how long the text is against what it stands for, and whose it is.
func (m *Model) size(width int) string {
	s, c := m.o.Styles, m.content
	text := pane.About(m.tokens) + " tokens"
	if c.Covers > 0 {
		text += " replace " + pane.About(c.Covers) + ", " + pane.Percent(m.tokens, c.Covers)
	}
	if m.changed() {
		text = "changed by you · " + text
	} else {
		text += " · as the model wrote it"
	}
	return s.Text.Render(pane.Clip(text, width))
}

// body is the summary and what the program adds to it, none wider than the view.
func (m *Model) body() []string {
	if m.reader.Helping() {
		return m.help()
	}
	if m.lines != nil {
		return m.lines
	}
	s, room := m.o.Styles, pane.Within(m.width)
	lines := pane.Each(s.Text, pane.Wrap(plain.Text(m.text), room))
	if m.content.Appendix != "" {
		lines = append(lines, "")
		lines = append(lines, pane.Each(s.Detail, pane.Wrap("Plimsoll's note; not editable:", room))...)
		lines = append(lines, pane.Each(s.Muted, pane.Wrap(plain.Text(m.content.Appendix), room))...)
	}
	for i, l := range lines {
		lines[i] = pane.Margin(m.width) + l
	}
	m.lines = lines
	return lines
}

// help is every key and what it does.
func (m *Model) help() []string {
	return m.o.Styles.KeyList(m.width, pane.BindingsIn(m.o.Keys))
}
