package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
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

// A summary goes to the editor and back, also where its view is closed meanwhile.
func TestWhatTheEditorMadeOfASummaryIsInItsReview(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := New(t.Context(), Options{Keys: DefaultKeyMap(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	has := func(text string) {
		t.Helper()
		if view := ansi.Strip(m.View().Content); !strings.Contains(view, text) {
			t.Errorf("%q is not on screen:\n%s", text, view)
		}
	}
	m.apply(updates.Reviewing{Text: "as the model wrote it down", Covers: 1000})
	m.do(m.views.openReview())
	m.layout()
	has("as the model wrote it down")
	v := m.views.review
	m.Update(summaryEditedMsg{v, "written outside\n", nil})
	has("written outside")
	m.Update(summaryEditedMsg{v, "", errors.New("vi: exit status 1")})
	has("vi: exit status 1")
	has("written outside")
	now = now.Add(time.Minute)
	m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	m.Update(summaryEditedMsg{v, "written while it was closed", nil})
	m.do(m.views.openReview())
	m.layout()
	has("written while it was closed")
}
