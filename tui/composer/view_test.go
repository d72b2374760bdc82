package composer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/tui/composer"
	"plimsoll/tui/tuitest"
)

func strip(s string) string { return ansi.Strip(s) }
func width(s string) int    { return ansi.StringWidth(s) }

func TestViews(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name string
		set  func(testing.TB, *composer.Model)
	}{
		{"empty", func(testing.TB, *composer.Model) {}},
		{"text", func(t testing.TB, m *composer.Model) {
			m.SetText("so fix it, and @upload/server.go too: 漢字と絵文字 👨‍👩‍👧‍👦 हिन्दी\n\tindented")
		}},
		{"paste", func(t testing.TB, m *composer.Model) {
			write(m, "look at ")
			paste(m, strings.Repeat("a line of text\n", 312))
			write(m, " please")
		}},
		{"commands", func(t testing.TB, m *composer.Model) { write(m, "/co"); press(t, m, "down") }},
		{"files", func(t testing.TB, m *composer.Model) { write(m, "and @") }},
		{"shell", func(t testing.TB, m *composer.Model) { write(m, "!go test ./...") }},
		{"search", func(t testing.TB, m *composer.Model) {
			m.SetHistory([]string{"why does upload fail", "write docs"})
			press(t, m, "ctrl+r")
			write(m, "upload")
		}},
		{"many lines", func(t testing.TB, m *composer.Model) { m.SetText(strings.Repeat("a line\n", 30) + "the last") }},
	}
	tuitest.Golden(t, [][2]int{{40, 12}, {80, 24}}, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, s := range scenes {
			m := newModel(t)
			m.SetSize(width, height)
			s.set(t, m)
			c := m.Cursor()
			fmt.Fprintf(b, "%s (cursor %d,%d)\n%s\n", s.name, c.X, c.Y, strip(m.View()))
		}
	})
}

// alphabet has characters that break layouts: wide, joined, combining, invisible.
var alphabet = []string{
	"a", "word ", " ", "\n", "\t", "漢", "かな", "한글", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "e\u0301", "\u0301", "\u200d", "क्षि", "हिन्दी", "ตัวอย่าง",
	"العربية", "\u202e", "\x1b[31m", "\x07", "ﷺ", "@re", "/", "—", "\U0010fffd", "\u200b",
	"\n\ufe0f", "\n\U0001f3fb", "\n\u0903", "\u0600", // characters that join their neighbours
}

func TestLinesFitAndTheCursorIsInside(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	keys := []string{"left", "right", "up", "down", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "alt+left", "alt+right", "alt+d", "tab", "esc", "ctrl+r", "enter"}
	for range 120 {
		m := newModel(t)
		m.SetHistory([]string{strings.Repeat("漢字 ", 40), "x"})
		for range 60 {
			switch rng.IntN(8) {
			case 0:
				m.SetSize(4+rng.IntN(90), 1+rng.IntN(50))
			case 1, 2:
				press(t, m, keys[rng.IntN(len(keys))])
			case 3:
				paste(m, strings.Repeat(alphabet[rng.IntN(len(alphabet))], rng.IntN(60)))
			case 4:
				if rng.IntN(10) == 0 {
					paste(m, strings.Repeat(alphabet[rng.IntN(len(alphabet))]+"\n", 130))
				}
			default:
				s := alphabet[rng.IntN(len(alphabet))]
				m.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: strings.ReplaceAll(s, "\n", " ")})
			}
			wantValidView(t, m)
		}
	}
}

func wantValidView(t *testing.T, m *composer.Model) {
	t.Helper()
	view := m.View()
	lines := strings.Split(view, "\n")
	want := width(lines[0])
	for _, line := range lines {
		if got := width(line); got != want {
			t.Fatalf("a line of %d cells among lines of %d:\n%q\n%s", got, want, line, strip(view))
		}
	}
	if len(lines) != m.Height() {
		t.Fatalf("%d lines, height %d", len(lines), m.Height())
	}
	c := m.Cursor()
	if c.X < 0 || c.X >= want || c.Y < 0 || c.Y >= len(lines) {
		t.Fatalf("cursor at %d,%d of\n%s", c.X, c.Y, strip(view))
	}
	if size := conversation.Measure(m.Draft()); size != m.DraftSize() {
		t.Fatalf("size %v, want %v for %q", m.DraftSize(), size, m.Draft())
	}
	if view != m.View() {
		t.Fatal("the same model gives two views")
	}
}

// Budget: 1 ms from a key to the view with a draft of 8 KB.
func BenchmarkKeyToView(b *testing.B) {
	for name, text := range map[string]string{
		"one line": strings.Repeat("lorem ipsum dolor ", 450), "100 lines": strings.Repeat(strings.Repeat("x", 80)+"\n", 99),
		"cjk": strings.Repeat("漢字", 1350), "short": "hello",
	} {
		b.Run(name, func(b *testing.B) {
			m := newModel(b)
			m.SetText(text)
			for b.Loop() {
				m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
				_ = m.View()
				m.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				_ = m.View()
			}
		})
	}
}

// Budget: 50 ms, which feels immediate.
func BenchmarkPasteOf5MB(b *testing.B) {
	text := strings.Repeat("a line of a large log, with some words\r\n", 131_072)
	for b.Loop() {
		m := newModel(b)
		paste(m, text)
		_ = m.View()
	}
}

// Budget: 8 ms for a letter of a mention, half a frame, with 10,000 files all
// of which match. One round is two letters.
func BenchmarkMentionAmong10000Files(b *testing.B) {
	var files []composer.File
	for i := range 10_000 {
		files = append(files, composer.File{Path: fmt.Sprintf("internal/pkg%d/module%d/file_%d.go", i%37, i%101, i), Tokens: i})
	}
	m := newModel(b)
	m.SetFiles(files)
	write(m, "@mod")
	for b.Loop() {
		write(m, "7")
		_ = m.View()
		press(b, m, "backspace")
	}
}
