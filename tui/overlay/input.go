package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// newLine is a line to type in, with the cursor behind the text.
func newLine(text string) *edit.Field {
	e := edit.NewLine(plain.Line, edit.MostInLine)
	e.SetText(text, true)
	return e
}

// typed edits a line. It reports whether the message was for it. Blank ends of a paste are left out.
func typed(e *edit.Field, msg tea.Msg, keys edit.Keys) bool {
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: strings.TrimSpace(p.Content)}
	}
	return e.Update(msg, keys)
}

// hint is a key and what it does here.
func hint(what string, b key.Binding) string { return b.Help().Key + " " + what }

// leftover is what comes of a message no part of a dialog has a use for: text
// is kept from the chat below, other keys are the parent's.
func leftover(msg tea.Msg) pane.Action {
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
