// Package changes is the full-screen view of what a conversation changed in files: the files at the left and the diff
// of one at the right, or one after the other where there is little room.
//
// The view reads nothing: it is told what the log has of each file, and how the file on disk compares with it. Names
// and texts come from models and files, and are made safe.
package changes

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/diff"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// Disk is how a file on disk compares with what the conversation left in it.
type Disk int

// How a file may compare.
const (
	DiskSame       Disk = iota
	DiskOther           // something else changed it since
	DiskGone            // it is not there
	DiskUnreadable      // nobody knows
)

// File is a file that was changed.
type File struct {
	diff.Changed
	Disk Disk
}

// Content is what the view shows.
type Content struct {
	Title  string // of the conversation
	Files  []File
	Loaded bool // Files are known
}

// Styles are the looks of the view.
type Styles struct {
	Pane pane.Styles
	Diff diffview.Styles
}

// Copy asks for a text on the clipboard.
type Copy struct{ Text, What string }

// Options is what a view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap // nil: DefaultKeyMap
}

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	styles Styles
	keys   KeyMap

	width, height int
	content       Content
	list          pane.List
	page          pane.Page
	reading       bool // the keys are the diff's
	helps         bool
	help          pane.Page
	search        search
	drawn         map[int]drawn // diffs, by file
}

// drawn is a diff at a width, with what stands above it.
type drawn struct {
	width int
	rows  []string
	text  []int // the cell of each row at which its text begins
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap(), drawn: map[int]drawn{}}
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	m.SetStyles(o.Styles)
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.place()
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.styles, m.drawn = s, map[int]drawn{} }

// Show replaces what is shown. The file that is read stays in sight.
func (m *Model) Show(c Content) {
	name := ""
	if f := m.file(); f != nil {
		name = f.Name
	}
	m.content, m.drawn = c, map[int]drawn{}
	m.place()
	for i, f := range c.Files {
		if f.Name == name {
			m.list.Select(m, i)
			return
		}
	}
	m.list.ToTop(m)
	m.page.ToTop()
	m.reading = m.reading && len(c.Files) > 0
}

// file is the one with the cursor, nil if there is none.
func (m *Model) file() *File {
	if i := m.list.Selected(m); i >= 0 {
		return &m.content.Files[i]
	}
	return nil
}

// leastWide is how many cells the view has from which on list and diff stand side by side.
const leastWide = 100

func (m *Model) wide() bool { return m.width >= leastWide }

// place gives the list its lines and cells.
func (m *Model) place() {
	m.list.SetSize(m.listWidth(), m.body())
}

// listWidth is the cells of the list, its margin at the left included.
func (m *Model) listWidth() int {
	if !m.wide() {
		return pane.RowWidth(m.width)
	}
	least := 0
	for i := range m.content.Files {
		least = max(least, m.needs(&m.content.Files[i]))
	}
	return max(28, min(least, m.width*2/5))
}

// bar stands between list and diff.
const bar = " │ "

// diffWidth is the cells of the diff.
func (m *Model) diffWidth() int {
	if m.wide() {
		return pane.RowWidth(m.width) - m.listWidth() - len([]rune(bar))
	}
	return pane.Within(m.width)
}

// body is the lines between the frame's.
func (m *Model) body() int { f := m.frame(); return f.Body(m.height) }

// Cursor is where one types a search, nil while one does not.
func (m *Model) Cursor() *tea.Cursor { return m.search.cursor(m) }

// Update gives the view a message and says what came of it.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.search.typing {
		return m.typed(msg)
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if action, done := pane.Press(k, m.commands()); done {
			return action
		}
	}
	switch {
	case m.helps && m.help.Update(msg, m.keys.Moves, len(m.keyList()), m.body()):
		return nil
	case m.helps, len(m.content.Files) == 0:
		return pane.Ignored{}
	}
	if m.move(msg) {
		return nil
	}
	return pane.Ignored{}
}

// move moves in the list or in the diff. It reports whether the message was for that.
func (m *Model) move(msg tea.Msg) bool {
	m.place()
	frame := m.frame()
	inDiff := m.reading
	if mouse, ok := msg.(tea.MouseMsg); ok && m.wide() {
		inDiff = mouse.Mouse().X >= m.listWidth()
		switch msg.(type) {
		case tea.MouseClickMsg:
			if m.reading = inDiff; inDiff {
				return true
			}
		case tea.MouseWheelMsg:
			inDiff = inDiff || m.fits() // there is nothing to scroll in the list
		}
	}
	if inDiff {
		return m.page.Update(msg, m.keys.Moves, len(m.rows(m.list.Selected(m))), m.body())
	}
	before := m.list.Selected(m)
	taken := m.list.Update(m, msg, m.keys.Moves, frame.Top(m.height))
	if m.list.Selected(m) != before {
		m.page.ToTop()
	}
	return taken
}

// fits reports whether the whole list is in sight.
func (m *Model) fits() bool {
	lines := 0
	for i := range m.content.Files {
		lines += len(m.Lines(i, false, m.listWidth()))
	}
	return lines <= m.body()
}

// commands are the keys of the view.
func (m *Model) commands() []pane.Command {
	k := &m.keys
	return []pane.Command{
		{On: k.Close, Do: m.leave},
		{On: k.Help, Do: func() pane.Action { m.helps = !m.helps; m.help.ToTop(); return nil }},
		{On: k.Open, Do: func() pane.Action { m.reading = m.file() != nil; return nil }},
		{On: k.Side, Do: func() pane.Action { m.reading = !m.reading && m.file() != nil; return nil }},
		{On: k.PreviousFile, Do: func() pane.Action { return m.step(-1) }},
		{On: k.NextFile, Do: func() pane.Action { return m.step(1) }},
		{On: k.Copy, Do: m.copy},
		{On: k.CopyAll, Do: m.copyAll},
		{On: k.Jump, Do: m.jump},
		{On: k.Search, Do: func() pane.Action { m.search.start(); return nil }},
		{On: k.Next, Do: func() pane.Action { return m.find(1, false) }},
		{On: k.Previous, Do: func() pane.Action { return m.find(-1, false) }},
	}
}

// leave goes back: from the keys, from a search, from the diff, from the view.
func (m *Model) leave() pane.Action {
	switch {
	case m.helps:
		m.helps = false
	case m.search.on:
		m.search.reset()
	case m.reading:
		m.reading = false
	default:
		return pane.Closed{}
	}
	return nil
}

// step goes to another file.
func (m *Model) step(by int) pane.Action {
	i := m.list.Selected(m)
	if to := i + by; i >= 0 && to >= 0 && to < len(m.content.Files) {
		m.list.Select(m, to)
		m.page.ToTop()
	}
	return nil
}

func (m *Model) copy() pane.Action {
	f := m.file()
	switch {
	case f == nil:
		return pane.Say{Text: "nothing to copy", Bad: true}
	case f.Patch() == "":
		return pane.Say{Text: "nothing to copy: all changes to this file were undone", Bad: true}
	}
	return Copy{f.Patch(), "the diff of " + safe(f.Name)}
}

func (m *Model) copyAll() pane.Action {
	patch := ""
	for _, f := range m.content.Files {
		patch += f.Patch()
	}
	if patch == "" {
		return pane.Say{Text: "nothing to copy", Bad: true}
	}
	return Copy{patch, "the diff of all files"}
}

func (m *Model) jump() pane.Action {
	if f := m.file(); f != nil {
		return pane.Jump{Event: f.Last}
	}
	return nil
}
