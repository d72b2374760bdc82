package overlay

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// field is a line to type in. It edits whole characters and knows the column
// of its cursor in cells, which the text input of charm.land/bubbles counts in
// code points: an input method would open beside the text.
type field struct {
	text string
	at   int // the cursor, an offset in bytes
}

// maxPaste bounds what a paste may add, in bytes.
const maxPaste = 4096

func (f *field) insert(text string) {
	text = plain.Line(text[:min(len(text), maxPaste)])
	f.text = f.text[:f.at] + text + f.text[f.at:]
	f.at += len(text)
}

// update edits the line. It reports whether the message was for it.
func (f *field) update(msg tea.Msg, keys Line) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.insert(strings.TrimSpace(msg.Content))
		return true
	case tea.KeyPressMsg:
		return f.press(msg, keys)
	}
	return false
}

func (f *field) press(k tea.KeyPressMsg, keys Line) bool {
	switch {
	case key.Matches(k, keys.Left):
		f.at = f.previous()
	case key.Matches(k, keys.Right):
		f.at = f.next()
	case key.Matches(k, keys.Start):
		f.at = 0
	case key.Matches(k, keys.End):
		f.at = len(f.text)
	case key.Matches(k, keys.Backspace):
		f.remove(f.previous(), f.at)
	case key.Matches(k, keys.Delete):
		f.remove(f.at, f.next())
	case key.Matches(k, keys.CutWord):
		f.remove(f.wordStart(), f.at)
	case key.Matches(k, keys.CutToStart):
		f.remove(0, f.at)
	case key.Matches(k, keys.CutToEnd):
		f.remove(f.at, len(f.text))
	case k.Text != "":
		f.insert(k.Text)
	default:
		return false
	}
	return true
}

func (f *field) remove(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.at = from
}

// next is the end of the character at the cursor.
func (f *field) next() int {
	cluster, _ := ansi.FirstGraphemeCluster(f.text[f.at:], ansi.GraphemeWidth)
	return f.at + len(cluster)
}

// previous is the start of the character before the cursor.
func (f *field) previous() int {
	start := 0
	for i := 0; i < f.at; {
		cluster, _ := ansi.FirstGraphemeCluster(f.text[i:], ansi.GraphemeWidth)
		start = i
		i += max(len(cluster), 1)
	}
	return start
}

func (f *field) wordStart() int {
	head := strings.TrimRightFunc(f.text[:f.at], unicode.IsSpace)
	i := strings.LastIndexFunc(head, unicode.IsSpace)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(head[i:])
	return i + n
}

// view is the line at a width and the column of the cursor in it: of a long
// line the part before the cursor.
func (f *field) view(width int) (string, int) {
	x := ansi.StringWidth(f.text[:f.at])
	if over := x - width + 1; over > 0 {
		shown := ansi.TruncateLeft(f.text[:f.at], over, "")
		return pane.Fit(shown, width), min(ansi.StringWidth(shown), width-1)
	}
	return pane.Fit(f.text, width), x
}
