package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// help is the help, made from the keymaps and the commands: a page for each part of the
// program.
func help(keys KeyMap) pane.Action {
	writing, dialogs := keys.Composer.Writing, keys.Dialogs
	group := func(title string, keymap any) overlay.Group { return overlay.KeyGroup(title, bindingsIn(keymap)...) }
	views := map[string]overlay.Group{}
	for _, v := range keys.views() {
		views[v.name] = group(v.title, v.keys)
	}
	return openDialog{overlay.NewHelp(dialogHelp,
		overlay.Tab{Title: "chat", Groups: []overlay.Group{group("Writing", writing), lineStarts()}},
		overlay.Tab{Title: "screen", Groups: []overlay.Group{overlay.KeyGroup("Screen", keys.Screen.Bindings()...)}},
		overlay.Tab{Title: "commands", Groups: []overlay.Group{commandGroup()}},
		overlay.Tab{Title: "context", Groups: []overlay.Group{views["context"], views["preview"]}},
		overlay.Tab{Title: "history", Groups: []overlay.Group{group("Moving in full-screen views", keys.History.Moves), views["history"]}},
		overlay.Tab{Title: "ledger", Groups: []overlay.Group{views["ledger"], views["review"], views["search"]}},
		overlay.Tab{Title: "editing", Groups: []overlay.Group{editingGroup(keys), group("Lines to type in, and texts", keys.Review.Edit)}},
		overlay.Tab{Title: "dialogs", Groups: []overlay.Group{overlay.KeyGroup("Dialogs", append(bindingsIn(dialogs.Moves), bindingsIn(dialogs.Answers)...)...),
			overlay.KeyGroup("Lists of models and conversations", bindingsIn(dialogs.Lists)...)}},
	)}
}

// editingGroup is the keys to edit a message, and how one selects.
func editingGroup(keys KeyMap) overlay.Group {
	g := overlay.KeyGroup("Editing a message", bindingsIn(keys.Composer.Editing)...)
	g.Entries = append([]overlay.Entry{{Name: "shift+←↑↓→", What: "select, also with other keys that move the cursor"}}, g.Entries...)
	return g
}

// lineStarts are the characters with which a line becomes something else.
func lineStarts() overlay.Group {
	return overlay.Group{Title: "At the start of a line", Entries: []overlay.Entry{
		{Name: "@FILE", What: "add a file's text to the message; @FILE:3-9 some lines of it"},
		{Name: "@FOLDER/", What: "add the names of what is in a folder"},
		{Name: "!COMMAND", What: "run a command; the model reads its output with your next message"},
		{Name: "!!COMMAND", What: "run a command; only you see its output"},
	}}
}

// commandGroup is the slash commands as the help shows them.
func commandGroup() overlay.Group {
	g := overlay.Group{Title: "Commands"}
	for _, c := range slashCommands() {
		g.Entries = append(g.Entries, overlay.Entry{Name: commandName(c.CommandSpec), What: c.Help})
	}
	return g
}

func commandName(c composer.CommandSpec) string {
	name := "/" + c.Name
	if c.Args != "" {
		name += " " + c.Args
	}
	return name
}

// The palette lists every command with its keys, and narrows as one types. What
// needs more words is put into the composer, to be completed there.

// dialogPalette is the palette.
const dialogPalette = "pick/command"

// keysOf are the keys that do what a command does.
func keysOf(keys KeyMap, command string) []key.Binding {
	s, w := keys.Screen, keys.Composer.Writing
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

// palette lists every command.
func palette(keys KeyMap) pane.Action {
	var items []overlay.Item
	add := func(id, name, help string, bound ...key.Binding) {
		if keys := helpKeys(bound...); keys != "" {
			name += "  (" + keys + ")"
		}
		items = append(items, overlay.Item{ID: id, Title: name, Detail: help})
	}
	for _, c := range slashCommands() {
		add(c.Name, commandName(c.CommandSpec), c.Help, keysOf(keys, c.Name)...)
		if c.Name == "compact" {
			add(palettePreview, "/"+palettePreview, "preview a compaction", keys.Screen.PreviewCompaction)
		}
	}
	return open(overlay.PickerOptions{ID: dialogPalette, Title: "Commands", Items: items, Empty: "there are no commands"})
}

// fromPalette runs a command that was chosen, or begins to write it.
func (m *Model) fromPalette(name string) tea.Cmd {
	if name == palettePreview {
		return m.do(m.views.previewAny())
	}
	for _, c := range slashCommands() {
		switch {
		case c.Name != name:
		case c.Needs:
			if !m.chat.composer.Empty() {
				return m.do(refuse("/" + name + " needs " + c.Args + ": send or clear the draft, then write it"))
			}
			m.views.closeAll()
			m.chat.composer.SetText("/" + name + " ")
			return nil
		default:
			return m.slash(composer.Command{Name: strings.TrimSpace(name)})
		}
	}
	return nil
}
