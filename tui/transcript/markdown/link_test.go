package markdown_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/themes"
)

// marked returns a line without styles, with its links as ‹address|text›.
func marked(line string) string {
	var b strings.Builder
	for open := false; line != ""; {
		seq, _, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
		line = line[n:]
		switch address, is := strings.CutPrefix(seq, "\x1b]8;;"); {
		case is && address == "\a" && open:
			b.WriteString("›")
			open = false
		case is && !open:
			b.WriteString("‹" + strings.TrimSuffix(address, "\a") + "|")
			open = true
		case is:
			b.WriteString("!nested")
		case seq[0] != '\x1b':
			b.WriteString(seq)
		}
	}
	return b.String()
}

func TestLinkTargets(t *testing.T) {
	t.Parallel()
	long := "https://a.org/" + strings.Repeat("x", 2000)
	for source, want := range map[string]string{
		"see https://a.org/b?c=d#e.":             "see ‹https://a.org/b?c=d#e|https://a.org/b?c=d#e›.",
		"<https://a.org>":                        "‹https://a.org|https://a.org›",
		"www.a.org":                              "‹http://www.a.org|www.a.org›",
		"me@a.org":                               "‹mailto:me@a.org|me@a.org›",
		"[the docs](https://a.org)":              "the docs (‹https://a.org|https://a.org›)",
		"[the *docs*](https://a.org \"A\")":      "the docs (‹https://a.org|https://a.org› \"A\")",
		"[https://a.org](https://a.org)":         "‹https://a.org|https://a.org›",
		"[write](mailto:me@a.org)":               "write (‹mailto:me@a.org|mailto:me@a.org›)",
		"[docs][1]\n\n[1]: https://a.org":        "[docs][1]\n\n[1]: ‹https://a.org|https://a.org›",
		"![a ship](https://a.org/s.png)":         "image: a ship (‹https://a.org/s.png|https://a.org/s.png›)",
		"[![ship](https://a.org/s)](http://b.c)": "image: ship (‹https://a.org/s|https://a.org/s›) (‹http://b.c|http://b.c›)",
		"# [docs](https://a.org)":                "docs (‹https://a.org|https://a.org›)",
		"- [docs](https://a.org)":                "• docs (‹https://a.org|https://a.org›)",
		"<https://a.org/ü?ß;x>":                  "‹https://a.org/%C3%BC?%C3%9F%3Bx|https://a.org/ü?ß;x›",

		// Hostile characters are replaced before the address is checked.
		"[x](<https://a.org/\x1b]8;;b\a>)": "x (‹https://a.org/%E2%90%9B]8%3B%3Bb%E2%90%87|https://a.org/␛]8;;b␇›)",
		"[x](https://a.org/&#27;]52;c;b)":  "x (‹https://a.org/%E2%90%9B]52%3Bc%3Bb|https://a.org/␛]52;c;b›)",
		"[x](https://a.org/&#x202e;gro)":   "x (‹https://a.org/%C2%ABU+202E%C2%BBgro|https://a.org/«U+202E»gro›)",

		// The text names another address: only the address is a link.
		"[https://bank.org](https://evil.org)": "https://bank.org (‹https://evil.org|https://evil.org›)",
		"[bank.org](https://evil.org)":         "bank.org (‹https://evil.org|https://evil.org›)",
		"[bank．org](https://evil.org)":         "bank．org (‹https://evil.org|https://evil.org›)",
		"[me@bank.org](mailto:x@evil.org)":     "me@bank.org (‹mailto:x@evil.org|mailto:x@evil.org›)",

		// Addresses that never become links.
		"[x](javascript:alert(1))":       "x (javascript:alert(1))",
		"[x](file:///etc/passwd)":        "x (file:///etc/passwd)",
		"[x](vscode://x)":                "x (vscode://x)",
		"[x](docs/keys.md)":              "x (docs/keys.md)",
		"[x](//evil.org)":                "x (//evil.org)",
		"[x](#part)":                     "x",
		"[x](https://bank.org@evil.org)": "x (https://bank.org@evil.org)",
		"[x](https://b\u0430nk.org)":     "x (https://b\u0430nk.org)", // Cyrillic
		"[x](https:evil.org)":            "x (https:evil.org)",
		"`https://a.org`":                "`https://a.org`",
		"```\nhttps://a.org\n```":        "  https://a.org",
	} {
		r := renderer(t, themes.Mono, 100)
		r.SetLinks(true)
		got := marked(strings.Join(r.Render(source), "\n"))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", source, d)
		}
		r.SetLinks(false)
		if got := strings.Join(r.Render(source+" "), "\n"); strings.Contains(got, "\x1b]") {
			t.Errorf("%q: a link where none is wanted: %q", source, got)
		}
	}
	r := renderer(t, themes.Mono, 100)
	r.SetLinks(true)
	if got := strings.Join(r.Render(long), "\n"); strings.Contains(got, "\x1b]") {
		t.Error("a very long address is a link")
	}
}

// With links enabled the lines have the same text and widths, also while streaming.
func TestLinksDoNotChangeTheText(t *testing.T) {
	t.Parallel()
	for name, text := range corpus() {
		text = strings.Repeat("see [the docs](https://a.org/b) and https://c.org, ", 5) + "\n\n" + text
		for _, width := range []int{10, 60} {
			without := renderer(t, themes.PlimsollDark, width).Render(text)
			r := renderer(t, themes.PlimsollDark, width)
			r.SetLinks(true)
			with := r.Render(text)
			if !strings.Contains(strings.Join(with, ""), "\x1b]8;;http") {
				t.Fatalf("%s has no link", name)
			}
			for i, l := range with {
				if strings.Contains(l, "\x1b]8;;h") && strings.LastIndex(l, "\x1b]8;;") != strings.LastIndex(l, "\x1b]8;;\a") {
					t.Fatalf("%s: a link goes on behind line %q", name, l)
				}
				if ansi.StringWidth(l) > width || ansi.Strip(l) != ansi.Strip(without[i]) {
					t.Fatalf("%s at %d: %q, without links %q", name, width, l, without[i])
				}
			}
			if len(text) > 5000 {
				continue
			}
			r = renderer(t, themes.PlimsollDark, width)
			r.SetLinks(true)
			rng, s := rand.New(rand.NewPCG(1, uint64(width))), r.Stream()
			for rest := text; rest != ""; {
				n := min(len(rest), 1+rng.IntN(40))
				s.Append(rest[:n])
				s.Lines()
				rest = rest[n:]
			}
			if d := cmp.Diff(with, s.Finish()); d != "" {
				t.Fatalf("%s at %d, streamed: %s", name, width, d)
			}
		}
	}
}
