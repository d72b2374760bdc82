package pane_test

import (
	"testing"

	"charm.land/lipgloss/v2"

	"plimsoll/tui/pane"
)

func TestASurfaceCoversTheWholeLine(t *testing.T) {
	t.Parallel()
	s := pane.NewSurface(lipgloss.NewStyle().Background(lipgloss.Color("4")))
	if got, want := s.Under("a \x1b[1mbold\x1b[m word"), "\x1b[44ma \x1b[1mbold\x1b[m\x1b[44m word\x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (pane.Surface{}).Under("a \x1b[1mbold\x1b[m word"); got != "a \x1b[1mbold\x1b[m word" {
		t.Errorf("without a surface the line changed: %q", got)
	}
}
