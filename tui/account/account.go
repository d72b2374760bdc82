package account

import (
	"strconv"

	"plimsoll/compact/meter"

	"plimsoll/compact/inspect"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// The view is a list of rows, each a number or a few that belong together. What is
// shown may change with every token: the cursor stays on what it was on, a heaviest
// item wherever it stands by then. The panel that explains takes lines from the list
// and leaves it at least two.

// Options is what a view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap // nil: DefaultKeyMap
}

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	frames pane.Styles
	keys   KeyMap

	width    int
	sheet    pane.Sheet
	rows     rows
	explains bool // the panel is open
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap()}
	m.SetStyles(o.Styles)
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	m.Show(Content{Reading: meter.Reading{CachedShare: -1}})
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.rows.roomy = max(width, 1), height >= roomy
	m.sheet.SetSize(width, height)
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.frames, m.rows.inks = s.Styles, newInks(s) }

// Show replaces what is shown. It costs nothing for what is out of sight.
func (m *Model) Show(c Content) {
	on, event := row{kind: -1}, m.item().Event
	if sel := m.selected(); sel >= 0 {
		on = m.rows.list[sel]
	}
	m.rows.content = c
	m.rows.list = m.rows.content.rows(m.rows.list[:0])
	for i, r := range m.rows.list {
		same := r.kind == on.kind && r.n == on.n
		if on.kind == rowItem && event != 0 {
			same = r.kind == rowItem && c.Account.Heaviest[r.n].Event == event
		}
		if same {
			m.sheet.Keep(i)
			return
		}
	}
}

// Cursor is nil: there is nothing to type in.
func (m *Model) Cursor() *tea.Cursor { return nil }

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string { return m.sheet.View(m.frames, m.shown()) }

func (m *Model) shown() pane.Shown {
	f := m.frame()
	return pane.Shown{Frame: f, Rows: &m.rows, Panel: m.panel(f)}
}

// leastDetail is the width below which the model is not named.
const leastDetail = 32

// frame is what stands around.
func (m *Model) frame() pane.Frame {
	title, k := "Context", m.keys
	if t := safe(m.rows.content.Title); t != "" {
		title += " · " + t
	}
	f := pane.Frame{Title: title}
	if m.width >= leastDetail {
		f.Detail = pane.Clip(safe(m.rows.content.Model), m.width/2)
	}
	what := "explain"
	if m.explains {
		what = "hide this"
	}
	explain, leave := pane.Hint(what, k.Explain), pane.Hint("close", k.Close)
	it := m.item()
	if it.Event != 0 {
		f.Hints = []string{pane.Hint("go there", k.Jump)}
	}
	f.Hints = append(f.Hints, explain, leave)
	if !m.rows.content.ReadOnly {
		f.Hints = append(f.Hints, m.changes(it)...)
	}
	f.Where = strconv.Itoa(m.selected()+1) + "/" + strconv.Itoa(len(m.rows.list))
	return f
}

// changes are the keys that change what the model is sent.
func (m *Model) changes(it inspect.Item) []string {
	k := m.keys
	preview := pane.Hint("preview a compaction", k.Preview)
	if it.Event == 0 {
		return []string{preview}
	}
	pin := "pin"
	if m.rows.content.pinned(it.Event) {
		pin = "unpin"
	}
	return []string{pane.Hint(pin, k.Pin), pane.Hint("mask", k.Mask), preview}
}

// leastList is how many lines the panel leaves to the list.
const leastList = 2

// panel explains the row under the cursor.
func (m *Model) panel(f pane.Frame) []string {
	sel, room := m.selected(), m.sheet.Room(f, leastList)
	if !m.explains || sel < 0 || room < 1 {
		return nil
	}
	r, content := m.rows.list[sel], &m.rows.content
	lines := pane.Wrap(r.explain(content, &m.keys), m.width-4)
	if len(lines) > room {
		lines = lines[:room]
		lines[room-1] = pane.Clip(lines[room-1]+" …", m.width-4)
	}
	head := "─ " + r.name(content) + " "
	panel := []string{m.rows.inks.rule.Render(pane.Clip(head+line("─", m.width-ansi.StringWidth(head)), m.width))}
	for _, l := range lines {
		panel = append(panel, "  "+m.rows.inks.text.Render(l))
	}
	return panel
}

// Update gives the view a message and says what came of it.
func (m *Model) Update(msg tea.Msg) pane.Action {
	return m.sheet.Update(msg, m.shown, m.keys.Moves, m.commands())
}

// commands are the keys of the view.
func (m *Model) commands() []pane.Command {
	k := &m.keys
	return []pane.Command{
		{On: k.Close, Do: func() pane.Action { return pane.Closed{} }},
		{On: k.Explain, Do: func() pane.Action { m.explains = !m.explains; return nil }},
		{On: k.Preview, Do: func() pane.Action { return pane.Preview{} }},
		{On: k.Jump, Do: m.jump},
		{On: k.Pin, Do: m.pin},
		{On: k.Mask, Do: m.mask},
	}
}

// selected is the row under the cursor.
func (m *Model) selected() int { return m.sheet.Selected(&m.rows) }
