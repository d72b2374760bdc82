package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/themes"
)

// perFrame is the number of deltas that arrive in the 33 ms between two draws at 1,000 tokens (4 KB) a second, in deltas of 80
// bytes: the quickest that models stream. Slower streams have more draws, but more time, too.
const perFrame = 160

// stream renders text in deltas, as from a model.
func stream(b *testing.B, text string) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := renderer(b, themes.PlimsollDark, 98).Stream()
		for i := 0; i < len(text); i += 80 {
			s.Append(text[i:min(len(text), i+80)])
			if (i/80)%(perFrame/80) == 0 {
				s.Lines()
			}
		}
		s.Finish()
	}
}

func prose(n int) string {
	return strings.Repeat("The **quick** brown fox jumps over the `lazy` dog and goes on for a while with some text.\n", n/88+1)[:n]
}

// Budget: 0.4 s for 80 KB (20,000 tokens), five times that for 400 KB (100,000 tokens).
func BenchmarkStreamAnswer(b *testing.B) {
	for _, kb := range []int{80, 400} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) { stream(b, answer(kb*1000)) })
	}
}

// The worst cases: one block of 80 KB. Budget: 0.7 s each.
func BenchmarkStreamOneBlock(b *testing.B) {
	const n = 80_000
	code := answer(6000)
	code = code[strings.Index(code, "```go\n")+6:]
	code = code[:strings.Index(code, "```")]
	for name, text := range map[string]string{
		"fence":     "```go\n" + strings.Repeat(code, n/len(code)),
		"list":      "- " + strings.ReplaceAll(prose(n), "\n", "\n- "),
		"nested":    "- x\n  - " + strings.ReplaceAll(prose(n), "\n", "\n  - "),
		"quote":     "> " + strings.ReplaceAll(prose(n), "\n", "\n> "),
		"table":     "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| some cell text | another cell with `code` | 12345 |\n", n/54),
		"paragraph": prose(n),
		"line":      strings.ReplaceAll(prose(n), "\n", " "),
		"hostile":   strings.Repeat("[a](*b_ ", n/8),
	} {
		b.Run(name, func(b *testing.B) { stream(b, text) })
	}
}

// Budget: 250 ms for 80 KB that are shown for the first time.
func BenchmarkRenderAnswer(b *testing.B) {
	text := answer(80_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		renderer(b, themes.PlimsollDark, 98).Render(text)
	}
}

// Budget: 15 ms for 80 KB that were shown before.
func BenchmarkRenderAnswerAgain(b *testing.B) {
	text := answer(80_000)
	r := renderer(b, themes.PlimsollDark, 98)
	r.Render(text)
	for b.Loop() {
		r.Render(text)
	}
}

// Budget: 1 ms.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		renderer(b, themes.PlimsollDark, 98).Render("x")
	}
}
