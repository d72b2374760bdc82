package pane_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
)

var words = []string{"a", "word ", "漢", "かな", "👨‍👩‍👧‍👦", "❤️", "e\u0301", "ﷺ", "…", "—", "क्षि ", "\x1b[1mbold\x1b[m"}

func phrase(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString(words[rng.IntN(len(words))])
	}
	return b.String()
}

func phrases(rng *rand.Rand, n, length int) []string {
	out := make([]string, rng.IntN(n))
	for i := range out {
		out[i] = phrase(rng, length)
	}
	return out
}

func TestAFrameHasExactlyItsLinesAndCells(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	var s pane.Styles
	s.Key = lipgloss.NewStyle().Bold(true)
	for width := 1; width <= 90; width++ {
		for height := 1; height <= 40; height++ {
			f := pane.Frame{
				Title: phrase(rng, 12), Detail: phrase(rng, 8), Lines: phrases(rng, 6, 30), Status: phrase(rng, 20),
				Hints: phrases(rng, 8, 4), Where: phrase(rng, 4),
			}
			view := s.Draw(f, phrases(rng, 50, 30), width, height)
			lines := strings.Split(view, "\n")
			if len(lines) != height {
				t.Fatalf("%dx%d: %d lines of %+v:\n%s", width, height, len(lines), f, view)
			}
			for i, l := range lines {
				if got := ansi.StringWidth(l); got != width {
					t.Fatalf("%dx%d: line %d has %d cells: %q of %+v", width, height, i, got, l, f)
				}
			}
		}
	}
}

func TestBodyIsTheNumberOfLinesDrawn(t *testing.T) {
	t.Parallel()
	body := strings.Split(strings.Repeat("body\n", 60), "\n")
	for height := range 50 {
		for n := range 6 {
			for _, status := range []string{"", "status"} {
				f := pane.Frame{Title: "title", Lines: make([]string, n), Status: status, Hints: []string{"q close"}}
				view := pane.Styles{}.Draw(f, body, 30, height)
				if got, want := strings.Count(view, "body"), f.Body(height); got != want {
					t.Fatalf("height %d, %d lines, status %q: %d lines of the body, told %d", height, n, status, got, want)
				}
				if top := f.Top(height); f.Body(height) > 0 && !strings.HasPrefix(strings.Split(view, "\n")[top], "body") {
					t.Errorf("height %d, %d lines, status %q: the body does not begin on line %d", height, n, status, top)
				}
				if height > 2 && f.Body(height) == 0 {
					t.Errorf("height %d, %d lines, status %q: no body", height, n, status)
				}
				if height > 3 && status != "" && !strings.Contains(view, status) {
					t.Errorf("height %d, %d lines: no status", height, n)
				}
			}
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	bind := func(help string) key.Binding { return key.NewBinding(key.WithKeys(help), key.WithHelp(help, help)) }
	off := bind("x")
	off.SetEnabled(false)
	f := pane.Frame{
		Title: "History · Fix flaky upload test 修复", Detail: "~78.1k of 128k tokens", Lines: []string{" both · original · as sent"},
		Hints: []string{
			pane.Hint("go to", bind("enter")), pane.Hint("hidden", off), pane.Hint("half a page", bind("ctrl+d"), bind("ctrl+u")),
			pane.Hint("requests", bind("["), bind("]")), pane.Hint("close", bind("esc")),
		},
		Where: "turn 3 of 12",
	}
	searching := f
	searching.Status = "/upload  2 of 7"
	s := pane.Styles{Key: lipgloss.NewStyle().Bold(true)}
	var b strings.Builder
	for _, size := range [][2]int{{80, 14}, {40, 12}, {40, 8}, {20, 6}, {20, 4}, {12, 1}} {
		for _, frame := range []pane.Frame{f, searching} {
			fmt.Fprintf(&b, "%dx%d\n", size[0], size[1])
			for l := range strings.SplitSeq(s.Draw(frame, []string{"first line of the body", "second"}, size[0], size[1]), "\n") {
				fmt.Fprintf(&b, "%s|\n", l)
			}
		}
	}
	golden.RequireEqual(t, b.String())
}

func TestWrappedLinesFit(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		text, width := strings.ReplaceAll(phrase(rng, 60), "ﷺ", "\n"), 2+rng.IntN(60)
		lines := pane.Wrap(text, width)
		for _, l := range lines {
			if ansi.StringWidth(l) > width {
				t.Fatalf("width %d: %q of %q", width, l, text)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(ansi.Strip(s)), "") }
		if diff := cmp.Diff(bare(text), bare(strings.Join(lines, ""))); diff != "" {
			t.Fatalf("width %d:\n%s", width, diff)
		}
	}
}
