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

// editorResult returns the message after the external editor exits, with its text or an error.
func editorResult(text string, err error, done func(string)) tea.Msg {
	return readEdited(func() (string, error) { return text, err }, done)(nil)
}

func TestTheEditedTextBecomesTheDraft(t *testing.T) {
	t.Parallel()
	m := New(t.Context(), Options{Keys: DefaultKeyMap()})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(editorResult("written outside", nil, m.chat.replaceDraft("")))
	if !strings.Contains(ansi.Strip(m.View().Content), "written outside") {
		t.Error("the draft is not the text of the editor")
	}
	m.Update(editorResult("", errors.New("vi: exit status 1"), m.chat.replaceDraft("written outside")))
	view := ansi.Strip(m.View().Content)
	if !strings.Contains(view, "vi: exit status 1") || !strings.Contains(view, "written outside") {
		t.Errorf("after a failure the draft or the failure is gone:\n%s", view)
	}
	m.Update(editorResult("of an earlier conversation", nil, m.chat.replaceDraft("what was there")))
	view = ansi.Strip(m.View().Content)
	if !strings.Contains(view, "draft stashed") || !strings.Contains(view, "written outside") {
		t.Errorf("another draft is replaced:\n%s", view)
	}
}

// The editor's text becomes the summary, also if its view was closed meanwhile.
func TestTheEditedSummaryIsInItsReview(t *testing.T) {
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
	m.session.update(updates.Reviewing{Text: "as the model wrote it down", Covers: 1000})
	m.do(m.views.openReview())
	m.layout()
	has("as the model wrote it down")
	v := m.views.review
	m.Update(editorResult("written outside\n", nil, v.SetText))
	has("written outside")
	m.Update(editorResult("", errors.New("vi: exit status 1"), v.SetText))
	has("vi: exit status 1")
	has("written outside")
	now = now.Add(time.Minute)
	m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	m.Update(editorResult("written while it was closed", nil, v.SetText))
	m.do(m.views.openReview())
	m.layout()
	has("written while it was closed")
}
