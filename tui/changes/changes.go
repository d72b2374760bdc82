// Package changes is the full-screen view of what a conversation changed in files: the files at the left and the diff
// of one at the right, or one after the other where there is little room.
//
// The view reads nothing: it is told what the log has of each file, and how the file on disk compares with it. Names
// and texts come from models and files, and are made safe.
package changes

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
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
	DiskUnreadable      // it cannot be compared
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

// KeyMap holds every key of the view.
type KeyMap struct {
	Moves pane.Moves

	Open         key.Binding
	PreviousFile key.Binding
	NextFile     key.Binding
	Copy         key.Binding
	Jump         key.Binding
	Help         key.Binding
	Close        key.Binding
}

// DefaultKeyMap is the keys of the handbook.
func DefaultKeyMap() KeyMap {
	return KeyMap{
		Moves:        pane.DefaultMoves(),
		Open:         pane.Bind("enter", "read the diff", "enter"),
		PreviousFile: pane.Bind("[", "previous file", "["),
		NextFile:     pane.Bind("]", "next file", "]"),
		Copy:         pane.Bind("y", "copy the diff of the file", "y"),
		Jump:         pane.Bind("o", "the last edit in the history", "o"),
		Help:         pane.Bind("?", "keys", "?"),
		Close:        pane.Bind("q", "back to the files, close", "q", "esc"),
	}
}

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
	page          pane.Page // the diff, or the keys
	reading       bool      // the keys are the diff's
	helps         bool
	drawn         map[int][]string // diffs at this width, by file
}

// New returns a view of nothing.
func New(o Options) *Model {
	m := &Model{keys: DefaultKeyMap()}
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	m.SetStyles(o.Styles)
	return m
}

// SetSize gives the view its place, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height, m.drawn = max(width, 1), max(height, 1), map[int][]string{}
	m.list.SetSize(m.listWidth(), m.body())
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.styles, m.drawn = s, map[int][]string{} }

// Show replaces what is shown. The file that is read stays in sight.
func (m *Model) Show(c Content) {
	name := ""
	if f := m.file(); f != nil {
		name = f.Name
	}
	m.content, m.drawn = c, map[int][]string{}
	m.list.SetSize(m.listWidth(), m.body())
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

// wide reports whether list and diff stand side by side.
func (m *Model) wide() bool { return pane.AsideWidth(m.width) > 0 }

// listWidth is the cells of the list, its margin at the left included.
func (m *Model) listWidth() int {
	if m.wide() {
		return pane.AsideWidth(m.width)
	}
	return pane.RowWidth(m.width)
}

// bar stands between list and diff.
const bar = " │ "

// diffWidth is the cells of the diff.
func (m *Model) diffWidth() int {
	if m.wide() {
		return pane.RowWidth(m.width) - m.listWidth() - ansi.StringWidth(bar)
	}
	return pane.Within(m.width)
}

// body is the lines between the frame's.
func (m *Model) body() int { return pane.Frame{}.Body(m.height) }

// Cursor is nil: there is nothing to type in.
func (m *Model) Cursor() *tea.Cursor { return nil }

// Update gives the view a message and says what came of it.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if action, done := pane.Press(k, m.commands()); done {
			return action
		}
	}
	before := m.list.Selected(m)
	_, wheel := msg.(tea.MouseWheelMsg)
	inDiff := m.reading || m.helps || wheel && m.wide()
	switch {
	case inDiff && m.page.Update(msg, m.keys.Moves, len(m.lines()), m.body()):
		return nil
	case inDiff || !m.list.Update(m, msg, m.keys.Moves, pane.Frame{}.Top(m.height)):
		return pane.Ignored{}
	case m.list.Selected(m) != before:
		m.page.ToTop()
	}
	return nil
}

// commands are the keys of the view.
func (m *Model) commands() []pane.Command {
	k := &m.keys
	return []pane.Command{
		{On: k.Close, Do: m.leave},
		{On: k.Help, Do: func() pane.Action { m.helps = !m.helps; m.page.ToTop(); return nil }},
		{On: k.Open, Do: func() pane.Action { m.reading = m.file() != nil; return nil }},
		{On: k.PreviousFile, Do: func() pane.Action { return m.step(-1) }},
		{On: k.NextFile, Do: func() pane.Action { return m.step(1) }},
		{On: k.Copy, Do: m.copy},
		{On: k.Jump, Do: func() pane.Action {
			if f := m.file(); f != nil {
				return pane.Jump{Event: f.Last}
			}
			return nil
		}},
	}
}

// leave goes back: from the keys, from the diff, from the view.
func (m *Model) leave() pane.Action {
	switch {
	case m.helps:
		m.helps = false
		m.page.ToTop()
	case m.reading:
		m.reading = false
	default:
		return pane.Closed{}
	}
	return nil
}

// step goes to another file.
func (m *Model) step(by int) pane.Action {
	if to := m.list.Selected(m) + by; to >= 0 && to < len(m.content.Files) {
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
	return Copy{f.Patch(), "the diff of " + plain.Line(f.Name)}
}

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string {
	lines, where := m.page.View(m.lines(), m.body())
	for i, l := range lines {
		lines[i] = pane.Margin(m.width) + l
	}
	switch {
	case m.helps || m.file() == nil || m.reading && !m.wide():
	case m.wide():
		lines = m.beside(lines)
	default:
		lines = m.list.View(m)
	}
	return m.styles.Pane.Draw(m.frame(where), lines, m.width, m.height)
}

// beside is the list with a diff at its right.
func (m *Model) beside(diff []string) []string {
	out := make([]string, m.body())
	for i, l := range m.list.View(m) {
		out[i] = l
	}
	for i := range out {
		out[i] = pane.Fit(out[i], m.listWidth()) + m.styles.Pane.Rule.Render(bar)
		if i < len(diff) {
			out[i] += strings.TrimPrefix(diff[i], pane.Margin(m.width))
		}
	}
	return out
}

// frame is what stands around.
func (m *Model) frame(where string) pane.Frame {
	k, n := m.keys, len(m.content.Files)
	f := pane.Frame{Title: "Diff", Where: where}
	if t := plain.Line(m.content.Title); t != "" {
		f.Title += " · " + t
	}
	added, removed := 0, 0
	for _, file := range m.content.Files {
		a, r := file.Stat()
		added, removed = added+a, removed+r
	}
	if n > 0 {
		f.Detail = numbers.Count(n, "file") + "  " + diffview.Stat(added, removed)
	}
	files, help := pane.Hint("file", k.PreviousFile, k.NextFile), pane.Hint("keys", k.Help)
	switch {
	case m.helps:
		f.Hints = []string{pane.Hint("back", k.Close)}
	case n == 0:
		f.Hints = []string{pane.Hint("close", k.Close)}
	case m.reading:
		f.Hints = []string{files, pane.Hint("copy", k.Copy), pane.Hint("back", k.Close), help}
	default:
		f.Hints = []string{pane.Hint("read", k.Open), pane.Hint("copy", k.Copy), pane.Hint("close", k.Close), help, files, pane.Hint("go there", k.Jump)}
		f.Where = strconv.Itoa(m.list.Selected(m)+1) + "/" + strconv.Itoa(n)
	}
	return f
}

// Len is how many files there are.
func (m *Model) Len() int { return len(m.content.Files) }

// Lines is the row of a file, and below it what has to be said of it.
func (m *Model) Lines(row int, selected bool, width int) []string {
	s, f := m.styles.Pane, &m.content.Files[row]
	mark, look, quiet := "  ", s.Text, s.Muted
	if selected {
		mark, look, quiet = "❯ ", s.Selected, s.Selected
	}
	kind := "M "
	if f.Created() {
		kind = "A "
	}
	stat := "  " + diffview.Stat(f.Stat())
	room := max(1, width-4-ansi.StringWidth(stat))
	name := plain.Line(f.Name)
	if w := ansi.StringWidth(name); w > room { // the end of a path tells more than its beginning
		name = ansi.TruncateLeft(name, w-room+1, "…")
	}
	lines := []string{pane.Clip(look.Render(mark+kind+pane.Fit(name, room))+quiet.Render(stat), width)}
	if note := [...]string{DiskSame: "", DiskOther: "changed since", DiskGone: "gone", DiskUnreadable: "cannot be read"}[f.Disk]; note != "" {
		lines = append(lines, quiet.Render(pane.Fit("    "+note, width)))
	}
	return lines
}

// notes are what has to be said of a file.
func (f *File) notes() []string {
	var notes []string
	switch f.Disk {
	case DiskOther:
		notes = append(notes, "The file has changed since this conversation last wrote it.")
	case DiskGone:
		notes = append(notes, "The file is no longer there.")
	case DiskUnreadable:
		notes = append(notes, "The file on disk cannot be read, so it may differ from this diff.")
	}
	if n := f.Cut(); n > 0 {
		notes = append(notes, "The log has this diff only in part: "+numbers.Count(n, "line")+" of it were not recorded.")
	} else if len(f.Diffs) > 1 {
		notes = append(notes, "The text before the first edit is not known, so the edits follow each other.")
	}
	return notes
}

// lines are the keys, the diff of the file with the cursor, or what would be here.
func (m *Model) lines() []string {
	s, i := m.styles.Pane, m.list.Selected(m)
	switch {
	case m.helps:
		return s.KeyList(pane.Within(m.width), pane.BindingsIn(m.keys), pane.BindingsIn(m.keys.Moves))
	case i < 0 && !m.content.Loaded:
		return []string{"", s.Muted.Render("reading the files…")}
	case i < 0:
		text := "No file was changed in this conversation. Files that the model creates or edits are listed here, with what changed since the conversation first touched them."
		return append([]string{""}, pane.Each(s.Text, pane.Wrap(text, min(pane.Within(m.width), 100)))...)
	case m.drawn[i] != nil:
		return append([]string(nil), m.drawn[i]...)
	}
	width, f := m.diffWidth(), &m.content.Files[i]
	made := numbers.Count(f.Edits, "edit")
	if f.Created() {
		made = "new file · " + made
	}
	rows := []string{pane.Between(s.Title.Render(pane.Clip(plain.Line(f.Name), width)), s.Detail.Render(made+"  "+diffview.Stat(f.Stat())), width)}
	for _, note := range f.notes() {
		rows = append(rows, pane.Each(s.Warning, pane.Wrap(note, width))...)
	}
	rows = append(rows, "")
	for n, part := range f.Diffs {
		if n > 0 {
			rows = append(rows, "", s.Rule.Render(pane.Clip("── next edit ", width)), "")
		}
		drawn, _ := m.styles.Diff.Draw(part, width, diffview.Options{Context: -1, Fill: true})
		if len(drawn) == 0 {
			drawn = []string{s.Muted.Render(pane.Clip("Nothing is left of the changes: they were undone.", width))}
		}
		rows = append(rows, drawn...)
	}
	m.drawn[i] = rows
	return append([]string(nil), rows...)
}
