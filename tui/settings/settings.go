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

// Styles are the styles of the view. All are inline.
type Styles struct {
	Pane   pane.Styles
	Accent lipgloss.Style // a changed value, and the name of a section
}

// Content is the content of the view.
type Content struct {
	Rows    []Row         // nil while they are being read
	Reading meter.Reading // now
	Next    string        // forecast of the next compaction, as a sentence
	Fixed   string        // why no setting can be changed, "" if they can
}

// The actions of the view.
type (
	// Try asks for the effect of a value. The parent answers with [Model.ShowEffect].
	Try struct{ Key, Value string }
	// SetValue asks to set a value. The parent answers with [Model.Done].
	SetValue struct{ Key, Value string }
	// OpenDialog asks for the dialog of a row.
	OpenDialog struct{ Dialog string }
	// WriteConfig asks to write values to the configuration, by key. The parent answers with [Model.Done].
	WriteConfig struct{ Set map[string]string }
)

// stage is what the user is doing.
type stage int

// The stages.
const (
	browsing stage = iota
	choosing       // among the values of a row
	typing         // a value
)

// Model is the view. It is for one goroutine.
type Model struct {
	styles  Styles
	keys    *KeyMap
	gauges  func(now, then meter.Reading, width int) (string, string)
	content Content
	section string // whose settings are shown, "" for the first page
	rows    rows
	list    pane.ListDetail
	toggled bool // the user switched the explanation from its default, which depends on the size

	stage  stage
	edits  int    // counts the beginnings and ends of edits, so that an answer to an earlier edit is ignored
	key    string // of the row that is edited
	value  string // the edited value
	field  *edit.Field
	effect *Effect // of value, nil until it is known
	fault  string  // why value is invalid, or why it could not be set
	busy   bool    // the parent is setting the value
}

// New returns the view. gauges draws two readings in a line each, of at most width cells, with bars of the same length.
func New(keys *KeyMap, gauges func(now, then meter.Reading, width int) (string, string)) *Model {
	return &Model{keys: keys, gauges: gauges, field: edit.NewLine(plain.Line, edit.MaxInLine)}
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s Styles) { m.styles = s }

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) {
	m.list.SetSize(width, height)
	m.fit()
}

// Show replaces the content. The cursor stays on its row.
func (m *Model) Show(c Content) {
	on := ""
	if r := m.row(); r != nil {
		on = r.Key + r.Title
	}
	m.content, m.rows = c, rows{m: m, list: c.page(m.section)}
	if i := slices.IndexFunc(m.rows.list, func(r Row) bool { return r.Key+r.Title == on }); i >= 0 {
		m.list.Keep(i)
	}
	m.fit()
}

// open shows another section, with the cursor on its first row; from a section to the first page, on the row of that section.
func (m *Model) open(section string) pane.Action {
	from := m.section
	m.section, m.rows = section, rows{m: m, list: m.content.page(section)}
	m.list.Select(&m.rows, max(0, slices.IndexFunc(m.rows.list, func(r Row) bool { return r.isSection && r.Title == from })))
	m.fit()
	return nil
}

// row returns the row with the cursor, nil if there is none.
func (m *Model) row() *Row {
	if i := m.list.Selected(&m.rows); i >= 0 {
		return &m.rows.list[i]
	}
	return nil
}

// ShowEffect shows the effect of a value, or why it is invalid. It ignores the effect of an earlier value.
func (m *Model) ShowEffect(t Try, e Effect, fault string) {
	if m.stage == browsing || t.Key != m.key || t.Value != m.value {
		return
	}
	m.fault, m.effect = plain.Line(fault), nil
	if fault == "" {
		m.effect = &e
	}
}

// Edit returns the number of the current edit, for Done.
func (m *Model) Edit() int { return m.edits }

// Done ends an edit. If there is a fault, the edit stays open so that the user can correct the value. It returns false if
// another edit has begun since.
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

// browse ends an edit without changing the value.
func (m *Model) browse() {
	m.edits++
	m.stage, m.key, m.value, m.effect, m.fault, m.busy = browsing, "", "", nil, "", false
	m.fit()
}

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	switch m.stage {
	case choosing:
		return m.choose(msg)
	case typing:
		return m.typeIn(msg)
	}
	k := m.keys
	commands := []pane.Command{
		{On: k.Change, Do: func() pane.Action { return m.begin(1) }},
		{On: k.Next, Do: func() pane.Action { return m.begin(1) }},
		{On: k.Earlier, Do: func() pane.Action { return m.begin(-1) }},
		{On: k.Default, Do: m.toDefault},
		{On: k.Write, Do: m.keep},
		{On: k.Explain, Do: func() pane.Action { m.toggled = !m.toggled; m.fit(); return nil }},
		{On: k.NextSection, Do: func() pane.Action { return m.openNext(1) }},
		{On: k.PreviousSection, Do: func() pane.Action { return m.openNext(-1) }},
	}
	if m.section != "" {
		commands = append(commands, pane.Command{On: k.Close, Do: func() pane.Action { return m.open("") }})
	}
	return m.list.Update(msg, m.paneContent, commands)
}

// openNext opens the next section, or the previous one with by -1. The first page stands before the sections.
func (m *Model) openNext(by int) pane.Action {
	pages := append([]string{""}, m.content.sections()...)
	return m.open(pages[(slices.Index(pages, m.section)+by+len(pages))%len(pages)])
}
