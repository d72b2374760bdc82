package edit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/edit"
	"plimsoll/tui/tuitest"
)

func editing(text string, width, height int) *edit.Field {
	e := edit.NewField(nil, 0)
	e.SetSize(width, height)
	e.SetText(text, false)
	return e
}

func TestAPasteIsCutAtItsBound(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{0: "ab漢字", 100: "ab漢字", 8: "ab漢字", 7: "ab漢", 3: "ab", 1: "a"} {
		e := editing("", 20, 1)
		e.MaxPaste = most
		e.Update(tea.PasteMsg{Content: "ab漢字"}, edit.DefaultKeys())
		if got := e.Text(); got != want {
			t.Errorf("at most %d bytes: %q, want %q", most, got, want)
		}
	}
}

func TestEditingATextByKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, keys, want string }{
		{"one two", "x", "xone two"},
		{"one two", "end x", "one twox"},
		{"one two", "ctrl+right x", "onex two"},
		{"one two", "end ctrl+left x", "one xtwo"},
		{"one two", "end ctrl+w", "one "},
		{"one two", "right ctrl+k", "o"},
		{"one two", "end left ctrl+u", "o"},
		{"one two", "end ctrl+w ctrl+y ctrl+y", "one twotwo"},
		{"one two", "end ctrl+w ctrl+_", "one two"},
		{"one two", "end ctrl+w x ctrl+_ ctrl+_ alt+r", "one "},
		{"one\ntwo", "down alt+d ctrl+_ x", "one\nxtwo"},
		{"one\ntwo", "down x", "one\nxtwo"},
		{"one\ntwo", "right right down x up y", "oney\ntwxo"},
		{"one\ntwo", "end delete", "onetwo"},
		{"one\ntwo", "down home backspace", "onetwo"},
		{"one\ntwo", "ctrl+end enter x", "one\ntwo\nx"},
		{"long line\n\nlong line", "end down down x", "long line\n\nlong linex"},
		{"a\tb", "right right backspace x", "axb"},
		{"👨‍👩‍👧‍👦漢é", "right backspace delete", "é"},
		{"👨‍👩‍👧‍👦漢é", "end backspace", "👨‍👩‍👧‍👦漢"},
		{"", "backspace delete left right up down ctrl+w x", "x"},
	} {
		e := editing(c.text, 40, 10)
		for name := range strings.FieldsSeq(c.keys) {
			if !e.Update(tuitest.Key(name), edit.DefaultKeys()) {
				t.Errorf("%q: %s was not for the text", c.text, name)
			}
		}
		if got := e.Text(); got != c.want {
			t.Errorf("%q and %s give %q, not %q", c.text, c.keys, got, c.want)
		}
	}
	if editing("x", 9, 9).Update(tuitest.Key("ctrl+g"), edit.DefaultKeys()) {
		t.Error("a key that means nothing here was taken")
	}
}

func TestALineIsScrolledToItsCursor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, keys, want string
		x                int
	}{
		{"one two", "end", "one two ", 7},
		{"one two three", "end", "o three ", 7},
		{"one two three", "end left", "o three ", 6},
		{"one two three", "end home", "one two…", 0},
		{"one two three", "end home end backspace", "wo thre ", 7},
		{"one two three", "end ctrl+left ctrl+left", "two thr…", 0},
		{"one two three ", "end", " three  ", 7},
		{"漢字漢字漢字", "end", "字漢字  ", 6},
		{"a\tbcdef", "end", "bcdef   ", 5},
	} {
		e := edit.NewLine(nil, 0)
		e.SetText(c.text, false)
		for name := range strings.FieldsSeq(c.keys) {
			e.Update(tuitest.Key(name), edit.DefaultKeys())
			e.Line(8)
		}
		if got, x := e.Line(8); got != c.want || x != c.x {
			t.Errorf("%q and %s show %q with the cursor at %d, not %q and %d", c.text, c.keys, got, x, c.want, c.x)
		}
	}
}

// After any edits the view shows the text, in rows that fit, with the cursor at the cell where typing inserts.
func TestEditingKeepsTextAndCursorVisible(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	names := []string{"left", "right", "up", "down", "home", "end", "pgup", "pgdown", "backspace", "delete", "enter", "ctrl+w", "ctrl+u", "ctrl+k",
		"ctrl+left", "ctrl+right", "ctrl+home", "ctrl+end"}
	pieces := []string{"a", "bc ", " ", "\t", "\n", "漢", "👨‍👩‍👧‍👦", "\u0301", "\u200d", "🇩", "क्षि", "❤️"}
	for range 400 {
		width, height := 5+rng.IntN(14), 1+rng.IntN(5)
		e := editing("", width, height)
		var done []string
		for range 60 {
			if rng.IntN(2) == 0 {
				name := names[rng.IntN(len(names))]
				done = append(done, name)
				e.Update(tuitest.Key(name), edit.DefaultKeys())
			} else {
				text := pieces[rng.IntN(len(pieces))]
				done = append(done, fmt.Sprintf("%q", text))
				e.Update(tea.PasteMsg{Content: text}, edit.DefaultKeys())
			}
			checkEdit(t, e, width, height, done)
		}
	}
}

func checkEdit(t *testing.T, e *edit.Field, width, height int, done []string) {
	t.Helper()
	if !utf8.ValidString(e.Text()) {
		t.Fatalf("%v: a character was cut apart: %q", done, e.Text())
	}
	view := e.View()
	if len(view) != min(height, e.Rows()) {
		t.Fatalf("%v: %d rows in sight of %d", done, len(view), e.Rows())
	}
	for _, l := range view {
		if ansi.StringWidth(l) > width {
			t.Fatalf("%v: a row has %d cells: %q", done, ansi.StringWidth(l), l)
		}
	}
	if x, y := e.Cursor(); x < 0 || x >= width || y < 0 || y >= len(view) {
		t.Fatalf("%v: the cursor is at %d,%d of %q", done, x, y, view)
	}
	whole := strings.Join(editing(e.Text(), width, e.Rows()).View(), "")
	if want := strings.NewReplacer("\n", "", "\t", "    ").Replace(e.Text()); whole != want {
		t.Fatalf("%v: the rows are %q, the text %q", done, whole, want)
	}
}
