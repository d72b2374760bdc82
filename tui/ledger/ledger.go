package ledger

import (
	"slices"
	"strconv"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The view is a list of entries, each a line that unfolds. Entries may come while it
// is looked at: the cursor stays on the one it was on, and what is unfolded stays so.
// The foot says what is true of all of them together.

// Options is what a view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap // nil: DefaultKeyMap
}

// Content is what a view shows.
type Content struct {
	Entries  []compact.Entry // oldest first, as [compact.Ledger] has them
	Title    string          // of the conversation
	Zone     *time.Location  // in which times are told; nil: UTC
	ReadOnly bool
}

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	frames pane.Styles
	inks   inks
	keys   KeyMap

	width, height int
	content       Content
	list          pane.List
	open          map[id]bool // what is unfolded
	helps         bool        // the keys are shown
	totals        []string    // of the entries, nil until they are wanted
}

// id tells entries apart.
type id struct {
	kind  compact.EntryKind
	event uint64
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap(), open: map[id]bool{}}
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	m.SetStyles(o.Styles)
	m.Show(Content{})
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(width, 1), max(height, 0) }

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.frames, m.inks = s.Styles, newInks(s) }

// Show replaces what is shown. It costs nothing for what is out of sight.
func (m *Model) Show(c Content) {
	on, any := m.entry()
	m.content, m.totals = c, nil
	if m.content.Zone == nil {
		m.content.Zone = time.UTC
	}
	if !any {
		return
	}
	was := on.id()
	for n := range c.Entries {
		if m.at(n).id() == was {
			m.list.Keep(n)
			return
		}
	}
}

// row is an entry, and how it is told apart.
type row struct{ *compact.Entry }

func (r row) id() id { return id{r.Kind, r.Event} }

// at is the entry of a row, the newest first.
func (m *Model) at(n int) row { return row{&m.content.Entries[len(m.content.Entries)-1-n]} }

// entry is the one under the cursor; false if there is none.
func (m *Model) entry() (row, bool) {
	if n := m.list.Selected(sheet{m}); n >= 0 {
		return m.at(n), true
	}
	return row{}, false
}

// Cursor is nil: there is nothing to type in.
func (m *Model) Cursor() *tea.Cursor { return nil }

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string {
	f := m.frame()
	height, foot := m.place(f)
	m.list.SetSize(m.width, height)
	lines := m.list.View(sheet{m})
	if len(m.content.Entries) == 0 {
		lines = m.empty()
		lines = lines[:min(len(lines), height)]
	}
	for len(foot) > 0 && len(lines) < height { // the foot stands at the bottom
		lines = append(lines, "")
	}
	return m.frames.Draw(f, append(slices.Clip(lines), foot...), m.width, m.height)
}

// frame is what stands around.
func (m *Model) frame() pane.Frame {
	k := m.keys
	f := pane.Frame{Title: "Ledger", Detail: "newest first"}
	if t := safe(m.content.Title); t != "" {
		f.Title += " · " + t
	}
	leave, help := pane.Hint("close", k.Close), pane.Hint("keys", k.Help)
	preview := ""
	if !m.content.ReadOnly {
		preview = pane.Hint("preview a compaction", k.Preview)
	}
	e, any := m.entry()
	if !any {
		f.Detail = ""
		f.Hints = []string{preview, leave}
		return f
	}
	details := "details"
	if m.open[e.id()] {
		details = "fold"
	}
	deed := ""
	switch {
	case m.content.ReadOnly:
	case e.Kind == compact.EntryEpoch && e.Result == compact.ResultInForce:
		deed = pane.Hint("undo", k.Undo)
	case m.canRedo(e):
		deed = pane.Hint("redo", k.Redo)
	case m.canRestore(e):
		deed = pane.Hint("restore", k.Redo)
	}
	f.Hints = []string{pane.Hint(details, k.Details), deed, leave, help, pane.Hint("go there", k.Jump), preview}
	f.Where = strconv.Itoa(m.list.Selected(sheet{m})+1) + "/" + strconv.Itoa(len(m.content.Entries))
	return f
}

// Update gives the view a message and says what came of it.
func (m *Model) Update(msg tea.Msg) pane.Action {
	f := m.frame()
	height, _ := m.place(f)
	m.list.SetSize(m.width, height)
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if a, done := m.press(k); done {
			return a
		}
	}
	if m.list.Update(sheet{m}, msg, m.keys.Moves, f.Top(m.height)) {
		return nil
	}
	return pane.Ignored{}
}

// press does what a key of the view says.
func (m *Model) press(k tea.KeyPressMsg) (a pane.Action, done bool) {
	switch {
	case key.Matches(k, m.keys.Close):
		return pane.Closed{}, true
	case key.Matches(k, m.keys.Help):
		m.helps = !m.helps
		return nil, true
	case key.Matches(k, m.keys.Preview):
		return pane.Preview{}, true
	case key.Matches(k, m.keys.Details):
		m.unfold()
		return nil, true
	case key.Matches(k, m.keys.Jump):
		return m.jump(), true
	case key.Matches(k, m.keys.Undo):
		return m.undo(), true
	case key.Matches(k, m.keys.Redo):
		return m.redo(), true
	}
	return nil, false
}

// unfold shows the details of the entry under the cursor, or folds them.
func (m *Model) unfold() {
	e, any := m.entry()
	if !any {
		return
	}
	if m.open[e.id()] {
		delete(m.open, e.id())
	} else {
		m.open[e.id()] = true
	}
	m.list.Select(sheet{m}, m.list.Selected(sheet{m}))
}

// longest is how much of a text is looked at, in bytes.
const longest = 4000

// safe makes a text from elsewhere one line that can be drawn.
func safe(text string) string { return plain.Line(text[:min(len(text), longest)]) }
