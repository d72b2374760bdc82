package settings

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"plimsoll/compact/meter"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Styles is how the view looks. All are inline.
type Styles struct {
	Pane   pane.Styles
	Accent lipgloss.Style // a value that is changed, and the name of its section
}

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
	// Gauges are the lines of two readings, of at most width cells, with bars of one length.
	Gauges func(now, then meter.Reading, width int) (string, string)
}

// Content is what the view shows.
type Content struct {
	Rows    []Row         // nil while they are being read
	Reading meter.Reading // now
	Next    string        // what happens next, in words
	Fixed   string        // why nothing can be changed, "" if it can
}

// What the view asks the parent for.
type (
	// Try asks what a value would come to: [Model.ShowEffect].
	Try struct{ Key, Value string }
	// Accepted asks to put a value in force: [Model.Done] says what came of it.
	Accepted struct{ Key, Value string }
	// Opened asks for the dialog of a row.
	Opened struct{ Dialog string }
	// Kept asks to keep values by key for what begins from here on: [Model.Done] says what came of it.
	Kept struct{ Set map[string]string }
)

// stage is what the user does.
type stage int

// The stages.
const (
	browsing stage = iota
	choosing       // among the values of a row
	typing         // a value
)

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	content Content
	rows    rows
	list    pane.Sheet
	toggled bool // what the setting does is shown where it is not as a rule, or the other way round

	stage  stage
	edits  int    // how often an edit began or ended
	key    string // of the row that is changed
	value  string // that it would get
	field  *edit.Field
	effect *Effect // of value, nil while it is worked out
	fault  string  // what is wrong with value
	busy   bool    // it is being put in force
}

// New returns the view.
func New(o Options) *Model {
	return &Model{o: o, width: 1, height: 1, field: edit.NewLine(plain.Line, edit.MostInLine)}
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.o.Styles = s }

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.fit()
}

// Show replaces what is shown. The cursor stays on its row.
func (m *Model) Show(c Content) {
	on := ""
	if r := m.row(); r != nil {
		on = r.Section + r.Name
	}
	m.content, m.rows = c, rows{m: m, list: c.Rows}
	if i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Section+r.Name == on }); i >= 0 {
		m.list.Keep(i)
	}
	m.fit()
}

// row is the one under the cursor, nil if there is none.
func (m *Model) row() *Row {
	if i := m.list.Selected(&m.rows); i >= 0 {
		return &m.rows.list[i]
	}
	return nil
}

// ShowEffect shows what a value comes to, or what is wrong with it. One that was asked for before is not shown.
func (m *Model) ShowEffect(t Try, e Effect, fault string) {
	if m.stage == browsing || t.Key != m.key || t.Value != m.value {
		return
	}
	m.fault, m.effect = plain.Line(fault), nil
	if fault == "" {
		m.effect = &e
	}
}

// Edit names what is being edited: the answer to a change belongs to the edit that asked for it.
func (m *Model) Edit() int { return m.edits }

// Done ends a change, unless there is a fault: then the user can mend it. It reports false where something
// else is being done by now.
func (m *Model) Done(edit int, fault string) bool {
	if edit != m.edits {
		return false
	}
	m.busy, m.fault = false, plain.Line(fault)
	if fault == "" {
		m.browse()
	}
	return true
}

// browse leaves what is being changed as it is.
func (m *Model) browse() {
	m.edits++
	m.stage, m.key, m.value, m.effect, m.fault, m.busy = browsing, "", "", nil, "", false
	m.fit()
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	switch m.stage {
	case choosing:
		return m.choose(msg)
	case typing:
		return m.typeIn(msg)
	}
	k := m.o.Keys
	return m.list.Update(msg, m.shown, []pane.Command{
		{On: k.Change, Do: func() pane.Action { return m.begin(1) }},
		{On: k.Next, Do: func() pane.Action { return m.begin(1) }},
		{On: k.Earlier, Do: func() pane.Action { return m.begin(-1) }},
		{On: k.Default, Do: m.toDefault},
		{On: k.Write, Do: m.keep},
		{On: k.Explain, Do: func() pane.Action { m.toggled = !m.toggled; m.fit(); return nil }},
		{On: k.NextSection, Do: func() pane.Action { m.section(1); return nil }},
		{On: k.PreviousSection, Do: func() pane.Action { m.section(-1); return nil }},
	})
}

// section goes to the first row of the next section, or of the one before.
func (m *Model) section(by int) {
	at := m.list.Selected(&m.rows)
	if at < 0 {
		return
	}
	list := m.rows.list
	from := list[at].Section
	for at >= 0 && at < len(list) && list[at].Section == from {
		at += by
	}
	at = (at + len(list)) % len(list)
	for at > 0 && list[at-1].Section == list[at].Section {
		at--
	}
	m.list.Select(&m.rows, at)
}
