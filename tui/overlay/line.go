package overlay

import (
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
)

// newLine is a line to type in, with the cursor behind the text.
func newLine(text string) *edit.Field {
	e := edit.NewField(plain.Line, edit.MostInLine)
	e.SetSize(math.MaxInt32, 1)
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
