package screen

import (
	"context"

	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// Memory lists the files with instructions of the open conversation; with replace, their texts replace those in the prompt first.
func (h *Host) Memory(ctx context.Context, replace bool) (tui.Memory, error) {
	running := h.running()
	if running == nil {
		return tui.Memory{}, errReadOnly
	}
	events := h.storedEvents(ctx, running)
	files, changed, err := running.Memory(ctx, events, replace)
	m := tui.Memory{Changed: plain.Line(changed)}
	for _, f := range files {
		m.Files = append(m.Files, tui.MemoryFile{
			Path: f.Path, Name: plain.Line(f.Name), From: plain.Line(f.From), State: f.State, Note: f.Note, Text: plain.Text(f.Text), Tokens: f.Tokens,
		})
	}
	return m, err
}
