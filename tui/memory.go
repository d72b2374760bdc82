package tui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Memory lists the files with instructions of the open conversation. Changed says that files differ from the text in the prompt,
// and what a prompt with their new text costs. It is "" if none differ.
type Memory struct {
	Files   []MemoryFile
	Changed string
}

// MemoryFile is a file with instructions.
type MemoryFile struct {
	Path   string // absolute, "" if it cannot be opened
	Name   string
	From   string // "yours", "project" or what imports it
	State  string // where it is used: "in the prompt", "in turn 3, changed on disk" and so on
	Note   string // what of it is not used, "" if all is
	Text   string
	Tokens int // estimated, of the text
}

// memory lists the files with instructions; the chosen one opens in the user's editor. With replace, the files' texts replace
// those in the prompt first.
func (l *lists) memory(replace bool) pane.Action {
	read := func(ctx context.Context) (Memory, error) { return l.env.Backend.Memory(ctx, replace) }
	return newReadAction(read, "the instructions are listed: /memory shows them", func(m Memory) pane.Action {
		var items []dialog.Item
		if m.Changed != "" {
			items = append(items, dialog.Item{ID: "take", Title: "take the change over", Columns: []string{"", "asks first"}})
		}
		for i, f := range m.Files {
			items = append(items, dialog.Item{ID: strconv.Itoa(i), Title: f.Name, Columns: []string{fmt.Sprintf("%6s", pane.Tokens(f.Tokens)), f.State, f.From}})
		}
		picker := dialog.NewPicker(dialog.PickerOptions{
			Title: "Instructions", Items: items, Heads: []string{"tokens", "state", "from"}, Text: m.Changed, Preview: 2,
			Empty: "no instructions; an AGENTS.md here, in a folder, or beside your configuration is read",
			Choose: func(item, _ string) pane.Action {
				if i, err := strconv.Atoi(item); err == nil {
					return l.editMemory(m.Files[i])
				}
				return confirm("Instructions", m.Changed, "take it over", "keep what it has", func() pane.Action { return l.memory(true) })
			},
		})
		for i, f := range m.Files {
			picker.SetPreview(strconv.Itoa(i), f.Note)
		}
		return openDialog{picker}
	})
}

// editMemory opens a file in the user's editor, then lists the files again. Without an editor it shows the text.
func (l *lists) editMemory(f MemoryFile) pane.Action {
	if f.Path == "" {
		return refusal(f.Note)
	}
	return tea.Cmd(func() tea.Msg {
		run, err := l.env.EditFile(l.env.ctx, f.Path)
		return commandResult{then: func() pane.Action {
			if err != nil {
				return openDialog{dialog.NewText(f.Name, f.Text)}
			}
			return run(func(err error) tea.Msg { return commandResult{err, func() pane.Action { return l.memory(false) }} })
		}}
	})
}
