package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// help opens the help, generated from the keymaps and the commands: a page for each part
// of the program, which fits a screen of 80x24.
func help(keys KeyMap) pane.Action {
	dialogs := keys.Dialogs
	group := func(title string, keymap any) dialog.Group {
		return dialog.KeyGroup(title, pane.BindingsIn(keymap)...)
	}
	commands := [3]dialog.Group{{Title: "Conversation"}, {Title: "Context"}, {Title: "Program"}}
	for _, c := range slashCommands() {
		g := &commands[c.group]
		g.Entries = append(g.Entries, dialog.Entry{Name: "/" + c.Name, What: c.Help})
	}
	views := map[string]dialog.Group{}
	for _, v := range keys.viewKeymaps() {
		views[v.name] = group(v.title, v.keys)
	}
	e := keys.Composer.Editing
	editing, lines := dialog.KeyGroup("Editing a message", append(pane.BindingsIn(e.Keys), e.Copy, e.Cut)...), group("Lines to type in, and texts", keys.Review.Edit)
	lines.Entries = slices.DeleteFunc(lines.Entries, func(e dialog.Entry) bool { return slices.Contains(editing.Entries, e) })
	editing.Entries = append([]dialog.Entry{{Name: "shift+←↑↓→", What: "select, as with other moves"}}, editing.Entries...)
	tab := func(title string, groups ...dialog.Group) dialog.Tab {
		return dialog.Tab{Title: title, Groups: groups}
	}
	return openDialog{dialog.NewHelp(
		tab("chat", group("Writing", keys.Composer.Writing), lineSyntax),
		tab("keys", group("Screen", keys.Screen)),
		tab("commands", commands[aboutConversation], commands[aboutProgram]),
		tab("context", commands[aboutContext], views["context"]),
		tab("history", group("Moving in full-screen views", keys.History.Moves), views["history"]),
		tab("preview", views["preview"], views["review"]),
		tab("views", views["search"], views["diff"], views["settings"]),
		tab("edit", editing, lines),
		tab("lists", group("Dialogs", dialogs.Moves), group("Answers", dialogs.Answers), group("Lists of models and conversations", dialogs.Lists)),
	)}
}

// lineSyntax lists the characters with a special meaning in messages.
var lineSyntax = dialog.Group{Title: "Files and commands", Entries: []dialog.Entry{
	{Name: "@FILE", What: "add a file's text to the message; @FILE:3-9 some lines of it"},
	{Name: "@FOLDER/", What: "add the names of what is in a folder"},
	{Name: "!COMMAND", What: "run a command; the model reads its output with your next message"},
	{Name: "!!COMMAND", What: "run a command; only you see its output"},
}}

// openPalette opens a list of all commands with their keys, which typing filters. A command that
// needs arguments is put into the composer, to be completed there.
func (m *Model) openPalette() pane.Action {
	s, w := m.env.Keys.Screen, m.env.Keys.Composer.Writing
	bound := map[string]key.Binding{"history": s.History, "undo-compact": s.UndoCompaction, "editor": w.Editor,
		"help": w.Help, "quit": s.Quit, "permissions": s.Mode}
	var items []dialog.Item
	for _, c := range slashCommands() {
		title := "/" + c.Name
		if c.Needs {
			title += " " + c.Args
		}
		items = append(items, dialog.Item{ID: c.Name, Title: title, Columns: []string{c.Help, keyOr(bound[c.Name], "")}})
	}
	for _, o := range m.chat.own {
		items = append(items, dialog.Item{ID: o.Name, Title: "/" + o.Name, Columns: []string{plain.Line(o.Help), o.Origin}})
	}
	return open(dialog.PickerOptions{Title: "Commands", Items: items, Choose: func(name, _ string) pane.Action {
		return deferred(func() tea.Cmd { return m.runFromPalette(name) })
	}})
}

// runFromPalette runs a chosen command, or puts it into the composer.
func (m *Model) runFromPalette(name string) tea.Cmd {
	all := slashCommands()
	i := slices.IndexFunc(all, func(c slashCommand) bool { return c.Name == name })
	if i < 0 { // one of the user's own, which may take arguments
		all, i = []slashCommand{{CommandSpec: composer.CommandSpec{Name: name, Args: "an empty draft", Needs: true}}}, 0
	}
	switch c := all[i]; {
	case !c.Needs:
		return m.runCommand(composer.Command{Name: name})
	case !m.chat.composer.Empty():
		return m.do(refusal("/" + name + " needs " + c.Args + ": send or clear the draft, then write it"))
	}
	m.views.closeAll(nil)
	m.chat.composer.SetText("/" + name + " ")
	return nil
}
