package transcript_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyCode generates the lines of a code block: with tabs, blanks, long words, wide characters and empty lines.
func anyCode() *rapid.Generator[[]string] {
	word := rapid.SampledFrom([]string{"if", "x", "return", "aVeryLongNameOfSomething(", "│", "漢字", "👍🏽", "\t", "  ", "// it", "↳", "> y", "- z", "&amp;", "\\n", strings.Repeat("w", 70)})
	return rapid.Custom(func(t *rapid.T) []string {
		line := rapid.Custom(func(t *rapid.T) string {
			indent := rapid.SampledFrom([]string{"", "\t", "\t\t", "    ", "  "}).Draw(t, "indent")
			return strings.TrimRight(indent+strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), " "), " \t")
		})
		lines := rapid.SliceOfN(line, 1, 6).Draw(t, "lines")
		return append(append([]string{"begin()"}, lines...), "end()")
	})
}

// TestCodeIsCopiedAsWritten selects a whole reply with code between paragraphs, in quotes and in lists, streaming
// or finished, at many widths.
func TestCodeIsCopiedAsWritten(t *testing.T) {
	t.Parallel()
	const before, after = "A paragraph that is long enough to be wrapped at most of the widths that are tried here.", "After it."
	rapid.Check(t, func(rt *rapid.T) {
		code, language := anyCode().Draw(rt, "code"), rapid.SampledFrom([]string{"", "go", "made-up"}).Draw(rt, "language")
		width := rapid.IntRange(30, 130).Draw(rt, "width")
		fence := append(append([]string{"~~~" + language}, code...), "~~~")
		in, text := rapid.SampledFrom([]string{"", "> ", "   "}).Draw(rt, "in"), ""
		lead := ""
		if in == "   " {
			text, lead = "1. item\n\n", "1. item\n\n"
		}
		for _, l := range fence {
			text += in + l + "\n"
		}
		text = before + "\n\n" + text + "\n" + after
		want := before + "\n\n" + lead + strings.Trim(strings.Join(code, "\n"), "\n") + "\n\n" + after
		r := openTranscript(t, width, 400, user("go"))
		if rapid.Bool().Draw(rt, "arriving") {
			r.Delta(text, "")
		} else {
			r.add(reply(text))
		}
		r.View()
		got := r.drag(0, 1, all, 399)
		if d := cmp.Diff(want, strings.Trim(got, "\n")); d != "" {
			rt.Fatalf("%s\nof\n%s", d, r.screen())
		}
	})
}

// hugeLine is a line of code of 100 kB, and hugeCode a block of 20,000 lines.
var (
	hugeLine = "\tone " + strings.Repeat("漢 x\ty(z), ", 7_500) + "end"
	hugeCode = strings.Repeat("}\n", 20_000) + "end"
)

func TestHugeCodeIsCopiedAsWritten(t *testing.T) {
	t.Parallel()
	for _, code := range []string{hugeLine, hugeCode} {
		r := openTranscript(t, 80, 30_000, reply("```\n"+code+"\n```"))
		if got := strings.Trim(r.drag(0, 0, all, 29_999), "\n"); got != code {
			t.Errorf("%d bytes were copied of %d, from %.100q", len(got), len(code), got)
		}
	}
}

// Budget: 100 ms to copy a line of 100 kB.
func BenchmarkCopyHugeLine(b *testing.B) { copyCode(b, "```\n"+hugeLine+"\n```") }

// Budget: 200 ms to copy blocks of 20,000 lines.
func BenchmarkCopyHugeCode(b *testing.B) { copyCode(b, "```\n"+hugeCode+"\n```") }

func copyCode(b *testing.B, text string) {
	b.Helper()
	r := openTranscript(b, 80, 30_000, reply(text))
	r.View()
	for i := 0; b.Loop(); i++ {
		r.SetSize(80+i%2, 30_000) // so that the lines are drawn again
		r.drag(0, 0, all, 29_999)
	}
}
