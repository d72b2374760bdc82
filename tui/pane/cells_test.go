package pane_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
)

func TestContinuedLinesKeepTheirIndentation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"    Search the text of files line by line":      {"    Search the text of", "    files line by line"},
		"  KEY=..   one or the other of two or three":    {"  KEY=..   one or the", "           other of", "           two or", "           three"},
		"1. an item of a list that goes on":              {"1. an item of a list", "   that goes on"},
		"· a task that goes on for a while":              {"· a task that goes on", "  for a while"},
		"plain words that go on and on, for a long time": {"plain words that go on", "and on, for a long", "time"},
		"plan       reads only":                          {"plan       reads only"},
		"one line\n  another that is longer":             {"one line", "  another that is", "  longer"},
		"far behind it all  x, and more of it":           {"far behind it all  x,", "and more of it"},
	} {
		if diff := cmp.Diff(want, pane.WrapHanging(text, 22)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestCodeIsWrappedAfterBlanks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"+ it searches all files": {"+ it ", "searches ", "all files"},
		"+  two  blanks stay so":  {"+  two  ", "blanks ", "stay so"},
		"aLongNameWithoutBlanks":  {"aLongNameW", "ithoutBlan", "ks"},
		"a LongNameWithoutBlanks": {"a ", "LongNameWi", "thoutBlank", "s"},
		"漢字かな交じり文":                {"漢字かな交", "じり文"},
		"":                        {""},
	} {
		if diff := cmp.Diff(want, pane.WrapCode(line, 10)); diff != "" {
			t.Errorf("%q:\n%s", line, diff)
		}
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for range 500 {
		var b strings.Builder
		for range rng.IntN(80) {
			b.WriteString([]string{" ", " ", "a", "bc", "漢", "👍🏽", "{", "é"}[rng.IntN(8)])
		}
		width := 2 + rng.IntN(30)
		lines := pane.WrapCode(b.String(), width)
		if got := strings.Join(lines, ""); got != b.String() {
			t.Fatalf("%q becomes %q", b.String(), got)
		}
		for _, l := range append(lines, pane.WrapHanging(b.String(), width)...) {
			if ansi.StringWidth(l) > width {
				t.Fatalf("a line of %q is wider than %d: %q", b.String(), width, l)
			}
		}
	}
}
