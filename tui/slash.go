package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/themes"
	"plimsoll/tui/account"
	"plimsoll/tui/choices"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// slashCommand is a slash command: what the list shows, and what it does.
type slashCommand struct {
	composer.CommandSpec
	run func(m *Model, args string) tea.Cmd
}

// inSession is a command about the open conversation.
func inSession(run func(s *session, args string) pane.Action) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd { return m.do(run(m.session, args)) }
}

// inViews is a command that opens a full-screen view.
func inViews(run func(v *views, args string) pane.Action) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd { return m.do(run(m.views, args)) }
}

// pageCommand is a command that shows a page of text.
func pageCommand(title, page string) func(*Model, string) tea.Cmd {
	return func(m *Model, about string) tea.Cmd { return m.env.loadPage(title, page, about, m.keyboard.pressed) }
}

// slashCommands lists the commands in the order they are offered.
func slashCommands() []slashCommand {
	cmd := func(name, args, help string, run func(*Model, string) tea.Cmd, aliases ...string) slashCommand {
		return slashCommand{composer.CommandSpec{Name: name, Aliases: aliases, Args: args, Needs: args != "" && args[0] != '[', Help: help, Forget: name == "connect"}, run}
	}
	return []slashCommand{
		cmd("new", "", "start a new conversation", func(m *Model, _ string) tea.Cmd { return m.enter(m.env.Backend.New, arrival{}) }, "clear"),
		cmd("resume", "[ID]", "open another conversation", resumeNamed, "sessions"),
		cmd("compact", "[FOCUS]", "compact older turns to free context", func(m *Model, args string) tea.Cmd { return compactAs(m, args, "") }, "compress"),
		cmd("summarize", "[FOCUS]", "compact with a summary by the model", func(m *Model, args string) tea.Cmd { return compactAs(m, args, preset.ProfileHeavy) }),
		cmd("undo-compact", "[NUMBER]", "undo a compaction", inSession((*session).undoNumbered)),
		cmd("redo-compact", "", "redo the last undone compaction", inSession(func(s *session, _ string) pane.Action { return s.redoCompaction() })),
		cmd("context", "", "show what fills the window", inViews(func(v *views, _ string) pane.Action { return v.openContext() }), "tokens"),
		cmd("history", "[TURN]", "show messages next to what is sent", inViews((*views).openHistoryNamed)),
		cmd("ledger", "", "list every compaction and its result", inViews(func(v *views, _ string) pane.Action { return v.openLedger() })),
		cmd("diff", "", "show changed files", inViews(func(v *views, _ string) pane.Action { return v.openDiff() })),
		cmd("review", "", "review the pending summary", inViews(func(v *views, _ string) pane.Action { return v.openReview() })),
		cmd("search", "[TEXT]", "search all conversations", inViews((*views).openSearch)),
		cmd("pin", "[TURN]", "never compact a turn or message", inSession(func(s *session, args string) pane.Action { return s.pinNamed(args, true) })),
		cmd("unpin", "[TURN]", "remove a pin", inSession(func(s *session, args string) pane.Action { return s.pinNamed(args, false) })),
		cmd("retry", "", "send the turn again", inSession(func(s *session, _ string) pane.Action { return s.retry() })),
		cmd("undo", "", "undo the last turn", inSession(func(s *session, _ string) pane.Action { return s.rewind(newestTurn) })),
		cmd("redo", "", "redo the undone turns", inSession(func(s *session, _ string) pane.Action { return s.restoreTurns() })),
		cmd("rewind", "[TURN]", "go back to a message", rewindNamed),
		cmd("profile", "[NAME]", "choose the default compaction profile", inSession((*session).profiles)),
		cmd("fork", "", "fork this conversation", func(m *Model, _ string) tea.Cmd { return m.enter(m.env.Backend.Fork, arrival{}) }, "branch"),
		cmd("rename", "TITLE", "rename this conversation", inSession((*session).rename)),
		cmd("delete", "", "delete this conversation", inSession(func(s *session, _ string) pane.Action { return s.delete() })),
		cmd("model", "[NAME]", "choose another model", switchNamed, "models"),
		cmd("effort", "[LEVEL]", "set how much the model reasons", effortNamed),
		cmd("window", "[TOKENS]", "set how many tokens the model holds", windowSaid),
		cmd("connect", "[PROVIDER]", "store a key for a provider", connectNamed),
		cmd("theme", "[NAME]", "choose a theme", themeNamed),
		cmd("permissions", "[MODE]", "choose what runs without asking", func(m *Model, args string) tea.Cmd { return m.do(m.session.permissions(args, m.keyboard.pressed)) }),
		cmd("settings", "", "change any setting", inViews(func(v *views, _ string) pane.Action { return v.openSettings() }), "config"),
		cmd("tools", "", "list the model's tools", pageCommand("Tools", PageTools)),
		cmd("todos", "", "show the to-do list", pageCommand("Todos", PageTodos)),
		cmd("status", "", "show model, rules, files and cost", pageCommand("Status", PageStatus)),
		cmd("cost", "", "show the cost so far", pageCommand("Cost", PageCost)),
		cmd("expand", "[ID]", "show a message in full", pageCommand("In full", PageResult)),
		cmd("export", "[FILE]", "write a .md, .json or .jsonl file", pageCommand("Export", PageExport)),
		cmd("copy", "[code [N]]", "copy the last reply, or its code", func(m *Model, args string) tea.Cmd { return m.do(m.chat.copyReply(args)) }),
		cmd("editor", "", "edit your message in $EDITOR", func(m *Model, _ string) tea.Cmd { return m.env.openEditor(m.chat.composer.Draft(), nil) }),
		cmd("doctor", "", "check the installation", pageCommand("Doctor", PageDoctor)),
		cmd("help", "", "show keys and commands", func(m *Model, _ string) tea.Cmd { return m.do(composer.Help{}) }, "?"),
		cmd("quit", "", "quit Plimsoll", func(*Model, string) tea.Cmd { return tea.Quit }, "exit", "q"),
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

// command runs a slash command that was typed. One that fails leaves its line in
// the composer, also where it fails later: nobody types it again.
func (m *Model) command(c composer.Command) tea.Cmd {
	before := m.snackbar.seq
	cmd := m.slash(c)
	line := typedLine{c.Line, m.keyboard.pressed}
	if m.snackbar.seq != before && m.snackbar.bad {
		m.chat.outbox.leaveLine(line)
		return cmd
	}
	switch c.Name {
	case "compact", "summarize", "undo-compact", "redo-compact", "pin", "unpin":
		m.chat.awaits(line)
	}
	return watched(line, cmd)
}

// watched is a command that tells with a failure which line asked for it.
func watched(line typedLine, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = watched(line, c)
			}
			return msg
		case failing:
			if msg.failure() != nil {
				return failedMsg{line, msg}
			}
			return msg
		default:
			return msg
		}
	}
}

// slash runs a slash command.
func (m *Model) slash(c composer.Command) tea.Cmd {
	for _, known := range slashCommands() {
		if known.Name == c.Name {
			return known.run(m, c.Args)
		}
	}
	return m.do(refuse("unknown command /" + c.Name))
}

// resumeNamed continues a conversation, or lets the user choose it.
func resumeNamed(m *Model, args string) tea.Cmd {
	if args != "" {
		return m.resume(args)
	}
	return m.env.loadConversations(m.keyboard.pressed)
}

// compactAs does what was typed behind the command, which takes the flags of the
// command line; profile is the one to use if none is named there, "" the default one.
func compactAs(m *Model, args, profile string) tea.Cmd {
	request, deed, err := edit.ParseRequest(args)
	if err != nil {
		return m.do(refuse(err.Error()))
	}
	if request.Profile == "" {
		request.Profile = profile
	}
	switch deed {
	case edit.OpPreview:
		return m.do(m.views.openPreview(request, nil))
	case edit.OpUndo:
		return m.do(m.session.undoCompaction(0))
	case edit.OpRedo:
		return m.do(m.session.redoCompaction())
	}
	return m.do(m.session.compact(request))
}

// rewindNamed undoes turns from the one on whose number is typed, or lets the
// user choose it.
func rewindNamed(m *Model, args string) tea.Cmd {
	if args == "" {
		return m.do(m.session.pickTurn(m.chat.outbox.label))
	}
	return m.do(m.session.rewindNamed(args))
}

// switchNamed talks to another model, or lets the user choose it.
func switchNamed(m *Model, args string) tea.Cmd {
	if args != "" {
		return m.env.switchModel(args)
	}
	return m.env.loadModels(m.keyboard.pressed)
}

// connectNamed leads to a model of a provider, or lets the user choose the provider. What
// follows its name may be a key, which is asked for where it stays hidden.
func connectNamed(m *Model, args string) tea.Cmd {
	name, _, _ := strings.Cut(args, " ")
	return m.env.loadProviders(name, m.keyboard.pressed)
}

// effortNamed changes how much the model reasons, or lets the user choose it.
func effortNamed(m *Model, args string) tea.Cmd {
	switch err := llm.CheckEffort(args); {
	case err != nil && args != autoEffort:
		return m.do(refuse(err.Error()))
	case args != "":
		return m.env.switchModel(args)
	}
	return m.do(pickEffort(m.session.Model.Effort))
}

// windowSaid says how many tokens the model holds, or shows what is known of that.
func windowSaid(m *Model, args string) tea.Cmd {
	if args != "" {
		return m.env.setWindow(args)
	}
	w := m.session.load.meter.Window()
	if !w.Known() {
		return m.do(say("the window of " + m.session.Model.Name() + " is unknown; /window 128k sets it"))
	}
	return m.do(say(pane.Tokens(w.Tokens) + " tokens, " + account.WindowNote(w.Source) + "; /window 128k sets another number"))
}

// autoEffort leaves it to the model.
const autoEffort = "auto"

func pickEffort(current string) pane.Action {
	items := []overlay.Item{{ID: autoEffort, Title: autoEffort, Detail: "the model decides", Current: current == ""}}
	for _, level := range llm.Efforts() {
		items = append(items, overlay.Item{ID: level, Title: level, Current: current == level})
	}
	return open(overlay.PickerOptions{ID: dialogEfforts, Title: "Effort: how much the model reasons", Items: items})
}

// themeNamed draws everything in another theme, or lets the user choose it. The user's
// own are read each time: they may be being written.
func themeNamed(m *Model, name string) tea.Cmd {
	if m.theme.colourless {
		return m.do(refuse("colors are off (NO_COLOR is set)"))
	}
	if name != "" && CheckTheme(name) == nil {
		return m.do(m.theme.set(name))
	}
	ctx, b, asked := m.env.ctx, m.env.Backend, m.keyboard.pressed
	return func() tea.Msg {
		own, err := b.Themes(ctx)
		if name != "" && CheckTheme(name, choices.Themes(own).Names()...) == nil {
			err = nil // of others
		} else if name != "" && err == nil {
			err = CheckTheme(name, choices.Themes(own).Names()...)
		}
		return themesMsg{own, name, asked, err}
	}
}

// themesMsg brings the user's own themes, for one that was named or for the choice.
type themesMsg struct {
	own   []themes.Theme
	name  string
	asked int
	err   error // why the one that was named is none, or others are
}

func (m themesMsg) failure() error {
	if m.name == "" {
		return nil
	}
	return m.err
}

// themesRead goes on with the user's own themes.
func (m *Model) themesRead(msg themesMsg) tea.Cmd {
	m.theme.renew(msg.own)
	switch {
	case msg.failure() != nil:
		return m.miss(msg.err)
	case msg.name != "":
		return m.do(m.theme.set(msg.name))
	}
	return m.listed(msg.asked, nil, say("the themes are listed: /theme shows them"), func() pane.Action { return m.theme.pick(msg.err) })
}

// failedMsg is a message that says of a command that it failed.
type failedMsg struct {
	line typedLine
	of   tea.Msg
}
