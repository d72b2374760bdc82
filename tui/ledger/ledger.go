package ledger

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/inspect"
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

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	frames pane.Styles
	keys   KeyMap

	width   int
	sheet   pane.Sheet
	entries entries
	helps   bool     // the keys are shown
	totals  []string // of the entries, nil until they are wanted
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap(), entries: entries{open: map[id]bool{}}}
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	m.SetStyles(o.Styles)
	m.Show(Content{})
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.entries.roomy = max(width, 1), height >= roomy
	m.sheet.SetSize(width, height)
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.frames, m.entries.inks = s.Styles, newInks(s) }

// Show replaces what is shown. It costs nothing for what is out of sight.
func (m *Model) Show(c Content) {
	on, ok := m.entry()
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	m.entries.content, m.totals = c, nil
	if !ok {
		return
	}
	was := on.id()
	for n := range c.Entries {
		if m.entries.at(n).id() == was {
			m.sheet.Keep(n)
			return
		}
	}
}

// entry is the one under the cursor; false if there is none.
func (m *Model) entry() (row, bool) {
	if n := m.sheet.Selected(&m.entries); n >= 0 {
		return m.entries.at(n), true
	}
	return row{}, false
}

// Cursor is nil: there is nothing to type in.
func (m *Model) Cursor() *tea.Cursor { return nil }

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string { return m.sheet.View(m.frames, m.shown()) }

func (m *Model) shown() pane.Shown {
	v := pane.Shown{Frame: m.frame(), Rows: &m.entries}
	v.Panel = m.foot(v.Frame)
	if m.entries.Len() == 0 {
		v.Body = m.empty()
	}
	m.entries.beside = false
	if e, ok := m.entry(); ok {
		if width := pane.AsideWidth(m.width); width > 0 {
			m.entries.beside = true
			v.Aside = m.entries.aside(e, width)
		}
	}
	return v
}

// frame is what stands around.
func (m *Model) frame() pane.Frame {
	k := m.keys
	f := pane.Frame{Title: "Ledger", Detail: "newest first"}
	if t := safe(m.entries.content.Title); t != "" {
		f.Title += " · " + t
	}
	leave, help := pane.Hint("close", k.Close), pane.Hint("keys", k.Help)
	preview := ""
	if !m.entries.content.ReadOnly {
		preview = pane.Hint("preview a compaction", k.Preview)
	}
	e, ok := m.entry()
	if !ok {
		f.Detail = ""
		f.Hints = []string{preview, leave}
		return f
	}
	details := "details"
	if m.entries.open[e.id()] {
		details = "fold"
	}
	change := ""
	switch {
	case m.entries.content.ReadOnly:
	case e.Kind == inspect.EntryEpoch && e.Result == inspect.ResultInForce:
		change = pane.Hint("undo", k.Undo)
	case m.entries.canRedo(e):
		change = pane.Hint("redo", k.Redo)
	case m.entries.canRestore(e):
		change = pane.Hint("restore", k.Redo)
	}
	show, there := pane.Hint(details, k.Details), pane.Hint("go there", k.Jump)
	if pane.AsideWidth(m.width) > 0 { // they stand at the right
		show, there = pane.Hint("go there", k.Details), ""
	}
	f.Hints = []string{show, change, leave, help, there, preview}
	f.Where = strconv.Itoa(m.sheet.Selected(&m.entries)+1) + "/" + strconv.Itoa(len(m.entries.content.Entries))
	return f
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
		{On: k.Help, Do: func() pane.Action { m.helps = !m.helps; return nil }},
		{On: k.Preview, Do: func() pane.Action { return pane.Preview{} }},
		{On: k.Details, Do: m.unfold},
		{On: k.Jump, Do: func() pane.Action { return jump(m.entry()) }},
		{On: k.Undo, Do: func() pane.Action { e, ok := m.entry(); return m.entries.undo(e, ok, k) }},
		{On: k.Redo, Do: func() pane.Action { return m.entries.redo(m.entry()) }},
	}
}

// unfold shows the details of the entry under the cursor, or folds them. Where they stand beside it, it leads on.
func (m *Model) unfold() pane.Action {
	e, ok := m.entry()
	if pane.AsideWidth(m.width) > 0 {
		return jump(e, ok)
	}
	if ok {
		m.entries.open[e.id()] = !m.entries.open[e.id()]
		m.sheet.Select(&m.entries, m.sheet.Selected(&m.entries))
	}
	return nil
}
