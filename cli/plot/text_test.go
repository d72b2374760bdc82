package plot_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/cli/plot"
)

func TestTextLooksAsItDid(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	show := func(name string, width, height int) {
		fmt.Fprintf(&b, "--- %s, %d by %d\n%s", name, width, height, plot.Text(charts()[name], width, height, false))
	}
	for _, size := range [][2]int{{60, 16}, {40, 10}, {24, 6}, {100, 24}} {
		show("sample", size[0], size[1])
	}
	for _, name := range []string{"none", "one", "equal", "beyond", "odd", "twenty", "long", "hostile"} {
		show(name, 60, 16)
	}
	golden.RequireEqual(t, b.String())
}

func TestTextKeepsItsSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, width, height := anyChart(t), rapid.IntRange(24, 130).Draw(t, "width"), rapid.IntRange(6, 40).Draw(t, "height")
		text := plot.Text(c, width, height, false)
		if !strings.HasSuffix(text, "\n") {
			t.Fatalf("the chart does not end in a line feed: %q", text)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > height {
			t.Fatalf("%d lines, more than %d:\n%s", len(lines), height, text)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > width || strings.TrimRight(line, " ") != line {
				t.Fatalf("%q is wider than %d or ends in blanks", line, width)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' || r == '\ufffe' }) {
				t.Fatalf("%q holds what a terminal acts on", line)
			}
		}
		if diff := cmp.Diff(text, ansi.Strip(plot.Text(c, width, height, true))); diff != "" {
			t.Fatalf("colour changes the text (-without +with):\n%s", diff)
		}
	})
}

func TestTextRefusesWhatIsTooSmall(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{23, 16}, {60, 5}, {0, 0}, {-5, -5}} {
		if got := plot.Text(sample(), size[0], size[1], true); got != "" {
			t.Errorf("%v gives\n%s", size, got)
		}
	}
	if got := plot.Text(sample(), 1<<40, 1<<40, false); got == "" || len(got) > 1<<17 {
		t.Errorf("a huge terminal gives %d bytes", len(got))
	}
}

func TestColourAddsWeightAndNothingElse(t *testing.T) {
	t.Parallel()
	got := plot.Text(sample(), 60, 16, true)
	for _, m := range regexp.MustCompile(`\x1b(\[(\d*)m)?`).FindAllStringSubmatch(got, -1) {
		if m[1] == "" || !slices.Contains([]string{"", "1", "2"}, m[2]) {
			t.Errorf("there is a sequence %q", m[0])
		}
	}
	if !strings.Contains(got, "\x1b[1mplimsoll\x1b[m") {
		t.Errorf("the emphasised name is not bold:\n%q", got)
	}
	if plot.Text(sample(), 60, 16, false) == got {
		t.Error("colour makes no difference")
	}
}

// Every policy can be found: its name stands in the chart, as long as there is
// room for it at all.
func TestTextNamesEveryPolicy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := plot.Chart{Points: rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) plot.Point {
			return plot.Point{
				Name: rapid.StringMatching(`[a-z]{3}-[a-z]{3}`).Draw(t, "name"), Cost: rapid.Float64Range(0.3, 2.5).Draw(t, "cost"),
				Kept: rapid.Float64Range(0.2, 1).Draw(t, "in view"), Overflow: rapid.IntRange(0, 1).Draw(t, "overflow"),
			}
		}), 0, 9, func(p plot.Point) string { return p.Name }).Draw(t, "points")}
		text := plot.Text(c, 60, 16, false)
		for _, p := range c.Points {
			if strings.Count(text, p.Name) != 1 {
				t.Fatalf("%s is named %d times:\n%s", p.Name, strings.Count(text, p.Name), text)
			}
		}
	})
}

func TestTextTellsWhatOverflowsWithoutColour(t *testing.T) {
	t.Parallel()
	got := plot.Text(sample(), 60, 16, false)
	for _, want := range []string{"◆", "● truncate", "○ jp-auto", "○ some requests do not fit the window", "↑ keeps more", "← cheaper", "┊"} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing says %q:\n%s", want, got)
		}
	}
}
