// Package changes is the full-screen view of the files that a conversation changed: the list of files at the left and the diff
// of one at the right. On a narrow screen it shows either of them.
//
// The view reads no files: its content has the diffs from the log, and how each file on disk compares with them. Names and
// texts come from models and files; control characters in them are made visible.
package changes

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// Disk is how a file on disk compares with the last version that the conversation wrote.
type Disk int

// The results of the comparison.
const (
	DiskSame       Disk = iota
	DiskOther           // the file was changed since
	DiskGone            // the file does not exist
	DiskUnreadable      // the file cannot be read
)

// File is a file that the conversation changed.
type File struct {
	diff.ChangedFile
	Disk Disk
}

// Content is the content of the view.
type Content struct {
	Title  string // of the conversation
	Files  []File
	Loaded bool // false while Files are being computed
}

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

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
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

// Model is the view. Only the goroutine of the screen may use it.
type Model struct {
	styles themes.Styles
	keys   *KeyMap

	content Content
	list    pane.ListDetail
	reading bool             // the keys that move scroll the diff
	drawn   map[int][]string // diffs at this width, by file
}

// New returns a view without files.
func New(keys *KeyMap) *Model { return &Model{keys: keys, drawn: map[int][]string{}} }

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) {
	m.drawn = map[int][]string{}
	m.list.SetSize(width, height)
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s themes.Styles) { m.styles, m.drawn = s, map[int][]string{} }

// Show replaces the content. The cursor and the place in the diff stay if the file is still listed.
func (m *Model) Show(c Content) {
	name := ""
	if f := m.file(); f != nil {
		name = f.Name
	}
	m.content, m.drawn = c, map[int][]string{}
	if i := slices.IndexFunc(c.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		m.list.Fit(m.paneContent())
		m.list.Select(m, i)
		return
	}
	m.list.ToTop(m)
	m.list.Page.Top = 0
	m.reading = m.reading && len(c.Files) > 0
}

// file returns the file with the cursor, nil if there is none.
func (m *Model) file() *File {
	if i := m.list.Selected(m); i >= 0 {
		return &m.content.Files[i]
	}
	return nil
}

// isWide reports whether list and diff have room side by side.
func (m *Model) isWide() bool { return pane.AsideWidth(m.list.Width, true) > 0 }

// View draws the view in exactly its lines and cells.
func (m *Model) View() string { return m.list.View(pane.StylesOf(m.styles), m.paneContent()) }

// paneContent is the list with the diff at its right. Where there is no room for both, it is one of them.
func (m *Model) paneContent() pane.Content {
	k := m.keys
	keys := pane.ListDetailKeys{Moves: k.Moves, Help: k.Help, Close: k.Close, Listed: []any{k, k.Moves}}
	v := pane.Content{Frame: m.frame(), Keys: keys, Rows: m, Reading: m.reading, Wide: true}
	switch {
	case m.file() == nil:
		v.Body = m.placeholder()
	case m.isWide():
		v.Aside = m.diff()
	case m.reading:
		v.Body = m.diff()
	}
	return v
}

// Update handles a message and returns what the parent has to do. Another file is read from its beginning.
func (m *Model) Update(msg tea.Msg) pane.Action {
	before := m.list.Selected(m)
	action := m.list.Update(msg, m.paneContent, m.commands())
	if m.list.Selected(m) != before {
		m.list.Page.Top = 0
	}
	return action
}

func (m *Model) commands() []pane.Command {
	k := m.keys
	return []pane.Command{
		{On: k.Close, Do: m.leave},
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

// leave goes back from the diff to the list, and from the list out of the view.
func (m *Model) leave() pane.Action {
	if !m.reading {
		return pane.Closed{}
	}
	m.reading = false
	return nil
}

// step moves the cursor to the next file, or the one before.
func (m *Model) step(by int) pane.Action {
	if to := m.list.Selected(m) + by; to >= 0 && to < len(m.content.Files) {
		m.list.Select(m, to)
	}
	return nil
}

func (m *Model) copy() pane.Action {
	f := m.file()
	switch {
	case f == nil:
		return pane.Snackbar{Text: "nothing to copy", Failure: true}
	case f.Patch() == "":
		return pane.Snackbar{Text: "nothing to copy: all changes to this file were undone", Failure: true}
	}
	return pane.Copy{Text: f.Patch(), What: "the diff of " + plain.Line(f.Name)}
}

// frame is the title with the totals, and the keys.
func (m *Model) frame() pane.Frame {
	k, n := m.keys, len(m.content.Files)
	f := pane.Frame{Title: "Diff"}
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
	case n == 0:
		f.Hints = []string{pane.Hint("close", k.Close)}
	case m.reading:
		f.Hints = []string{files, pane.Hint("copy", k.Copy), pane.Hint("back", k.Close), help}
	default:
		f.Hints = []string{pane.Hint("read", k.Open), pane.Hint("copy", k.Copy), pane.Hint("close", k.Close), help, files,
			pane.Hint("go there", k.Jump)}
		f.Where = strconv.Itoa(m.list.Selected(m)+1) + "/" + strconv.Itoa(n)
	}
	return f
}

// Len returns the number of files.
func (m *Model) Len() int { return len(m.content.Files) }

// Lines draws the row of a file. A second line says if the file on disk is different.
func (m *Model) Lines(row int, selected bool, width int) []string {
	s, f := m.styles, &m.content.Files[row]
	mark, text, muted := "  ", s.Text, s.Muted
	if selected {
		mark, text, muted = "❯ ", s.Selected, s.Selected
	}
	kind := "M "
	if f.Created() {
		kind = "A "
	}
	stat := "  " + diffview.Stat(f.Stat())
	room := max(1, width-4-ansi.StringWidth(stat))
	name := pane.ClipLeft(plain.Line(f.Name), room)
	lines := []string{pane.Clip(text.Render(mark+kind+pane.Fit(name, room))+muted.Render(stat), width)}
	notes := [...]string{DiskSame: "", DiskOther: "changed since", DiskGone: "gone", DiskUnreadable: "cannot be read"}
	if f.Disk != DiskSame {
		lines = append(lines, muted.Render(pane.Fit("    "+notes[f.Disk], width)))
	}
	return lines
}

// notes are warnings above the diff of a file.
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

// placeholder is the text in place of the list while it is empty.
func (m *Model) placeholder() []string {
	s, text := m.styles.Text, "No file was changed in this conversation. Files that the model creates or edits are listed here, "+
		"with what changed since the conversation first touched them."
	if !m.content.Loaded {
		s, text = m.styles.Muted, "reading the files…"
	}
	lines := pane.Each(s, pane.Wrap(text, min(pane.Within(m.list.Width), 100)))
	return append([]string{""}, pane.Inset(lines, m.list.Width)...)
}

// diff draws the diff of the file with the cursor, as wide as its place.
func (m *Model) diff() []string {
	s, i := m.styles, m.list.Selected(m)
	if m.drawn[i] != nil {
		return m.drawn[i]
	}
	f, width := &m.content.Files[i], pane.AsideWidth(m.list.Width, true)
	if !m.isWide() {
		width = pane.Within(m.list.Width)
	}
	edits := ""
	if f.Edits > 0 { // none where a plan is shown
		edits = numbers.Count(f.Edits, "edit")
	}
	if f.Created() {
		edits = strings.TrimSuffix("new file · "+edits, " · ")
	}
	stat := s.Muted.Render(edits + "  " + diffview.Stat(f.Stat()))
	rows := []string{pane.Between(s.Title.Render(pane.Clip(plain.Line(f.Name), width)), stat, width)}
	for _, note := range f.notes() {
		rows = append(rows, pane.Each(s.Warning, pane.Wrap(note, width))...)
	}
	rows = append(rows, "")
	for n, part := range f.Diffs {
		if n > 0 {
			rows = append(rows, "", s.Rule.Render(pane.Clip("── next edit ", width)), "")
		}
		drawn, _ := diffview.Styles(m.styles.Diff).Draw(part, width, diffview.Options{Context: -1, Fill: true})
		if len(drawn) == 0 {
			drawn = []string{s.Muted.Render(pane.Clip("Nothing is left of the changes: they were undone.", width))}
		}
		rows = append(rows, drawn...)
	}
	if !m.isWide() {
		rows = pane.Inset(rows, m.list.Width)
	}
	m.drawn[i] = rows
	return rows
}
