package pane_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// solid is a bar whose segments are blocks of a color each.
func solid() *pane.Bar {
	s := pane.BarStyles{Glyphs: pane.Blocks()}
	for i := range s.Segments {
		s.Segments[i] = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(i + 1))
	}
	return pane.NewBar(s)
}

// filled is how many eighths of a drawn bar are blocks.
func filled(bar string) float64 {
	n := 0.0
	for _, r := range ansi.Strip(bar) {
		if i := strings.IndexRune("▏▎▍▌▋▊▉█", r); i >= 0 {
			n += float64(i/len("█")+1) / 8
		}
	}
	return n
}

func TestASolidBarIsTrueToAnEighthOfACell(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		r, n := meter.Reading{Window: meter.Window{Tokens: 100_000}}, 10+rng.IntN(150)
		r.Segments[projection.Results] = rng.IntN(100_000)
		r.Used = r.Segments[projection.Results]
		r.AfterSend = r.Used
		b := solid()
		line := b.Draw(b.Cells(r, pane.Scale(r), n), pane.Ink{})
		if got := ansi.StringWidth(line); got != n {
			t.Fatalf("a bar of %d cells has %d", n, got)
		}
		if want := float64(r.Used) / 100_000 * float64(n); math.Abs(filled(line)-want) > 0.07 {
			t.Fatalf("%d tokens of 100,000 fill %.3f of %d cells, not %.3f", r.Used, filled(line), n, want)
		}
	}
}

// Two segments share a cell: one of a fifth of a cell is no cell, and one that cannot be drawn is part of its neighbor.
func TestSmallSegmentsDoNotLookLarger(t *testing.T) {
	t.Parallel()
	r := meter.Reading{Window: meter.Window{Tokens: 1000}, Used: 525, AfterSend: 525}
	r.Segments[projection.System], r.Segments[projection.Tools], r.Segments[projection.Results] = 25, 1, 499
	b := solid()
	line := b.Draw(b.Cells(r, 1000, 10), pane.Ink{})
	plain := ansi.Strip(line)
	if plain != "▎████▎┄┄┄┄" {
		t.Errorf("the bar is %q", plain)
	}
	seam := lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(int(projection.System) + 1)).Background(lipgloss.ANSIColor(int(projection.Results) + 1))
	if !strings.HasPrefix(line, seam.Render("▎")) {
		t.Errorf("the seam does not have the colors of both: %q", line)
	}
	patterns := pane.NewBar(pane.BarStyles{Glyphs: pane.Patterns()})
	if plain := patterns.Draw(patterns.Cells(r, 1000, 10), pane.Ink{}); strings.Contains(plain, pane.Patterns()[projection.Tools]) {
		t.Errorf("a hundredth of a cell has one: %q", plain)
	}
}

func TestABarAloneHasAnEighthAtLeast(t *testing.T) {
	t.Parallel()
	patterns := pane.NewBar(pane.BarStyles{Glyphs: pane.Patterns()})
	for tokens, want := range map[int][2]string{
		0: {"        ", "        "}, 1: {"▏       ", "▏       "}, 190: {"█▌      ", "▙       "}, 1000: {"████████", "▙▙▙▙▙▙▙▙"},
	} {
		for i, b := range []*pane.Bar{solid(), patterns} {
			if got := ansi.Strip(b.Length(projection.Results, tokens, 1000, 8)); got != want[i] {
				t.Errorf("%d of 1,000 tokens are %q in eight cells, not %q", tokens, got, want[i])
			}
		}
	}
}
