package pane_test

import (
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// solid is a bar whose segments are blocks of one color each.
func solid() *pane.Bar {
	s := pane.BarStyles{Glyphs: pane.Blocks()}
	for i := range s.Segments {
		s.Segments[i] = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(i + 1))
	}
	return pane.NewBar(s)
}

func TestALengthHasAtLeastAnEighthOfACell(t *testing.T) {
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
