package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/choices"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// help is the help, made from the keymaps and the commands: a page for each part of the
// program, which fits a screen of 80x24.
func help(keys KeyMap) pane.Action {
	dialogs, commands := keys.Dialogs, commandGroups()
	group := func(title string, keymap any) overlay.Group {
		return overlay.KeyGroup(title, pane.BindingsIn(keymap)...)
	}
	views := map[string]overlay.Group{}
	for _, v := range keys.views() {
		views[v.name] = group(v.title, v.keys)
	}
	editing, lines := editingGroup(keys), group("Lines to type in, and texts", keys.Review.Edit)
	lines.Entries = slices.DeleteFunc(lines.Entries, func(e overlay.Entry) bool { return slices.Contains(editing.Entries, e) })
	tab := func(title string, groups ...overlay.Group) overlay.Tab {
		return overlay.Tab{Title: title, Groups: groups}
	}
	return openDialog{overlay.NewHelp(dialogHelp,
		tab("chat", group("Writing", keys.Composer.Writing), lineStarts()),
		tab("keys", overlay.KeyGroup("Screen", keys.Screen.Bindings()...)),
		tab("commands", commands[0], commands[2]),
		tab("context", commands[1], views["context"]),
		tab("history", group("Moving in full-screen views", keys.History.Moves), views["history"]),
		tab("preview", views["preview"], views["review"]),
		tab("search", views["search"], views["diff"]),
		tab("settings", views["settings"]),
		tab("edit", editing, lines),
		tab("lists", group("Dialogs", dialogs.Moves), group("Answers", dialogs.Answers), group("Lists of models and conversations", dialogs.Lists)),
	)}
}

// editingGroup is the keys to edit a message, and how one selects.
func editingGroup(keys KeyMap) overlay.Group {
	e := keys.Composer.Editing
	g := overlay.KeyGroup("Editing a message", append(pane.BindingsIn(e.Keys), e.Copy, e.Cut)...)
	g.Entries = append([]overlay.Entry{{Name: "shift+←↑↓→", What: "select, as with other moves"}}, g.Entries...)
	return g
}

// lineStarts are the characters with which a line becomes something else.
func lineStarts() overlay.Group {
	return overlay.Group{Title: "Files and commands", Entries: []overlay.Entry{
		{Name: "@FILE", What: "add a file's text to the message; @FILE:3-9 some lines of it"},
		{Name: "@FOLDER/", What: "add the names of what is in a folder"},
		{Name: "!COMMAND", What: "run a command; the model reads its output with your next message"},
		{Name: "!!COMMAND", What: "run a command; only you see its output"},
	}}
}

// commandGroups are the slash commands as the help shows them: about the conversation,
// about the context, and all others.
func commandGroups() [3]overlay.Group {
	groups := [3]overlay.Group{{Title: "Conversation"}, {Title: "Context"}, {Title: "Program"}}
	about := map[string]int{}
	for i, names := range []string{
		"new resume retry undo redo rewind fork rename delete expand export copy editor search cost diff",
		"compact summarize undo-compact redo-compact context history ledger review pin unpin profile window",
	} {
		for name := range strings.FieldsSeq(names) {
			about[name] = i + 1
		}
	}
	for _, c := range slashCommands() {
		g := &groups[(about[c.Name]+2)%3]
		g.Entries = append(g.Entries, overlay.Entry{Name: "/" + c.Name, Args: c.Args, What: c.Help})
	}
	return groups
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
	var helps, bound []string
	add := func(id, name, help string, by ...key.Binding) {
		items = append(items, overlay.Item{ID: id, Title: "/" + name})
		helps, bound = append(helps, help), append(bound, helpKeys(by...))
	}
	for _, c := range slashCommands() {
		name := c.Name
		if c.Needs {
			name += " " + c.Args
		}
		add(c.Name, name, c.Help, keysOf(keys, c.Name)...)
		if c.Name == "compact" {
			add(palettePreview, palettePreview, "preview a compaction", keys.Screen.PreviewCompaction)
		}
	}
	details := choices.CommandDetails(helps, bound)
	for i := range items {
		items[i].Details = details.Of(i)
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
