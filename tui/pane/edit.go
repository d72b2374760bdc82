package pane

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Edit is a text that is being edited. Rules:
//
//   - the cursor moves over whole characters, and whole ones are deleted
//   - rows end at words where possible and keep a cell for the cursor, so that it
//     always has one
//   - the text is what was typed: tabs stay tabs
//
// The text input of charm.land/bubbles counts its cursor in code points: an input method would open beside the text.
type Edit struct {
	// Safe makes safe what is typed and pasted; nil leaves it as it is.
	Safe func(string) string
	// Most bounds what a paste adds, in bytes; 0 lets all of it in.
	Most int

	text          string
	at            int // the cursor, an offset between two characters
	goal          int // the column that moving up and down keeps, -1 for none
	width, height int
	top           int     // the first row in sight
	rows          []piece // nil: the text has to be laid out
}

// MostInLine is what a paste may add to a text that stays on one line, in bytes.
const MostInLine = 4096

// EditKeys are the keys of a text that is being edited. Without Newline it stays on
// one line.
type EditKeys struct {
	Left, Right, Up, Down         key.Binding
	WordLeft, WordRight           key.Binding
	LineStart, LineEnd            key.Binding // of the row
	TextStart, TextEnd            key.Binding
	PageUp, PageDown              key.Binding
	Backspace, Delete             key.Binding
	CutWord, CutToStart, CutToEnd key.Binding
	Newline                       key.Binding
}

// DefaultEditKeys are those of the composer.
func DefaultEditKeys() EditKeys {
	bind := func(help, what string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, what))
	}
	return EditKeys{
		Left:       bind("←", "left", "left", "ctrl+b"),
		Right:      bind("→", "right", "right", "ctrl+f"),
		Up:         bind("↑", "up", "up"),
		Down:       bind("↓", "down", "down"),
		WordLeft:   bind("alt+←", "word left", "alt+left", "ctrl+left", "alt+b"),
		WordRight:  bind("alt+→", "word right", "alt+right", "ctrl+right", "alt+f"),
		LineStart:  bind("ctrl+a", "start of the line", "home", "ctrl+a"),
		LineEnd:    bind("ctrl+e", "end of the line", "end", "ctrl+e"),
		TextStart:  bind("ctrl+home", "start of the text", "ctrl+home", "alt+<"),
		TextEnd:    bind("ctrl+end", "end of the text", "ctrl+end", "alt+>"),
		PageUp:     bind("pgup", "a page up", "pgup"),
		PageDown:   bind("pgdn", "a page down", "pgdown"),
		Backspace:  bind("backspace", "delete left", "backspace", "shift+backspace", "ctrl+h"),
		Delete:     bind("del", "delete right", "delete"),
		CutWord:    bind("ctrl+w", "delete the word left", "ctrl+w", "alt+backspace", "ctrl+backspace"),
		CutToStart: bind("ctrl+u", "delete to the start of the line", "ctrl+u"),
		CutToEnd:   bind("ctrl+k", "delete to the end of the line", "ctrl+k"),
		Newline:    bind("enter", "a new line", "enter", "ctrl+j", "shift+enter", "alt+enter"),
	}
}

// Text is the text as it is by now.
func (e *Edit) Text() string { return e.text }

// SetText replaces the text. The cursor goes to its end, or to its start.
func (e *Edit) SetText(text string, atEnd bool) {
	e.text, e.at, e.top, e.goal, e.rows = text, 0, 0, -1, nil
	if atEnd {
		e.at = len(text)
	}
}

// SetSize gives the text its place.
func (e *Edit) SetSize(width, height int) {
	width = max(width, 1)
	if width != e.width {
		e.width, e.rows = width, nil
	}
	e.height = max(height, 1)
}

// Rows is how many rows the text takes at its width.
func (e *Edit) Rows() int { return len(e.lay()) }

// Update edits the text, and reports whether the message was for it.
func (e *Edit) Update(msg tea.Msg, keys EditKeys) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		e.insert(e.bounded(msg.Content))
		return true
	case tea.KeyPressMsg:
		return e.move(msg, keys) || e.change(msg, keys)
	}
	return false
}

// bounded is the beginning of a paste, as much of it as is let in.
func (e *Edit) bounded(text string) string {
	if e.Most <= 0 || len(text) <= e.Most {
		return text
	}
	n := e.Most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// move carries out the keys that move the cursor.
func (e *Edit) move(k tea.KeyPressMsg, keys EditKeys) bool {
	goal := e.goal
	e.goal = -1
	row := e.row()
	switch {
	case key.Matches(k, keys.Left):
		e.at = e.previous()
	case key.Matches(k, keys.Right):
		e.at = e.next()
	case key.Matches(k, keys.Up):
		e.vertical(-1, goal)
	case key.Matches(k, keys.Down):
		e.vertical(1, goal)
	case key.Matches(k, keys.PageUp):
		e.vertical(-max(e.height-1, 1), goal)
	case key.Matches(k, keys.PageDown):
		e.vertical(max(e.height-1, 1), goal)
	case key.Matches(k, keys.WordLeft):
		e.at = e.wordStart()
	case key.Matches(k, keys.WordRight):
		e.at = e.wordEnd()
	case key.Matches(k, keys.LineStart):
		e.at = e.lay()[row].start
	case key.Matches(k, keys.LineEnd):
		e.at = e.endOf(row)
	case key.Matches(k, keys.TextStart):
		e.at = 0
	case key.Matches(k, keys.TextEnd):
		e.at = len(e.text)
	default:
		return false
	}
	return true
}

// change carries out the keys that change the text.
func (e *Edit) change(k tea.KeyPressMsg, keys EditKeys) bool {
	row := e.row()
	switch {
	case key.Matches(k, keys.Backspace):
		e.remove(e.previous(), e.at)
	case key.Matches(k, keys.Delete):
		e.remove(e.at, e.next())
	case key.Matches(k, keys.CutWord):
		e.remove(e.wordStart(), e.at)
	case key.Matches(k, keys.CutToStart):
		e.remove(e.lay()[row].start, e.at)
	case key.Matches(k, keys.CutToEnd):
		e.remove(e.at, e.lay()[row].end)
	case key.Matches(k, keys.Newline):
		e.insert("\n")
	case k.Text != "":
		e.insert(k.Text)
	default:
		return false
	}
	return true
}

func (e *Edit) insert(text string) {
	if e.Safe != nil {
		text = e.Safe(text)
	}
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.settle(e.at + len(text))
}

func (e *Edit) remove(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.settle(from)
}

// settle puts the cursor at an offset of a text that has changed: behind the
// character that is there by now, where two have become one.
func (e *Edit) settle(at int) {
	e.rows, e.goal = nil, -1
	i := e.line(at)
	for i < at {
		n, _ := atom(e.text[i:])
		i += n
	}
	e.at = i
}

// line is where the line begins that an offset is in.
func (e *Edit) line(at int) int { return strings.LastIndexByte(e.text[:at], '\n') + 1 }

// next is the end of the character at the cursor.
func (e *Edit) next() int {
	if e.at == len(e.text) {
		return e.at
	}
	n, _ := atom(e.text[e.at:])
	return e.at + n
}

// previous is the start of the character before the cursor.
func (e *Edit) previous() int {
	start := e.line(e.at)
	if start == e.at {
		return max(start-1, 0)
	}
	for i := start; i < e.at; {
		n, _ := atom(e.text[i:])
		start = i
		i += n
	}
	return start
}

func (e *Edit) wordStart() int {
	head := strings.TrimRightFunc(e.text[:e.at], unicode.IsSpace)
	i := strings.LastIndexFunc(head, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(head[i:])
	return i + n
}

func (e *Edit) wordEnd() int {
	tail := strings.TrimLeftFunc(e.text[e.at:], unicode.IsSpace)
	i := strings.IndexFunc(tail, unicode.IsSpace)
	if i < 0 {
		return len(e.text)
	}
	return len(e.text) - len(tail) + i
}
