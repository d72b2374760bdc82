package account

import (
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The view is a list of rows, each a number or a few that belong together. What is
// shown may change with every token: the cursor stays on what it was on, a heaviest
// item wherever it stands by then. The panel that explains takes lines from the list
// and leaves it at least two.

// Options is what a view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap                    // nil: DefaultKeyMap
	Glyphs map[compact.Segment]string // one cell each; nil: DefaultGlyphs
}

// Content is what a view shows.
type Content struct {
	Account compact.Account
	// Reading is how full the window is at this moment: it moves while a reply streams
	// and while the user types, the account only when something was done.
	Reading  compact.Reading
	Title    string // of the conversation
	Model    string
	Priced   string // what the costs rest on: "reported", or the date of the catalogue; "" unknown
	Cold     bool   // the provider's cache no longer holds the conversation
	ColdAt   string // when it goes cold, for a sentence; "" unknown
	Paused   bool   // no model is asked for summaries without being told to
	ReadOnly bool
	Pinned   func(event uint64) bool // nil: nothing is
}

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	frames pane.Styles
	keys   KeyMap

	width, height int
	sheet         sheet
	list          pane.List
	explains      bool // the panel is open
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap(), sheet: sheet{glyphs: o.Glyphs}}
	m.SetStyles(o.Styles)
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	if o.Glyphs == nil {
		m.sheet.glyphs = DefaultGlyphs()
	}
	m.Show(Content{Reading: compact.Reading{CachedShare: -1}})
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 0)
	m.sheet.roomy = m.height >= roomy
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.frames, m.sheet.inks = s.Styles, newInks(s) }

// Show replaces what is shown. It costs nothing for what is out of sight.
func (m *Model) Show(c Content) {
	on, event := row{kind: -1}, m.item().Event
	if sel := m.list.Selected(&m.sheet); sel >= 0 {
		on = m.sheet.rows[sel]
	}
	m.sheet.content = c
	m.sheet.rows = m.sheet.content.rows(m.sheet.rows[:0])
	for i, r := range m.sheet.rows {
		same := r.kind == on.kind && r.n == on.n
		if on.kind == rowItem && event != 0 {
			same = r.kind == rowItem && c.Account.Heaviest[r.n].Event == event
		}
		if same {
			m.list.Keep(i)
			return
		}
	}
}

// Cursor is nil: there is nothing to type in.
func (m *Model) Cursor() *tea.Cursor { return nil }

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string {
	f := m.frame()
	body, panel := m.place(f)
	m.list.SetSize(m.width, body)
	lines := m.list.View(&m.sheet)
	if len(panel) > 0 {
		for len(lines) < body {
			lines = append(lines, "")
		}
		lines = append(lines, panel...)
	}
	return m.frames.Draw(f, lines, m.width, m.height)
}

// leastDetail is the width below which the model is not named.
const leastDetail = 32

// frame is what stands around.
func (m *Model) frame() pane.Frame {
	title, k := "Context", m.keys
	if t := safe(m.sheet.content.Title); t != "" {
		title += " · " + t
	}
	f := pane.Frame{Title: title}
	if m.width >= leastDetail {
		f.Detail = pane.Clip(safe(m.sheet.content.Model), m.width/2)
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
	if !m.sheet.content.ReadOnly {
		f.Hints = append(f.Hints, m.changes(it)...)
	}
	f.Where = strconv.Itoa(m.list.Selected(&m.sheet)+1) + "/" + strconv.Itoa(len(m.sheet.rows))
	return f
}

// changes are the keys that change what the model is sent.
func (m *Model) changes(it compact.Item) []string {
	k := m.keys
	preview := pane.Hint("preview a compaction", k.Preview)
	if it.Event == 0 {
		return []string{preview}
	}
	pin := "pin"
	if m.sheet.content.pinned(it.Event) {
		pin = "unpin"
	}
	return []string{pane.Hint(pin, k.Pin), pane.Hint("make a stub", k.Mask), preview}
}

// leastList is how many lines the panel leaves to the list.
const leastList = 2

// place divides the body between the list and the panel that explains.
func (m *Model) place(f pane.Frame) (list int, panel []string) {
	list = f.Body(m.height)
	sel := m.list.Selected(&m.sheet)
	if !m.explains || sel < 0 || list <= leastList+1 {
		return list, nil
	}
	lines := pane.Wrap(m.sheet.rows[sel].explain(&m.sheet.content, &m.keys), m.width-4)
	room := list - leastList - 1
	if len(lines) > room {
		lines = lines[:room]
		lines[room-1] = pane.Clip(lines[room-1]+" …", m.width-4)
	}
	head := "─ " + m.sheet.rows[sel].name(&m.sheet.content) + " "
	panel = append(panel, m.sheet.inks.rule.Render(pane.Clip(head+line("─", m.width-ansi.StringWidth(head)), m.width)))
	for _, l := range lines {
		panel = append(panel, "  "+m.sheet.inks.text.Render(l))
	}
	return list - len(panel), panel
}

// Update gives the view a message and says what came of it.
func (m *Model) Update(msg tea.Msg) pane.Action {
	f := m.frame()
	body, _ := m.place(f)
	m.list.SetSize(m.width, body)
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Y-f.Top(m.height) >= body {
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if a, done := m.press(k); done {
			return a
		}
	}
	before := m.list.Selected(&m.sheet)
	if !m.list.Update(&m.sheet, msg, m.keys.Moves, f.Top(m.height)) {
		return pane.Ignored{}
	}
	if m.list.Selected(&m.sheet) != before {
		m.reveal()
	}
	return nil
}

// reveal shows the row under the cursor beside its explanation, which may be longer
// than the one before.
func (m *Model) reveal() {
	if m.explains {
		body, _ := m.place(m.frame())
		m.list.SetSize(m.width, body)
		m.list.Select(&m.sheet, m.list.Selected(&m.sheet))
	}
}

// press does what a key of the view says.
func (m *Model) press(k tea.KeyPressMsg) (a pane.Action, done bool) {
	switch {
	case key.Matches(k, m.keys.Close):
		return pane.Closed{}, true
	case key.Matches(k, m.keys.Explain):
		m.explains = !m.explains
		m.reveal()
		return nil, true
	case key.Matches(k, m.keys.Preview):
		return pane.Preview{}, true
	case key.Matches(k, m.keys.Jump):
		return m.jump(), true
	case key.Matches(k, m.keys.Pin):
		return m.pin(), true
	case key.Matches(k, m.keys.Mask):
		return m.mask(), true
	}
	return nil, false
}

// longest is how much of a text is looked at: no line has room for more.
const longest = 2000

// safe makes a text from elsewhere one line that can be drawn.
func safe(text string) string { return plain.Line(text[:min(len(text), longest)]) }
