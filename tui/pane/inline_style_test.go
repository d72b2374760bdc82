package pane_test

import (
	"testing"

	"charm.land/lipgloss/v2"

	"plimsoll/tui/pane"
)

func TestAnInlineStyleRendersLikeItsStyle(t *testing.T) {
	t.Parallel()
	plain := lipgloss.NewStyle()
	for _, s := range []lipgloss.Style{plain, plain.Bold(true), plain.Foreground(lipgloss.Color("#ff8800")).Reverse(true), plain.Faint(true).Italic(true)} {
		for _, text := range []string{"a line", "漢字 ▲"} {
			if got, want := pane.NewInlineStyle(s).Render(text), s.Render(text); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if got := pane.NewInlineStyle(s).Render(""); got != "" {
			t.Errorf("nothing is drawn as %q", got)
		}
	}
}
