package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
)

// The palette lists every command with its keys, and narrows as one types. What
// needs more words is put into the composer, to be completed there.

// dialogPalette is the palette.
const dialogPalette = "pick/command"

// keysOf are the keys that do what a command does.
func (m *Model) keysOf(command string) []key.Binding {
	s, w := m.options.Keys.Screen, m.options.Keys.Composer.Writing
	return map[string][]key.Binding{
		"history":      {s.History},
		"undo-compact": {s.UndoCompaction},
		"editor":       {w.Editor},
		"help":         {w.Help},
		"quit":         {s.Quit},
		"permissions":  {s.Mode},
	}[command]
}

// palettePreview is the view of the palette that is no command of its own.
const palettePreview = "compact --dry-run"

// openPalette opens the palette.
func (m *Model) openPalette() {
	var items []overlay.Item
	add := func(id, name, help string, keys ...key.Binding) {
		if keys := helpKeys(keys...); keys != "" {
			name += "  (" + keys + ")"
		}
		items = append(items, overlay.Item{ID: id, Title: name, Detail: help})
	}
	for _, c := range slashCommands() {
		add(c.Name, commandName(c.CommandSpec), c.Help, m.keysOf(c.Name)...)
		if c.Name == "compact" {
			add(palettePreview, "/"+palettePreview, "what compacting would do, before it is done", m.options.Keys.Screen.PreviewCompaction)
		}
	}
	m.pick(overlay.PickerOptions{ID: dialogPalette, Title: "Commands", Items: items, Empty: "there are no commands"})
}

// fromPalette runs a command that was chosen, or begins to write it.
func (m *Model) fromPalette(name string) tea.Cmd {
	if name == palettePreview {
		return m.previewAny()
	}
	for _, c := range slashCommands() {
		switch {
		case c.Name != name:
		case c.Needs:
			if !m.composer.Empty() {
				return m.say("/"+name+" needs "+c.Args+": send or clear the draft, then write it", true)
			}
			m.closeViews()
			m.composer.SetText("/" + name + " ")
			return nil
		default:
			return m.slash(composer.Command{Name: strings.TrimSpace(name)})
		}
	}
	return nil
}
