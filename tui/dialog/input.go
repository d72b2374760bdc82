package dialog

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// newLine returns a line to type in, with the cursor after the text.
func newLine(text string) *edit.Field {
	e := edit.NewLine(plain.Line, edit.MaxInLine)
	e.SetText(text, true)
	return e
}

// typed passes a message to a line and reports whether the line used it. A paste is trimmed.
func typed(e *edit.Field, msg tea.Msg, keys edit.Keys) bool {
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: strings.TrimSpace(p.Content)}
	}
	return e.Update(msg, keys)
}

func hint(what string, b key.Binding) string { return b.Help().Key + " " + what }

// unusedAction returns the action for a message that a dialog does not use: text is
// dropped, so that it does not reach the chat below; other keys go to the parent.
func unusedAction(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return nil
	case tea.KeyPressMsg:
		if msg.Text != "" {
			return nil
		}
	}
	return pane.Ignored{}
}
