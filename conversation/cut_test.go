package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

func TestCutLeavesTextsUpToTheLimitAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":          "",
		"short":          "hello",
		"exactly":        strings.Repeat("x", conversation.ResultMaxChars),
		"exactly, wide":  strings.Repeat("漢", conversation.ResultMaxChars),
		"exactly, emoji": strings.Repeat("😀", conversation.ResultMaxChars),
	} {
		shown, total := conversation.Cut(text, conversation.ResultMaxChars)
		if shown != text || total != 0 {
			t.Errorf("%s: cut to %d bytes, total %d", name, len(shown), total)
		}
	}
}

func TestCutPutsTheMarkerBehindTheFirstCharacters(t *testing.T) {
	t.Parallel()
	for _, char := range []string{"x", "é", "漢", "😀"} {
		shown, total := conversation.Cut(strings.Repeat(char, 30_001), conversation.ResultMaxChars)
		want := strings.Repeat(char, 30_000) +
			"\n\n[... content truncated, showing first 30000 characters of 30001 total ...]"
		if shown != want || total != 30_001 {
			t.Errorf("%q: total %d, ends %q", char, total, shown[len(shown)-100:])
		}
	}
}

func TestCutCountsCharactersAsGoDoes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aé漢😀\u0301 end\n", 7)
	for max := -1; max <= utf8.RuneCountInString(text); max++ {
		shown, total := conversation.Cut(text, max)
		kept := max
		if kept < 0 {
			kept = 0
		}
		if kept == utf8.RuneCountInString(text) {
			if shown != text || total != 0 {
				t.Errorf("max %d: cut although it fits", max)
			}
			continue
		}
		want := string([]rune(text)[:kept]) + fmt.Sprintf(
			"\n\n[... content truncated, showing first %d characters of %d total ...]", kept, utf8.RuneCountInString(text))
		if shown != want || total != utf8.RuneCountInString(text) {
			t.Errorf("max %d: got %q, total %d", max, shown, total)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("plain text that is long enough", 5)
	f.Add("bad \xff\xfe\x80 bytes\x00 and \xe6\xbc half", 6)
	f.Fuzz(func(t *testing.T, text string, max int) {
		shown, total := conversation.Cut(text, max)
		if !utf8.ValidString(shown) {
			t.Fatalf("invalid UTF-8: %q", shown)
		}
		clean := []rune(conversation.Clean(text))
		if max < 0 {
			max = 0
		}
		if len(clean) <= max {
			if shown != string(clean) || total != 0 {
				t.Fatalf("cut a text of %d characters at %d", len(clean), max)
			}
			return
		}
		if total != len(clean) || !strings.HasPrefix(shown, string(clean[:max])+"\n\n[... content truncated, ") {
			t.Fatalf("total %d of %d, shown %q", total, len(clean), shown)
		}
	})
}

// BenchmarkCut cuts a tool result of 1 MiB. Budget: 1 ms (FEAT-011 allows 10).
func BenchmarkCut(b *testing.B) {
	for name, char := range map[string]string{"ascii": "x", "chinese": "漢", "emoji": "😀"} {
		text := strings.Repeat(char, 1<<20/len(char))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, total := conversation.Cut(text, conversation.ResultMaxChars); total == 0 {
					b.Fatal("not cut")
				}
			}
		})
	}
}

func TestShownKnowsWhatCutMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := conversation.Clean(rapid.StringN(0, 60, -1).Draw(t, "text"))
		most := rapid.IntRange(0, 60).Draw(t, "max")
		cut, total := conversation.Cut(text, most)
		chars, ok := conversation.Shown(cut, total)
		if want := total > 0; ok != want || ok && chars != most {
			t.Fatalf("%q cut at %d: %d, %v", text, most, chars, ok)
		}
		if _, ok := conversation.Shown(cut, total+1); ok {
			t.Fatalf("%q passes for a cut of %d characters", cut, total+1)
		}
	})
}
