package markdown_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/themes"
	"plimsoll/tui/transcript/markdown"
)

var texts = flag.Int("texts", 200, "how many random texts to stream")

var update = flag.Bool("update", false, "write the goldens")

func renderer(t testing.TB, theme string, width int) *markdown.Renderer {
	t.Helper()
	th, ok := themes.ByName(theme)
	if !ok {
		t.Fatalf("no theme %q", theme)
	}
	return markdown.New(themes.Markdown(th), width)
}

// check fails if a line breaks a guarantee of the package.
func check(t testing.TB, lines []string, width int) {
	t.Helper()
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Fatalf("line %d is %d cells wide at width %d: %q", i, w, width, l)
		}
		onSurface := strings.Contains(l, "\x1b[48;") && ansi.StringWidth(l) == width
		if strings.HasSuffix(ansi.Strip(l), " ") && !onSurface {
			t.Fatalf("line %d ends in a space: %q", i, l)
		}
		rest := l
		open := false
		for rest != "" {
			seq, _, n, _ := ansi.DecodeSequence(rest, ansi.NormalState, nil)
			if seq[0] == '\x1b' {
				if !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
					t.Fatalf("line %d has the sequence %q", i, seq)
				}
				open = seq != "\x1b[m" && seq != "\x1b[0m"
			} else if strings.ContainsFunc(seq, unicode.IsControl) {
				t.Fatalf("line %d has a control character: %q", i, l)
			}
			rest = rest[n:]
		}
		if open {
			t.Fatalf("line %d leaves a style open: %q", i, l)
		}
		if strings.ContainsAny(l, "\ufdd0\ufdd1\u00a0") {
			t.Fatalf("line %d shows a stand-in: %q", i, l)
		}
	}
}

func names() []string {
	var out []string
	for name := range corpus() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	texts := corpus()
	for _, width := range []int{40, 80} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			r := renderer(t, themes.Mono, width)
			var b strings.Builder
			for _, name := range names() {
				if name == "delimiters" || name == "one line" {
					continue // long and dull
				}
				fmt.Fprintf(&b, "==== %s\n", name)
				for _, l := range r.Render(texts[name]) {
					l = strings.NewReplacer("\x1b[m", "⟨⟩", "\x1b[", "⟨", "\x1b", "␛").Replace(l)
					b.WriteString(l + "\n")
				}
			}
			path := filepath.Join("testdata", fmt.Sprintf("corpus-%d.golden", width))
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNeverWiderThanTheWidth(t *testing.T) {
	t.Parallel()
	texts := corpus()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := renderer(t, themes.PlimsollDark, 10)
			for width := 10; width <= 250; width += 1 + width/4 {
				r.SetWidth(width)
				check(t, r.Render(texts[name]), width)
			}
		})
	}
}

// streamed renders text in random pieces and reads the lines after some of them.
func streamed(t testing.TB, r *markdown.Renderer, text string, rng *rand.Rand, most, width int) []string {
	t.Helper()
	s := r.Stream()
	for text != "" {
		n := min(len(text), 1+rng.IntN(most))
		s.Append(text[:n])
		text = text[n:]
		switch rng.IntN(8) {
		case 0:
			check(t, s.Lines(), width)
		case 1, 2, 3:
			s.Lines()
		}
	}
	return s.Finish()
}

func TestFinishedStreamEqualsRender(t *testing.T) {
	t.Parallel()
	texts := corpus()
	all := strings.Builder{}
	for _, name := range names() {
		all.WriteString(texts[name] + "\n\n")
	}
	texts["all"] = all.String()
	texts["answer"] = answer(6000)
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const width = 47
			want := renderer(t, themes.PlimsollDark, width).Render(text)
			for seed, most := range []int{3, 40, 1000} {
				rng := rand.New(rand.NewPCG(uint64(seed), 1))
				if len(text) > 5000 && most < 200 {
					continue
				}
				got := streamed(t, renderer(t, themes.PlimsollDark, width), text, rng, most, width)
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("pieces of up to %d: %s", most, d)
				}
			}
		})
	}
}

func TestStreamShowsTheNewestText(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"paragraph": "", "fence": "```go\n", "list": "- ", "nested list": "- x\n  - ", "table": "| a |\n|---|\n", "quote": "> ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := renderer(t, themes.PlimsollDark, 100).Stream()
			s.Append(begin)
			for i := range 300 {
				word := fmt.Sprintf("word%d ", i)
				s.Append(word)
				if !strings.Contains(ansi.Strip(strings.Join(s.Lines(), "\n")), strings.TrimSpace(word)) {
					t.Fatalf("%q does not show after %d words", word, i)
				}
				if i%7 == 6 {
					s.Append(map[string]string{"list": "\n- ", "nested list": "\n  - ", "table": "|\n| ", "quote": "\n> "}[name])
					if name == "fence" {
						s.Append("\n")
					}
				}
			}
		})
	}
}

func TestStreamFollowsAChangeOfWidth(t *testing.T) {
	t.Parallel()
	r := renderer(t, themes.PlimsollDark, 80)
	text := answer(8000)
	s := r.Stream()
	for i := 0; i < len(text); i += 500 {
		s.Append(text[i:min(len(text), i+500)])
		r.SetWidth(40 + i/500*3)
		check(t, s.Lines(), 40+i/500*3)
	}
	r.SetWidth(50)
	if d := cmp.Diff(renderer(t, themes.PlimsollDark, 50).Render(text), s.Finish()); d != "" {
		t.Error(d)
	}
}

func TestUnchangedLinesDoNotAllocate(t *testing.T) {
	s := renderer(t, themes.PlimsollDark, 80).Stream()
	s.Append(answer(20_000))
	s.Lines()
	if n := testing.AllocsPerRun(10, func() { s.Lines() }); n != 0 {
		t.Errorf("%v allocations without new text", n)
	}
}

func TestAllTextIsShown(t *testing.T) {
	t.Parallel()
	r := renderer(t, themes.PlimsollDark, 200)
	for source, want := range map[string]string{
		"Use Vec<T> and List<int>":     "Use Vec<T> and List<int>",
		"<thinking>x</thinking>":       "<thinking>x</thinking>",
		"`&lt;` \\* \\\"":              "&lt; * \"",
		"https://e.com/100% sure":      "https://e.com/100% sure",
		"[a](http://b)":                "a (http://b)",
		"- one\n\n  two":               "• one\n\n  two",
		"a &#27;]52;c;x b":             "a ␛]52;c;x b",
		"| a<b |\n|---|\n| c\\\\d |":   " a<b\n─────\n c\\d",
		"x [r]\n\n[r]: http://late.at": "x [r]\n\n[r]: http://late.at",
		"a\nb":                         "a\nb",
		"[^1] note":                    "[^1] note",
		"7. seven\n7. eight":           "7. seven\n8. eight",
	} {
		if d := cmp.Diff(want, ansi.Strip(strings.Join(r.Render(source), "\n"))); d != "" {
			t.Errorf("%q: %s", source, d)
		}
	}
}

func TestCodeWithAHugeFirstLineShowsIt(t *testing.T) {
	t.Parallel()
	lines := renderer(t, themes.PlimsollDark, 80).Render("```json\n" + strings.Repeat("1", 40_000) + "\n```")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(ansi.Strip(l), "json") })
	if first := ansi.Strip(lines[at+1]); !strings.Contains(first, "111") {
		t.Errorf("the first row is %q", first)
	}
}

// randomText returns lines that begin, continue or end blocks, in random order and depth.
func randomText(rng *rand.Rand) string {
	pool := []string{
		"", "", "", "text *a* `b`", "- item", "- ", "* star", "+ plus", "1. one", "2. two", "7) seven", "- [ ] task", "- - x", "# h", "===", "---", "***",
		"```", "```go", "~~~", "x := 1 // [r]", "| a | b |", "|---|---|", "|-|", "a | b", "> quote", ">", "> > deep", "<div>", "</div>", "<!--", "-->",
		"<b>x</b>", "[r]", "[r]: http://r", "[s]: <s> 't'", "[s][] and [r]", "[r]:", "    code", "\ttab", "word  ", "back\\", "&amp; &#27;", "世界 👩‍💻",
	}
	var b strings.Builder
	for range 1 + rng.IntN(14) {
		b.WriteString(strings.Repeat(" ", rng.IntN(3)*rng.IntN(4)))
		if rng.IntN(6) == 0 {
			b.WriteString("> ")
		}
		b.WriteString(pool[rng.IntN(len(pool))])
		if rng.IntN(12) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestFinishedStreamEqualsRenderForRandomLines(t *testing.T) {
	t.Parallel()
	const width = 24
	r := renderer(t, themes.PlimsollDark, width) // what one text leaves behind must not change another
	for seed := range uint64(*texts) {
		rng := rand.New(rand.NewPCG(seed, 3))
		text := randomText(rng)
		want := renderer(t, themes.PlimsollDark, width).Render(text)
		check(t, want, width)
		if d := cmp.Diff(want, streamed(t, r, text, rng, 1+rng.IntN(12), width)); d != "" {
			t.Fatalf("seed %d, %q: %s", seed, text, d)
		}
	}
}

func FuzzStream(f *testing.F) {
	for name, text := range corpus() {
		f.Add(text, 10+len(name), uint64(len(text)))
	}
	f.Fuzz(func(t *testing.T, text string, width int, seed uint64) {
		if len(text) > 4000 {
			return
		}
		if width < 10 || width > 250 {
			width = 10 + int(seed%200)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		want := renderer(t, themes.PlimsollDark, width).Render(text)
		check(t, want, width)
		got := streamed(t, renderer(t, themes.PlimsollDark, width), text, rng, 1+len(text)/4, width)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}
