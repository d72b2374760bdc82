package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"
)

// The library hands the terminal over and calls back; here only what comes back
// is given to the screen.
func TestWhatTheEditorWroteBecomesTheDraft(t *testing.T) {
	t.Parallel()
	m := New(t.Context(), Options{Keys: DefaultKeyMap()})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(editedMsg{text: "written outside"})
	if !strings.Contains(ansi.Strip(m.View().Content), "written outside") {
		t.Error("the draft is not what was written")
	}
	m.Update(editedMsg{text: "", err: errors.New("vi: exit status 1")})
	view := ansi.Strip(m.View().Content)
	if !strings.Contains(view, "vi: exit status 1") || !strings.Contains(view, "written outside") {
		t.Errorf("after a failure the draft or the failure is gone:\n%s", view)
	}
}
