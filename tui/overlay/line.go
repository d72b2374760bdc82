package overlay

import (
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// newLine is a line to type in, with the cursor behind the text.
func newLine(text string) *pane.Edit {
	e := &pane.Edit{Safe: plain.Line, Most: pane.MostInLine}
	e.SetSize(math.MaxInt32, 1)
	e.SetText(text, true)
	return e
}

// typed edits a line. It reports whether the message was for it. Blank ends of a paste are left out.
func typed(e *pane.Edit, msg tea.Msg, k Line) bool {
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: strings.TrimSpace(p.Content)}
	}
	return e.Update(msg, pane.EditKeys{
		Left: k.Left, Right: k.Right, LineStart: k.Start, LineEnd: k.End, Backspace: k.Backspace, Delete: k.Delete,
		CutWord: k.CutWord, CutToStart: k.CutToStart, CutToEnd: k.CutToEnd,
	})
}
