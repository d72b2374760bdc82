package search_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plimsoll/conversation/find"
	"plimsoll/tui/search"
	"plimsoll/tui/tuitest"
)

func TestViews(t *testing.T) {
	t.Parallel()
	more, damaged := found(), found()
	more.More = true
	damaged.Unread, damaged.Damaged = 2, 3
	scenes := []struct {
		name    string
		content search.Content
		keys    string
	}{
		{"empty", search.Content{Now: now}, ""},
		{"typing", search.Content{Now: now}, "端 口 p"},
		{"hits", found(), "down"},
		{"scrolled", more, "ctrl+end"},
		{"another query", found(), "s"},
		{"nothing", search.Content{Found: search.Found{Query: "port", Conversations: 1}, Now: now}, ""},
		{"not all was read", damaged, "ctrl+end"},
		{"nothing in what was read", search.Content{Found: search.Found{Query: "port", Conversations: 41, Damaged: 1}, Now: now}, ""},
		{"a failure", search.Content{Found: search.Found{Query: "port"}, Now: now,
			Err: "the data directory /home/user/.local/share/plimsoll may not be read: check its owner and permissions"}, ""},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, scene := range scenes {
			m := shown(scene.content, width, height)
			press(m, scene.keys)
			c := m.Cursor()
			fmt.Fprintf(b, "%s (cursor %d,%d):\n", scene.name, c.X, c.Y)
			b.WriteString(tuitest.Trim(m.View()))
		}
	})
}

var noises = []string{"port", "a", "word ", " ", "\n", "\t", "漢", "한글", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "e\u0301", "\u0301", "\u200d", "हिन्दी", "العربية",
	"\u202e", "\x1b[31m", "\x1b]0;title\x07", "\x9b1m", "ﷺ", "\xff", "\u200b", "\r\n", "\u0600", "\ufeff", "PORT"}

func noise(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString(noises[rng.IntN(len(noises))])
	}
	return b.String()
}

func noisy(rng *rand.Rand) search.Content {
	c := found()
	c.Unread, c.Damaged = rng.IntN(3)*rng.IntN(40), rng.IntN(3)*rng.IntN(4000)
	for range rng.IntN(30) {
		text := noise(rng, 40)
		start := rng.IntN(len(text) + 1)
		c.Hits = append(c.Hits, find.Hit{Conversation: fmt.Sprint(rng.IntN(3)), Title: noise(rng, 8), Turn: rng.IntN(400), Who: noise(rng, 6),
			Excerpt: text, At: find.Span{Start: start, End: start + rng.IntN(9) - 2}, Stored: rng.IntN(2) == 0})
	}
	return c
}

func TestAViewHasItsLinesAndCells(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 8))
	keys := strings.Fields("down up pgdown pgup ctrl+end ctrl+home 漢 👍🏽 x backspace space left home end ctrl+u enter s")
	for width := 20; width <= 200; width += 1 + rng.IntN(19) {
		for height := 6; height <= 60; height += 1 + rng.IntN(13) {
			m := shown(noisy(rng), width, height)
			if rng.IntN(3) == 0 {
				m.SetQuery(noise(rng, 60))
			}
			for range 8 {
				looksRight(t, m, width, height)
				m.Update(tuitest.Key(keys[rng.IntN(len(keys))]))
			}
		}
	}
}

func looksRight(t *testing.T, m *search.Model, width, height int) {
	t.Helper()
	tuitest.Fits(t, m, width, height)
	if view := m.View(); strings.Contains(view, "\x1b") {
		t.Fatalf("hostile text is drawn: %q", view)
	}
	if c := m.Cursor(); c == nil || c.X < 0 || c.X >= width || c.Y != 1 {
		t.Fatalf("%dx%d: the cursor is at %v", width, height, c)
	}
}

// BenchmarkView draws 200 hits after a key. Budget: 1 ms.
func BenchmarkView(b *testing.B) {
	c := found()
	for len(c.Hits) < 200 {
		c.Hits = append(c.Hits, c.Hits[len(c.Hits)%5])
	}
	m := shown(c, 120, 40)
	for b.Loop() {
		press(m, "down")
		_ = m.View()
		press(m, "up")
	}
}
