package settings

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The gauge and the forecast are above the rows; while a value is edited, they show its effect. The explanation of a setting is
// at the right of the rows, on a narrow screen below them, and on a low screen it is shown on request.

const (
	beside   = 100 // width from which the explanation is at the right of the rows
	roomy    = 19  // height from which the explanation is shown by default
	twoLines = 14  // height from which the forecast has two lines
	label    = 5   // cells before the gauge
	least    = 3   // lines that an explanation leaves to the rows
)

func (m *Model) explains() bool {
	return (m.list.Width >= beside || m.list.Height >= roomy) != m.toggled
}

// fit sets the sizes of field and list, and shows the row with the cursor.
func (m *Model) fit() {
	m.field.SetSize(max(pane.Within(m.list.Width)-len(m.prompt()), 2), 1)
	m.list.Fit(m.paneContent())
	if i := m.list.Selected(&m.rows); i >= 0 {
		m.list.Select(&m.rows, i)
	}
}

// View draws the view.
func (m *Model) View() string {
	v := m.paneContent()
	if m.content.Rows == nil {
		v.Body = []string{pane.Margin(m.list.Width) + m.styles.Pane.Muted.Render("reading the settings…")}
	}
	return m.list.View(m.styles.Pane, v)
}

// paneContent is the rows with the explanation of the one with the cursor.
func (m *Model) paneContent() pane.Content {
	f := m.frame()
	v := pane.Content{Frame: f, Keys: pane.ListDetailKeys{Moves: m.keys.Moves, Close: m.keys.Close}, Rows: &m.rows, Panel: m.below(f)}
	if width := pane.AsideWidth(m.list.Width, false); width > 0 && m.explains() {
		v.Aside = m.detail(width)
	}
	return v
}

// below is the explanation below the rows, its rule included; nil if it is at the right or hidden.
func (m *Model) below(f pane.Frame) []string {
	room := f.Body(m.list.Height) - least - 1
	if m.list.Width >= beside || !m.explains() || m.row() == nil || room < 1 {
		return nil
	}
	s, width := m.styles.Pane, pane.Within(m.list.Width)
	most := min(room, 6)
	facts, detail := m.facts(width), pane.Each(s.Text, pane.Wrap(plain.Line(m.row().Doc), width))
	detail = append(pane.Fold(detail, max(most-len(facts), most/2, 1), width), facts...)
	rule := "─"
	if key := plain.Line(m.row().Key); key != "" {
		rule = "── " + pane.Clip(key, max(width-5, 1)) + " "
	}
	rule += strings.Repeat("─", max(width-ansi.StringWidth(rule), 0))
	out := append([]string{s.Muted.Render(rule)}, detail...)
	out = append(out, make([]string, most)...)[:most+1] // always the same height, so that the rows do not move
	return pane.Inset(out, m.list.Width)
}

// detail is the explanation at the right of the rows.
func (m *Model) detail(width int) []string {
	r, s := m.row(), m.styles.Pane
	if r == nil {
		return nil
	}
	out := []string{s.Title.Render(pane.Clip(plain.Line(r.Title), width))}
	if r.Key != "" {
		out = append(out, s.Muted.Render(pane.Clip(plain.Line(r.Key), width)), "")
	}
	out = append(out, pane.Each(s.Text, pane.Wrap(plain.Line(r.Doc), width))...)
	return append(append(out, ""), m.facts(width)...)
}

// facts are where a value comes from, when a new one takes effect, the default and the allowed values.
func (m *Model) facts(width int) []string {
	r, s := m.row(), m.styles.Pane
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
	add("default", r.inWords(r.UnsetValue))
	var words []string
	for _, choice := range r.Choices {
		words = append(words, r.inWords(choice))
	}
	add("allowed", cmp.Or(strings.Join(words, ", "), strings.Replace(r.Type, "ratio", "percent", 1)))
	return out
}

// prompt is the text before the field.
func (m *Model) prompt() string {
	if r := m.row(); r != nil {
		title := plain.Line(r.Title)
		if r.isShare() {
			title += ", in %"
		}
		return pane.Clip(title, max(m.list.Width/2, 1)) + ": "
	}
	return ""
}

// Cursor returns the place of the cursor, nil while no value is typed.
func (m *Model) Cursor() *tea.Cursor {
	if m.stage != typing {
		return nil
	}
	m.field.View()
	x, _ := m.field.Cursor()
	c := tea.NewCursor(min(pane.Gutter(m.list.Width)+ansi.StringWidth(m.prompt())+x, m.list.Width-1), max(m.list.Height-2, 0))
	c.Shape = tea.CursorBar
	return c
}

// frame is the title, the gauge, the keys, and the field while a value is edited.
func (m *Model) frame() pane.Frame {
	s, k := m.styles.Pane, m.keys
	f := pane.Frame{Title: "Settings", Lines: m.lines()}
	if m.section != "" {
		f.Title += " · " + plain.Line(m.section)
	}
	changed := 0
	for _, r := range m.content.Rows {
		if r.Changed {
			changed++
		}
	}
	if changed > 0 {
		f.Detail = numbers.Count(changed, "change") + " not kept"
	}
	if at := m.list.Selected(&m.rows); at >= 0 && m.stage == browsing {
		f.Where = strconv.Itoa(at+1) + "/" + strconv.Itoa(len(m.rows.list))
	}
	f.Hints = []string{pane.Hint("accept", k.Accept), pane.Hint("cancel", k.Cancel)}
	switch m.stage {
	case choosing:
		f.Status = s.Title.Render(m.prompt()) + m.styles.Accent.Render(plain.Line(m.row().inWords(m.value)))
		f.Hints = append(f.Hints, pane.Hint("other values", k.Earlier, k.Next))
	case typing:
		f.Status = s.Title.Render(m.prompt()) + strings.Join(m.field.View(), "")
	default:
		back, what := "close", "explain"
		if m.section != "" {
			back = "back"
		}
		if m.explains() {
			what = "hide details"
		}
		f.Hints = []string{pane.Hint("change", k.Change), pane.Hint(back, k.Close), pane.Hint("next page", k.NextSection),
			pane.Hint("keep changes", k.Write), pane.Hint(what, k.Explain), pane.Hint("reset", k.Default)}
	}
	return f
}

// lines are the gauge and the forecast. Their number does not depend on the texts.
func (m *Model) lines() []string {
	s, width := m.styles.Pane, pane.Within(m.list.Width)
	c := m.content
	name, then, words, style := s.Muted.Render(pane.Fit("now", label)), c.Reading, c.Next, s.Text
	switch {
	case m.stage == browsing:
	case m.fault != "":
		words, style = m.fault, s.Error
	case m.effect != nil:
		name, then, words = m.styles.Accent.Render(pane.Fit("then", label)), m.effect.Reading, m.effect.Next
		if was, is := c.Reading.LoadLine, then.LoadLine; was != is && was > 0 && is > 0 {
			words = "Load line " + pane.Tokens(was) + " → " + pane.Tokens(is) + ". " + words
		}
	default:
		style = s.Muted
	}
	_, bar := m.gauges(c.Reading, then, max(width-label, 1))
	out := []string{name + bar}
	rows := 1 + pane.CountTrue(m.list.Height >= twoLines)
	text := pane.Fold(pane.Wrap(plain.Line(words), max(width-label, 1)), rows, max(width-label, 1))
	for _, line := range append(text, make([]string, rows)...)[:rows] {
		out = append(out, strings.Repeat(" ", label)+style.Render(line))
	}
	return out
}

// rows draws the settings for the list.
type rows struct {
	m    *Model
	list []Row
}

// Len returns the number of settings.
func (r *rows) Len() int { return len(r.list) }

// Lines draws a row: its name, and its value at the right. The first row of a group has the heading above it.
func (r *rows) Lines(n int, selected bool, width int) []string {
	m, row, s := r.m, &r.list[n], r.m.styles
	var out []string
	gutter := pane.Gutter(m.list.Width)
	if row.Group != "" && (n == 0 || r.list[n-1].Group != row.Group) {
		if n > 0 && m.list.Height >= roomy {
			out = append(out, "")
		}
		out = append(out, pane.Clip(strings.Repeat(" ", gutter)+s.Accent.Render(plain.Line(row.Group)), width))
	}
	room := max(width-gutter-2, 1) // without the mark of a change and the blank before it
	value, changed := plain.Line(cmp.Or(row.Shown, row.inWords(row.Value))), row.Changed
	if selected && m.stage != browsing && m.key == row.Key {
		value, changed = "‹ "+plain.Line(row.inWords(m.value))+" ›", true
	}
	value = pane.Clip(value, max(room*3/5, 1))
	label := plain.Line(row.Title)
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
	line := strings.Repeat(" ", gutter) + s.Pane.Text.Render(name) + " " + style.Render(value) + s.Accent.Render(mark)
	return append(out, pane.Clip(line, width))
}
