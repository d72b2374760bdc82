package composer

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/edit"
)

// vim is the state of vi's keys: in insert mode they write, in normal mode they move and change. Keys without a character,
// such as Enter, do in both modes what they do without vi's keys.
type vim struct {
	on, normal bool
	typed      string // the command that was begun, such as 2d
}

// A command is a count, an operator with another count, and what it does.
var viCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(\D*|0|r\d)$`)
})

// Keys that are short for others.
var viShort = map[string]string{"x": "dl", "X": "dh", "D": "d$", "C": "c$", "s": "cl", "S": "cc", "Y": "yy"}

// SetVim turns vi's keys on or off. A draft begins in insert mode.
func (m *Model) SetVim(on bool) { m.vim = vim{on: on}; m.changed() }

// leavesInsert reports whether a key ends insert mode, or a command that was begun. On an empty draft, and in normal mode,
// the key does what it does in the chat.
func (m *Model) leavesInsert(k tea.KeyPressMsg) bool {
	return m.vim.on && !m.search.on && !m.list.open() && key.Matches(k, m.keys.Writing.Leave) &&
		(!m.vim.normal && !m.text.Empty() || m.vim.typed != "")
}

// vimLabel names the mode and the command that was begun.
func (m *Model) vimLabel() string {
	switch {
	case !m.vim.on:
		return ""
	case m.vim.normal:
		return strings.TrimRight(" normal "+m.vim.typed, " ") + " "
	}
	return " insert "
}

// vimRecover undoes or redoes in normal mode.
func (m *Model) vimRecover(k tea.KeyPressMsg) bool {
	again := m.text.Undo
	if k.String() == "ctrl+r" {
		again = m.text.Redo
	}
	if !m.vim.normal || strings.Trim(m.vim.typed, "0123456789") != "" || k.Text != "u" && k.String() != "ctrl+r" {
		return false
	}
	for range viCount(m.vim.typed) {
		again()
	}
	m.vim.typed = ""
	return true
}

// vimKey handles a key of vi; false leaves it to the composer's other keys.
func (m *Model) vimKey(k tea.KeyPressMsg) bool {
	v, c := &m.vim, k.Text
	switch {
	case m.leavesInsert(k):
		if !v.normal {
			m.text.MoveTo(m.text.LeftOf(m.text.At()))
		}
		*v = vim{on: true, normal: true}
	case !v.normal:
		return false
	case m.text.Empty() && v.typed == "" && strings.Contains("/@!?", c) && c != "": // begin a command, a mention, a shell line, help
		v.normal = c == "?"
		return false
	case key.Matches(k, m.editing.Backspace) && strings.HasSuffix(v.typed, "r"):
		v.typed = ""
	case key.Matches(k, m.editing.Backspace):
		c = "h"
		fallthrough
	case c != "":
		v.typed += c
		m.command()
	default:
		v.typed = ""
		return false
	}
	return true
}

// viCount is the count of a command, which is 1 without one.
func viCount(digits string) int {
	n, _ := strconv.Atoi(digits)
	return min(max(n, 1), 9999)
}

// onCharacter moves the cursor of normal mode from a line's end onto its last character.
func (m *Model) onCharacter() {
	_, _, selected := m.text.Selected()
	if at := m.text.At(); m.vim.normal && m.vim.typed == "" && !selected && at.Col > 0 && at.Col == len(m.text.Current()) {
		m.text.MoveTo(m.text.Left())
	}
}

// command runs the command that was typed, or waits for the rest of it.
func (m *Model) command() {
	parts := viCommand().FindStringSubmatch(m.vim.typed)
	if parts == nil {
		m.vim.typed = ""
		return
	}
	operator, c, count := parts[2], parts[4], min(viCount(parts[1])*viCount(parts[3]), 9999)
	if c == "" || c == "g" || c == "r" && operator == "" {
		return
	}
	m.vim.typed = ""
	if long := viShort[c]; long != "" && operator == "" {
		operator, c = long[:1], long[1:]
	}
	if operator == "" && m.write(c, count) {
		return
	}
	at := m.text.At()
	blank := m.atom(at) == 0 || unicode.IsSpace(rune(m.text.Current()[at.Col]))
	if operator == "c" && !blank && (c == "w" || c == "W") {
		c = map[string]string{"w": "ce", "W": "cE"}[c] // as in vi, the blanks after a word stay
	}
	to, lines, ok := m.motion(c, count, parts[1]+parts[3] != "")
	switch {
	case c != "" && c == operator:
		m.operate(c, at, edit.Position{Line: min(at.Line+count-1, m.text.Lines()-1)}, true)
	case !ok:
	case operator == "":
		m.text.MoveTo(to)
	case strings.HasSuffix(strings.ToLower(c), "e"):
		m.operate(operator, at, edit.Position{Line: to.Line, Col: to.Col + m.atom(to)}, false)
	case strings.Contains("wW", c) && to.Line > at.Line: // not the end of the line
		m.operate(operator, at, edit.Position{Line: at.Line, Col: len(m.text.Current())}, false)
	default:
		m.operate(operator, at, to, lines)
	}
}

// write runs a command without operator that is no motion.
func (m *Model) write(c string, count int) bool {
	t := m.text
	at, end := t.At(), len(t.Current())
	insert := func(col int) { t.MoveTo(edit.Position{Line: at.Line, Col: col}); m.vim.normal = false }
	switch c {
	case "i":
		insert(at.Col)
	case "I":
		insert(t.FirstLetter(at.Line).Col)
	case "a":
		insert(at.Col + m.atom(at))
	case "A":
		insert(end)
	case "o":
		insert(end)
		t.Insert("\n")
	case "O":
		insert(0)
		t.Insert("\n")
		insert(0)
	case "p", "P":
		for range count {
			t.Put(c == "p")
		}
	case "j", "k":
		for range count {
			m.vertical(strings.Index("k j", c) - 1)
		}
	case "~":
		m.overwrite(count, "")
	default:
		if !strings.HasPrefix(c, "r") {
			return false
		}
		m.overwrite(count, edit.Clean(c[1:]))
		t.MoveTo(t.LeftOf(t.At()))
	}
	return true
}

// motion returns where a motion goes, and whether it is about whole lines.
func (m *Model) motion(c string, count int, counted bool) (to edit.Position, lines, ok bool) {
	t := m.text
	to = t.At()
	line, last := to.Line, t.Lines()-1
	switch c {
	case "0":
		return edit.Position{Line: line}, false, true
	case "^":
		return t.FirstLetter(line), false, true
	case "$":
		return edit.Position{Line: line, Col: len(t.Current())}, false, true
	case "j":
		return edit.Position{Line: min(line+count, last)}, true, true
	case "k":
		return edit.Position{Line: max(line-count, 0)}, true, true
	case "G":
		if !counted {
			count = last + 1
		}
		fallthrough
	case "gg":
		return t.FirstLetter(min(count-1, last)), true, true
	}
	big := c != strings.ToLower(c)
	if strings.ToLower(c) == "ce" { // the first end may be here
		to, c, count = t.EndOfWord(to, big), c[1:], count-1
	}
	next := map[string]func() edit.Position{
		"h": func() edit.Position { return t.LeftOf(to) },
		"l": func() edit.Position { return edit.Position{Line: line, Col: to.Col + m.atom(to)} },
		"w": func() edit.Position { return t.NextWord(to, big) },
		"b": func() edit.Position { return t.WordBefore(to, big) },
		"e": func() edit.Position { return t.WordEnd(to, big) },
	}[strings.ToLower(strings.ReplaceAll(c, " ", "l"))]
	for i := 0; next != nil && i < count; i++ {
		to = next()
	}
	return to, false, next != nil
}

// operate deletes, changes or copies what lies between two places, or their lines.
func (m *Model) operate(operator string, from, to edit.Position, lines bool) {
	t, at := m.text, m.text.At()
	if to.Before(from) {
		from, to = to, from
	}
	t.Take(from, to, lines, operator != "y" && !(lines && operator == "c"))
	switch {
	case operator == "c" && lines: // an empty line stays
		t.Remove(edit.Position{Line: from.Line}, edit.Position{Line: to.Line, Col: len(t.Line(to.Line))})
	case operator == "d" && lines:
		t.MoveTo(t.FirstLetter(min(from.Line, t.Lines()-1)))
	case operator == "y" && from.Before(at):
		t.MoveTo(from)
	}
	m.vim.normal = operator != "c"
}

// overwrite puts a character, or those there in the other case, in place of count from the cursor on, of no folded paste and
// not beyond the line.
func (m *Model) overwrite(count int, by string) {
	for range count {
		at := m.text.At()
		old := m.text.Current()[at.Col : at.Col+m.atom(at)]
		if old == "" || m.text.IsChip(at) {
			return
		}
		fresh := by
		if fresh == "" {
			if fresh = strings.ToUpper(old); fresh == old {
				fresh = strings.ToLower(old)
			}
		}
		m.text.Remove(at, edit.Position{Line: at.Line, Col: at.Col + len(old)})
		m.text.Insert(fresh)
	}
}

// atom is the length of the character at a place, 0 at the end of the line.
func (m *Model) atom(p edit.Position) int {
	s := m.text.Line(p.Line)[p.Col:]
	if s == "" {
		return 0
	}
	n, _, _ := m.text.Atom(s)
	return n
}
