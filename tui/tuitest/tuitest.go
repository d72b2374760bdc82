// Package tuitest has what tests of the screen and its parts share: keys by name, golden files, and checks for all views.
package tuitest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/themes"
)

// codes are the keys that type no character, and space.
var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, " ": tea.KeySpace, "f2": tea.KeyF2, "f5": tea.KeyF5, "f9": tea.KeyF9,
}

// Key returns the press of a key by its name in keymaps and configuration. It panics if no key has that name.
func Key(name string) (k tea.KeyPressMsg) {
	rest := name
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if before, after, ok := strings.Cut(rest, prefix); ok && after != "" {
			k.Mod |= mod
			rest = before + after
		}
	}
	code, named := codes[rest]
	switch letters := []rune(rest); {
	case named:
		k.Code = code
	case len(letters) == 1, len(letters) > 1 && letters[0] > unicode.MaxASCII: // a grapheme may be several runes
		k.Code = letters[0]
	default:
		panic("tuitest: no key " + name)
	}
	switch {
	case k.Mod != 0:
	case k.Code == tea.KeySpace:
		k.Text = " "
	case !named:
		k.Text = rest
	}
	return k
}

// Press sends keys to an update function, one after the other, and returns the action of the last.
func Press[A any](update func(tea.Msg) A, names ...string) (last A) {
	for _, name := range names {
		last = update(Key(name))
	}
	return last
}

// View is a full-screen view, with Cursor if it has a text field.
type View interface{ View() string }

// TB is the part of testing.TB that Fits needs; rapid.T has it, too.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Fits fails the test unless a view has exactly height lines of width cells, a cursor within them, and only text and colors.
func Fits(t TB, v View, width, height int) {
	t.Helper()
	view := v.View()
	lines := strings.Split(view, "\n")
	if len(lines) != height {
		t.Fatalf("%d lines in %dx%d:\n%s", len(lines), width, height, ansi.Strip(view))
	}
	for y, l := range lines {
		if n := ansi.StringWidth(l); n != width {
			t.Fatalf("line %d has %d cells in %dx%d: %q", y, n, width, height, l)
		}
		if Harmful(l) {
			t.Fatalf("something but text and colors in line %d: %q", y, l)
		}
	}
	if text, ok := v.(interface{ Cursor() *tea.Cursor }); ok {
		if c := text.Cursor(); c != nil && (c.X < 0 || c.X >= width || c.Y < 0 || c.Y >= height) {
			t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, width, height)
		}
	}
}

// Harmful reports whether a line has control characters other than those that color it, or changes the direction of writing.
func Harmful(line string) bool {
	for i := 0; i < len(line); {
		if n := coloring(line[i:]); n > 0 {
			i += n
			continue
		}
		c, n := utf8.DecodeRuneInString(line[i:])
		if c < 0x20 || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
			return true
		}
		i += n
	}
	return false
}

// coloring returns the length of the control sequence at the beginning of a text if it
// sets colors, otherwise 0.
func coloring(text string) int {
	rest, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return 0
	}
	if rest = strings.TrimLeft(rest, "0123456789;:"); strings.HasPrefix(rest, "m") {
		return len(text) - len(rest) + 1
	}
	return 0
}

// Golden compares what draw writes for each size of the screen with the golden file of that size.
func Golden(t *testing.T, sizes [][2]int, draw func(t *testing.T, b *strings.Builder, width, height int)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			draw(t, &b, size[0], size[1])
			golden.RequireEqual(t, b.String())
		})
	}
}

// Sizes are those of most golden files.
var Sizes = [][2]int{{40, 12}, {80, 24}}

// Trim returns a view without the spaces at the ends of its lines.
func Trim(view string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(view, "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// Fence returns a view without colors and with a bar at the end of each line, which shows trailing spaces.
func Fence(view string) string {
	return strings.ReplaceAll(ansi.Strip(view), "\n", "|\n") + "|\n"
}

// Styles returns the styles of a theme by its name.
func Styles(theme string) themes.Styles {
	t, ok := themes.ByName(theme)
	if !ok {
		panic("tuitest: no theme " + theme)
	}
	return themes.Build(t)
}
