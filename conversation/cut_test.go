package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"plimsoll/conversation"
)

func TestCutAppendsTheMarkerToTheFirstCharacters(t *testing.T) {
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

func TestCutCountsRunes(t *testing.T) {
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
