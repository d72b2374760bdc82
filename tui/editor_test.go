package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	tea "charm.land/bubbletea/v2"
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
