package settings

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The gauge and the forecast stand above the rows; they are those of the value that is being changed. What a setting does
// stands to the right of the rows, where there is less room below them, and on a low screen where it is asked for.

const (
	beside   = 100 // cells from which on a setting is explained beside the rows
	roomy    = 19  // lines from which on it is explained below them
	twoLines = 14  // lines from which on what happens next has two
	label    = 5   // cells before the gauge
	least    = 3   // lines that an explanation leaves to the rows
)

// explains reports whether what the setting does is shown.
func (m *Model) explains() bool { return (m.width >= beside || m.height >= roomy) != m.toggled }

// fit gives the parts their places.
func (m *Model) fit() {
	m.field.SetSize(max(pane.Within(m.width)-len(m.prompt()), 2), 1)
	m.list.SetSize(m.width, m.height)
	m.list.Fit(m.shown())
	if i := m.list.Selected(&m.rows); i >= 0 {
		m.list.Select(&m.rows, i)
	}
}

// View draws the view.
func (m *Model) View() string {
	v := m.shown()
	if m.content.Rows == nil {
		v.Body = []string{pane.Margin(m.width) + m.o.Styles.Pane.Muted.Render("reading the settings…")}
	}
	return m.list.View(m.o.Styles.Pane, v)
}

// shown is the rows with what explains the one under the cursor, beside them or below.
func (m *Model) shown() pane.Shown {
	f := m.frame()
	v := pane.Shown{Frame: f, Keys: pane.SheetKeys{Moves: m.o.Keys.Moves, Close: m.o.Keys.Close}, Rows: &m.rows, Panel: m.below(f)}
	if width := pane.AsideWidth(m.width, false); width > 0 && m.explains() {
		v.Aside = m.detail(width)
	}
	return v
}

// below is the explanation below the rows, its rule included; nil where it stands elsewhere.
func (m *Model) below(f pane.Frame) []string {
	room := f.Body(m.height) - least - 1
	if m.width >= beside || !m.explains() || m.row() == nil || room < 1 {
		return nil
	}
	s, width := m.o.Styles.Pane, pane.Within(m.width)
	most := min(room, 6)
	facts, detail := m.facts(width), pane.Each(s.Text, pane.Wrap(plain.Line(m.row().Doc), width))
	if keep := max(most-len(facts), most/2, 1); len(detail) > keep {
		detail = append(detail[:keep-1], pane.Clip(detail[keep-1]+" …", width))
	}
	detail = append(detail, facts...)
	out := []string{pane.Margin(m.width) + s.Rule.Render(strings.Repeat("─", width))}
	for i := range most { // always as high, so that the rows stay where they are
		line := ""
		if i < len(detail) {
			line = pane.Margin(m.width) + detail[i]
		}
		out = append(out, line)
	}
	return out
}

// detail is all there is to say of the row under the cursor.
func (m *Model) detail(width int) []string {
	r, s := m.row(), m.o.Styles.Pane
	if r == nil {
		return nil
	}
	title := r.Key
	if title == "" {
		title = r.Name
	}
	out := []string{s.Title.Render(pane.Clip(plain.Line(title), width))}
	out = append(out, pane.Each(s.Text, pane.Wrap(plain.Line(r.Doc), width))...)
	return append(append(out, ""), m.facts(width)...)
}

// facts are where a value comes from, what it is by default, what it may be, and when it applies.
func (m *Model) facts(width int) []string {
	r, s := m.row(), m.o.Styles.Pane
	var out []string
	add := func(name, value string) {
		if value = plain.Line(value); value == "" {
			return
		}
		const names = 9
		for i, l := range pane.Wrap(value, max(width-names, 1)) {
			head := ""
			if i == 0 {
				head = name
			}
			out = append(out, s.Muted.Render(pane.Fit(head, names))+s.Text.Render(l))
		}
	}
	add("from", r.From)
	add("applies", r.Applies)
	add("", r.Fixed)
	unset := r.UnsetValue
	if unset == `""` {
		unset = "none"
	}
	add("default", unset)
	allowed := r.Type
	if len(r.Choices) > 0 {
		allowed = strings.Join(r.Choices, ", ")
	}
	add("allowed", strings.ReplaceAll(allowed, `""`, "none"))
	return out
}

// prompt stands before the value that is typed.
func (m *Model) prompt() string {
	if r := m.row(); r != nil {
		return pane.Clip(plain.Line(r.Name), max(m.width/2, 1)) + ": "
	}
	return ""
}

// Cursor is where the cursor is, nil for nowhere.
func (m *Model) Cursor() *tea.Cursor {
	if m.stage != typing {
		return nil
	}
	m.field.View()
	x, _ := m.field.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.width)+ansi.StringWidth(m.prompt())+x, m.width-1), max(m.height-2, 0))
	c.Shape = tea.CursorBar
	return c
}

// frame is what stands around the body.
func (m *Model) frame() pane.Frame {
	s, k := m.o.Styles.Pane, m.o.Keys
	f := pane.Frame{Title: "Settings", Lines: m.lines()}
	if n := m.changed(); n > 0 {
		f.Detail = numbers.Count(n, "change") + " not kept"
	}
	if at := m.list.Selected(&m.rows); at >= 0 && m.stage == browsing {
		f.Where = strconv.Itoa(at+1) + "/" + strconv.Itoa(len(m.rows.list))
	}
	f.Hints = []string{pane.Hint("accept", k.Accept), pane.Hint("cancel", k.Cancel)}
	switch m.stage {
	case choosing:
		f.Status = s.Title.Render(m.prompt()) + m.o.Styles.Accent.Render(plain.Line(m.value))
		f.Hints = append(f.Hints, pane.Hint("other values", k.Earlier, k.Next))
	case typing:
		f.Status = s.Title.Render(m.prompt()) + strings.Join(m.field.View(), "")
	default:
		what := "explain"
		if m.explains() {
			what = "hide this"
		}
		f.Hints = []string{pane.Hint("change", k.Change), pane.Hint("keep", k.Write), pane.Hint("close", k.Close),
			pane.Hint("default", k.Default), pane.Hint("sections", k.NextSection), pane.Hint(what, k.Explain)}
	}
	return f
}

// changed is how many values the next conversation would not begin with.
func (m *Model) changed() int {
	n := 0
	for _, r := range m.rows.list {
		if r.Changed {
			n++
		}
	}
	return n
}

// lines are the gauge and what happens next, in as many lines whatever they say.
func (m *Model) lines() []string {
	s, width := m.o.Styles.Pane, pane.Within(m.width)
	c := m.content
	name, then, words, style := s.Muted.Render(pane.Fit("now", label)), c.Reading, c.Next, s.Text
	switch {
	case m.stage == browsing:
	case m.fault != "":
		words, style = m.fault, s.Error
	case m.effect != nil:
		name, then, words = m.o.Styles.Accent.Render(pane.Fit("then", label)), m.effect.Reading, m.effect.Next
		if was, is := c.Reading.LoadLine, then.LoadLine; was != is && was > 0 && is > 0 {
			words = "Load line " + pane.Tokens(was) + " → " + pane.Tokens(is) + ". " + words
		}
	default:
		style = s.Muted
	}
	_, bar := m.o.Gauges(c.Reading, then, max(width-label, 1))
	out := []string{name + bar}
	rows := 1
	if m.height >= twoLines {
		rows = 2
	}
	text := pane.Wrap(plain.Line(words), max(width-label, 1))
	for i := range rows {
		line := ""
		if i < len(text) {
			line = text[i]
		}
		if i == rows-1 && len(text) > rows {
			line = pane.Clip(line+" …", max(width-label, 1))
		}
		out = append(out, strings.Repeat(" ", label)+style.Render(line))
	}
	return out
}

// rows are the settings, drawn as a list wants them.
type rows struct {
	m    *Model
	list []Row
}

// Len is how many there are.
func (r *rows) Len() int { return len(r.list) }

// Lines is a row as it is drawn: its name, and its value at the right.
func (r *rows) Lines(n int, selected bool, width int) []string {
	m, row, s := r.m, &r.list[n], r.m.o.Styles
	var out []string
	gutter := pane.Gutter(m.width)
	if n == 0 || r.list[n-1].Section != row.Section {
		if n > 0 && m.height >= roomy {
			out = append(out, "")
		}
		out = append(out, pane.Clip(strings.Repeat(" ", gutter)+s.Accent.Render(plain.Line(row.Section)), width))
	}
	room := max(width-gutter-2, 1) // a cell for the mark of a change, and one before it
	value, changed := plain.Line(row.shown()), row.Changed
	if selected && m.stage != browsing && m.key == row.Key {
		value, changed = "‹ "+plain.Line(m.value)+" ›", true
	}
	value = pane.Clip(value, max(room*3/5, 1))
	label := plain.Line(row.Name)
	if row.Restart && row.Fixed == "" {
		label += " · at restart"
	}
	name := pane.Fit(label, max(room-ansi.StringWidth(value)-1, 1))
	mark := "  "
	if changed {
		mark = " •"
	}
	if selected {
		head := pane.Fit("❯", gutter)
		return append(out, s.Pane.Selected.Render(pane.Fit(head+name+" "+value+mark, width)))
	}
	style := s.Pane.Muted
	if changed {
		style = s.Accent
	}
	return append(out, pane.Clip(strings.Repeat(" ", gutter)+s.Pane.Text.Render(name)+" "+style.Render(value)+s.Accent.Render(mark), width))
}
