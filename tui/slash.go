package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/tui/breakdown"
	"plimsoll/tui/choices"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// slashCommand is a slash command: its text in the list of completions, its group in the help, and its function.
type slashCommand struct {
	composer.CommandSpec
	group int
	run   func(m *Model, args string) pane.Action
}

// The groups of commands in the help.
const (
	aboutConversation = iota
	aboutContext
	aboutProgram
)

func pageCommand(title, page string) func(*Model, string) pane.Action {
	return func(m *Model, about string) pane.Action { return m.env.loadPage(title, page, about) }
}

// slashCommands lists the commands in the order they are offered.
func slashCommands() []slashCommand {
	cmd := func(group int, name, args, help string, run func(*Model, string) pane.Action, aliases ...string) slashCommand {
		return slashCommand{composer.CommandSpec{Name: name, Aliases: aliases, Args: args, Needs: args != "" && args[0] != '[', Help: help, Forget: name == "connect"}, group, run}
	}
	const chat, window, program = aboutConversation, aboutContext, aboutProgram
	return []slashCommand{
		cmd(chat, "new", "", "start a new one", func(m *Model, _ string) pane.Action { return openConversation{open: m.env.Backend.New} }, "clear"),
		cmd(chat, "resume", "[ID]", "open another conversation", resumeCommand, "sessions"),
		cmd(window, "compact", "[FOCUS]", "compact older turns to free context", func(m *Model, args string) pane.Action { return compactCommand(m, args, "") }, "compress"),
		cmd(window, "summarize", "[FOCUS]", "compact with a summary by the model", func(m *Model, args string) pane.Action { return compactCommand(m, args, preset.ProfileHeavy) }),
		cmd(window, "undo-compact", "[NUMBER]", "undo a compaction", func(m *Model, args string) pane.Action { return m.session.undoNumbered(args) }),
		cmd(window, "redo-compact", "", "redo the last undone compaction", func(m *Model, _ string) pane.Action { return m.session.redoCompaction() }),
		cmd(window, "context", "", "show what fills the window", func(m *Model, _ string) pane.Action { return m.views.openContext() }, "tokens"),
		cmd(window, "history", "[TURN]", "show messages next to what is sent", func(m *Model, args string) pane.Action { return m.views.openHistoryNamed(args) }),
		cmd(window, "ledger", "", "list every compaction and its result", func(m *Model, _ string) pane.Action { return m.views.openCompactionLog() }),
		cmd(chat, "diff", "[TURN]", "show changed files", func(m *Model, args string) pane.Action { return m.views.openDiff(args) }),
		cmd(window, "review", "", "review the pending summary", func(m *Model, _ string) pane.Action { return m.views.openReview() }),
		cmd(chat, "search", "[TEXT]", "search all conversations", func(m *Model, args string) pane.Action { return m.views.openSearch(args) }),
		cmd(window, "pin", "[TURN]", "never compact a turn or message", func(m *Model, args string) pane.Action { return m.session.pinNamed(args, true) }),
		cmd(window, "unpin", "[TURN]", "remove a pin", func(m *Model, args string) pane.Action { return m.session.pinNamed(args, false) }),
		cmd(chat, "retry", "", "send the turn again", func(m *Model, _ string) pane.Action { return m.session.retry() }),
		cmd(chat, "undo", "", "undo the last turn", func(m *Model, _ string) pane.Action { return m.session.rewind(newestTurn) }),
		cmd(chat, "redo", "", "redo undone turns", func(m *Model, _ string) pane.Action { return m.session.redo() }),
		cmd(chat, "rewind", "[TURN [files]]", "go back to a message", rewindCommand),
		cmd(chat, "checkpoints", "", "turns that edited", func(m *Model, _ string) pane.Action { return m.session.pickTurn(m.chat.outbox.typedLabel, true) }),
		cmd(window, "profile", "[NAME]", "choose the default compaction profile", func(m *Model, args string) pane.Action { return m.session.profileCommand(args) }),
		cmd(chat, "fork", "", "go on in a copy", func(m *Model, _ string) pane.Action { return openConversation{open: m.env.Backend.Fork} }, "branch"),
		cmd(chat, "rename", "TITLE", "change the title", func(m *Model, args string) pane.Action { return m.session.rename(args) }),
		cmd(chat, "delete", "", "delete it for good", func(m *Model, _ string) pane.Action { return m.session.confirmDelete() }),
		cmd(program, "model", "[NAME]", "choose another model", modelCommand, "models"),
		cmd(program, "effort", "[LEVEL]", "how much it thinks", effortCommand),
		cmd(window, "window", "[TOKENS]", "set how many tokens the model holds", windowCommand),
		cmd(program, "connect", "[PROVIDER]", "store a key", connectCommand),
		cmd(program, "theme", "[NAME]", "choose a theme", func(m *Model, args string) pane.Action { return themeCommand(m, args) }),
		cmd(program, "permissions", "[MODE]", "choose what may run", func(m *Model, args string) pane.Action { return m.session.permissionsCommand(args) }),
		cmd(program, "settings", "", "change any setting", func(m *Model, _ string) pane.Action { return m.views.openSettings() }, "config"),
		cmd(program, "tools", "", "list the tools", pageCommand("Tools", PageTools)),
		cmd(program, "mcp", "[ACTION]", "list MCP servers", pageCommand("MCP servers", PageMCP)),
		cmd(window, "memory", "", "list the instructions, and open them", func(m *Model, _ string) pane.Action { return m.lists.memory(false) }, "instructions"),
		cmd(program, "skills", "", "list the skills", func(m *Model, _ string) pane.Action { return m.lists.skills() }),
		cmd(program, "tasks", "", "list and open tasks", func(m *Model, _ string) pane.Action { return m.lists.tasks() }),
		cmd(program, "agents", "", "list your agents", pageCommand("Agents", PageAgents)),
		cmd(window, "commands", "", "list your own commands", func(m *Model, _ string) pane.Action { return m.chat.listOwnCommands() }),
		cmd(program, "jobs", "", "background commands", func(m *Model, _ string) pane.Action { return m.lists.backgroundJobs() }),
		cmd(program, "todos", "", "show the to-do list", pageCommand("Todos", PageTodos)),
		cmd(window, "status", "", "show model, rules, files and cost", pageCommand("Status", PageStatus)),
		cmd(chat, "cost", "", "show the cost so far", pageCommand("Cost", PageCost)),
		cmd(chat, "expand", "[ID]", "a message in full", pageCommand("In full", PageResult)),
		cmd(chat, "export", "[FILE]", "write it to a file", pageCommand("Export", PageExport)),
		cmd(chat, "share", "[FILE]", "a page for a browser", shareCommand),
		cmd(chat, "copy", "[code]", "copy a reply or code", func(m *Model, args string) pane.Action { return m.chat.copyReply(args) }),
		cmd(chat, "editor", "", "write in $EDITOR", func(m *Model, _ string) pane.Action { return m.chat.editDraft(m.chat.composer.Draft()) }),
		cmd(program, "doctor", "", "check the setup", pageCommand("Doctor", PageDoctor)),
		cmd(program, "help", "", "show keys and commands", func(*Model, string) pane.Action { return composer.Help{} }, "?"),
		cmd(program, "quit", "", "quit Plimsoll", func(*Model, string) pane.Action { return tea.Cmd(tea.Quit) }, "exit", "q"),
	}
}

// Commands lists the slash commands in the order they are offered.
func Commands() []composer.CommandSpec {
	var specs []composer.CommandSpec
	for _, c := range slashCommands() {
		specs = append(specs, c.CommandSpec)
	}
	return specs
}

// runTypedCommand runs a slash command that was typed. If it fails, at once or later, its line
// returns to the composer, so that the user need not type it again.
func (m *Model) runTypedCommand(c composer.Command) tea.Cmd {
	before := m.snackbar.seq
	cmd := m.runCommand(c)
	line := typedLine{c.Line, m.keyboard.textKeys}
	if m.snackbar.seq != before && m.snackbar.isFailure {
		m.chat.outbox.returnLine(line)
		return cmd
	}
	switch c.Name {
	case "compact", "summarize", "undo-compact", "redo-compact", "pin", "unpin":
		m.chat.pendingLine = line // an update will tell whether it failed
	}
	return restoreLineOnFailure(line, cmd)
}

// restoreLineOnFailure wraps the commands of a line, so that the line returns to the composer if one fails.
func restoreLineOnFailure(line typedLine, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = restoreLineOnFailure(line, c)
			}
			return msg
		case commandResult:
			if msg.err == nil {
				return msg
			}
			return commandResult{then: func() pane.Action { return actionList{msg.then(), restoreLine{line}} }}
		default:
			return msg
		}
	}
}

func (m *Model) runCommand(c composer.Command) tea.Cmd {
	for _, known := range slashCommands() {
		if known.Name == c.Name {
			return m.do(known.run(m, c.Args))
		}
	}
	return m.do(refusal("unknown command /" + c.Name))
}

// resumeCommand opens a conversation, or lets the user choose one.
func resumeCommand(m *Model, args string) pane.Action {
	if args != "" {
		return resume{args}
	}
	return m.lists.conversations()
}

// compactCommand carries out /compact with its arguments, which are those of the command
// line; profile is used if the arguments name none, "" for the default profile.
func compactCommand(m *Model, args, profile string) pane.Action {
	request, operation, err := edit.ParseRequest(args)
	if err != nil {
		return refusal(err.Error())
	}
	request.From, request.To = request.From.CountedFromOne(), request.To.CountedFromOne()
	request.Profile = cmp.Or(request.Profile, profile)
	switch operation {
	case edit.OpPreview:
		return m.views.openPreview(request)
	case edit.OpUndo:
		return m.session.undoCompaction(0)
	case edit.OpRedo:
		return m.session.redoCompaction()
	}
	return m.session.changePrompt("compacts", func() { m.session.Session.Compact(request) })
}

// shareCommand writes the conversation as a page for a browser, after asking what to leave out.
func shareCommand(m *Model, file string) pane.Action {
	env := m.env
	form := dialog.NewForm(conversation.Review{
		Title:    "Share",
		Question: "One page for a browser, in a file: nothing is sent anywhere. Keys are left out. What else?",
		Form: []conversation.FormField{
			{Name: "output", Type: "boolean", Title: "leave out the output of tools", Description: "what commands and other tools returned"},
			{Name: "files", Type: "boolean", Title: "leave out contents of files", Description: "attached files, diffs, arguments, and what tools read"},
			{Name: "images", Type: "boolean", Title: "leave out images"},
			{Name: "home", Type: "boolean", Title: "write ~ for your home folder", Description: "or its path is in what tools returned", Default: true},
		},
	}, func(values map[string]any, ok bool) pane.Action {
		if !ok {
			return nil
		}
		without := "none"
		for _, word := range []string{"output", "files", "images", "home"} {
			if values[word] == true {
				without += "," + word
			}
		}
		return env.loadPage("Share", PageShare, without+" "+file)
	})
	return openDialog{form.WithWords("write", "cancel")}
}

// rewindCommand undoes all turns from a typed number on, or lets the user choose the turn.
func rewindCommand(m *Model, args string) pane.Action {
	if args == "" {
		return m.session.pickTurn(m.chat.outbox.typedLabel, false)
	}
	return m.session.rewindNamed(args)
}

// modelCommand switches to another model, or lets the user choose one.
func modelCommand(m *Model, args string) pane.Action {
	if args != "" {
		return m.env.switchModel(args)
	}
	return m.lists.chooseModel()
}

// connectCommand connects a provider, or lets the user choose one. Text after the name may
// be a key; it is dropped, because a key is entered only in its hidden input.
func connectCommand(_ *Model, args string) pane.Action {
	name, _, _ := strings.Cut(args, " ")
	return connect{name}
}

// effortCommand changes how much the model reasons, or lets the user choose it.
func effortCommand(m *Model, args string) pane.Action {
	switch err := llm.CheckEffort(args); {
	case err != nil && args != autoEffort:
		return refusal(err.Error())
	case args != "":
		return m.env.switchModel(args)
	}
	return m.pickEffort()
}

// windowCommand sets how many tokens the model's window has, or shows it.
func windowCommand(m *Model, args string) pane.Action {
	if args != "" {
		b := m.env.Backend
		return changeModel{func(ctx context.Context) error { return b.SetWindow(ctx, args) }}
	}
	w := m.session.load.meter.Window()
	if !w.IsKnown() {
		return textSnackbar("the window of " + m.session.Model.Name() + " is unknown; /window 128k sets it")
	}
	return textSnackbar(pane.Tokens(w.Tokens) + " tokens, " + breakdown.WindowNote(w.Source) + "; /window 128k sets another number")
}

// autoEffort leaves the effort to the model.
const autoEffort = "auto"

func (m *Model) pickEffort() pane.Action {
	current := m.session.Model.Effort
	items := []dialog.Item{{ID: autoEffort, Title: autoEffort, Columns: []string{"the model decides"}, Current: current == ""}}
	for _, level := range llm.Efforts() {
		items = append(items, dialog.Item{ID: level, Title: level, Current: current == level})
	}
	return open(dialog.PickerOptions{Title: "Effort: how much the model reasons", Items: items,
		Choose: func(level, _ string) pane.Action { return m.env.switchModel(level) }})
}

// themeCommand chooses a theme, or lets the user choose one. The user's own themes are read
// each time, because the user may be editing them.
func themeCommand(m *Model, name string) tea.Cmd {
	if m.theme.colourless {
		return m.do(refusal("colors are off (NO_COLOR is set)"))
	}
	b := m.env.Backend
	return m.do(readAction(func(ctx context.Context) (show, late func() pane.Action, err error) {
		own, unread := b.Themes(ctx)
		set := func() pane.Action {
			m.theme.setOwnThemes(own)
			return m.theme.choose(name)
		}
		if name != "" {
			if err := CheckTheme(name, choices.Themes(own).Names()...); err != nil {
				return nil, nil, errors.Join(unread, err)
			}
			return set, set, nil
		}
		late = func() pane.Action { return textSnackbar("the themes are listed: /theme shows them") }
		return func() pane.Action { m.theme.setOwnThemes(own); return m.theme.openPicker(unread) }, late, nil
	}))
}
