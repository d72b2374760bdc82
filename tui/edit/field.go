package edit

import (
	"math"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// MaxInLine is the most that a paste may add to a text of one line, in bytes.
const MaxInLine = 4096

// Field is an editor with a size on the screen. It does not fold pastes.
type Field struct {
	// Safe sanitises typed and pasted text; nil does not.
	Safe func(string) string
	// MaxPaste is the most that a paste adds, in bytes; 0 means no limit.
	MaxPaste int

	editor        *Editor
	width, height int
	top           int  // the first visible row
	oneLine       bool // the text stays on one line and scrolls horizontally
	left          int  // the first visible cell of a text of one line
}

// NewField returns an empty field. See [Field.Safe] and [Field.MaxPaste].
func NewField(safe func(string) string, maxPaste int) *Field {
	return &Field{Safe: safe, MaxPaste: maxPaste, editor: NewEditor(NewBuffer(nil)), height: 1, width: 1}
}

// NewLine returns an empty field of one line, which scrolls horizontally: safe must remove line feeds. See [NewField].
func NewLine(safe func(string) string, maxPaste int) *Field {
	f := NewField(safe, maxPaste)
	f.oneLine = true
	f.SetSize(1, 1)
	return f
}

// Text returns the text.
func (f *Field) Text() string { return f.editor.raw() }

// SetText replaces the text and discards all undo steps. The cursor moves to its end or its start.
func (f *Field) SetText(text string, atEnd bool) {
	f.editor.Reset()
	f.editor.Insert(text)
	f.editor.Forget()
	f.top, f.left = 0, 0
	if !atEnd {
		f.editor.MoveTo(Position{})
	}
}

// SetSize sets the size of the field.
func (f *Field) SetSize(width, height int) {
	f.width, f.height = max(width, 1), max(height, 1)
	if f.oneLine {
		f.editor.SetWidth(math.MaxInt32)
		return
	}
	f.editor.SetWidth(f.width - 1) // one cell is for the cursor
}

// Rows is the number of rows of the text at its width.
func (f *Field) Rows() int { return f.editor.Height() }

// Update handles a message, and reports whether the field used it.
func (f *Field) Update(msg tea.Msg, keys Keys) bool {
	e := f.editor
	switch msg := msg.(type) {
	case tea.PasteMsg:
		text := msg.Content
		if f.MaxPaste > 0 {
			text = conversation.Beginning(text, f.MaxPaste)
		}
		e.Do(Other, func() { f.insert(text) })
		return true
	case tea.KeyPressMsg:
		if e.Recover(msg, keys) || e.SelectBy(msg, keys) || e.Move(msg, keys) || f.moveByRows(msg, keys) {
			return true
		}
		used := false
		e.Do(KindOf(msg, keys), func() { used = f.change(msg, keys) })
		return used
	}
	return false
}

// moveByRows handles the keys that move the cursor by rows. Beyond the first and last row it moves to the ends of the text.
func (f *Field) moveByRows(k tea.KeyPressMsg, keys Keys) bool {
	by, page := 0, max(f.height-1, 1)
	switch {
	case key.Matches(k, keys.Up):
		by = -1
	case key.Matches(k, keys.Down):
		by = 1
	case key.Matches(k, keys.PageUp):
		by = -page
	case key.Matches(k, keys.PageDown):
		by = page
	default:
		return false
	}
	f.editor.byRows(by)
	return true
}

func (f *Field) change(k tea.KeyPressMsg, keys Keys) bool {
	switch {
	case f.editor.Delete(k, keys):
	case key.Matches(k, keys.Newline):
		f.insert("\n")
	case k.Text != "":
		f.insert(k.Text)
	default:
		return false
	}
	return true
}

func (f *Field) insert(text string) {
	if f.Safe != nil {
		text = f.Safe(text)
	}
	if text != "" {
		f.editor.RemoveSelected()
	}
	f.editor.Insert(text)
}

// View returns the visible rows, at most height, none wider than width. The row with the cursor is visible.
func (f *Field) View() []string {
	if f.oneLine {
		return []string{f.scrolledLine()}
	}
	rows := f.Rows()
	y, _ := f.editor.Cursor()
	f.top = max(0, min(f.top, rows-f.height))
	f.top = max(min(f.top, y), y-f.height+1)
	var out []string
	skip := f.top
	for i := 0; i < f.editor.Lines() && len(out) < f.height; i++ {
		text := f.editor.Line(i)
		for _, r := range f.editor.Rows(i) {
			if skip > 0 {
				skip--
				continue
			}
			if len(out) < f.height {
				from, to := f.selected(i, r)
				out = append(out, f.row(text[r.Start:r.End], from, to))
			}
		}
	}
	return out
}

// row draws a row with the cells [from, to) in reverse video.
func (f *Field) row(text string, from, to int) string {
	shown := pane.Clip(strings.ReplaceAll(text, "\t", strings.Repeat(" ", tabWidth)), f.width)
	if from, to = max(from, 0), min(to, f.width); from >= to {
		return shown
	}
	const reverse, normal = "\x1b[7m", "\x1b[27m"
	shown += strings.Repeat(" ", max(0, to-ansi.StringWidth(shown)))
	return ansi.Cut(shown, 0, from) + reverse + ansi.Cut(shown, from, to) + normal + ansi.TruncateLeft(shown, to, "")
}

// scrolledLine returns the visible part of a text of one line, scrolled so that the cursor is in it.
func (f *Field) scrolledLine() string {
	line, room := f.editor.At().Line, f.width-1
	text := f.editor.Line(line)
	_, x := f.editor.Cursor()
	f.left = max(0, min(f.left, x, f.editor.columns(text)-room), x-room)
	start, cells := 0, 0
	for cells < f.left { // a wide character is not split
		n, w := f.editor.atom(text[start:])
		start, cells = start+n, cells+w
	}
	f.left = cells
	from, to := f.selected(line, Row{0, len(text)})
	return f.row(text[start:], from-f.left, to-f.left)
}

// Line is what [Field.View] shows of a text that stays on one line, in exactly width cells, and the column of the cursor in it.
func (f *Field) Line(width int) (string, int) {
	f.SetSize(width, 1)
	shown := f.View()[0]
	x, _ := f.Cursor()
	return pane.Fit(shown, width), x
}

// selected returns the selected cells of a row, with one more if the line end is selected.
func (f *Field) selected(line int, r Row) (from, to int) {
	text := f.editor.Line(line)
	start, stop, end := f.editor.SelectedIn(line, r)
	from, to = f.editor.columns(text[r.Start:start]), f.editor.columns(text[r.Start:stop])
	if end {
		to++
	}
	return from, to
}

// Cursor is the cell of the cursor in the view as it was drawn last.
func (f *Field) Cursor() (x, y int) {
	y, x = f.editor.Cursor()
	return min(x-f.left, f.width-1), max(0, min(y-f.top, f.height-1))
}

// Scrolled is the first visible row, as last drawn.
func (f *Field) Scrolled() int { return f.top }
