package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/composer"
)

// slashCommand is a slash command: what the list shows, and what it does.
type slashCommand struct {
	composer.CommandSpec
	run func(m *Model, args string) tea.Cmd
}

// slashCommands lists the commands in the order they are offered.
func slashCommands() []slashCommand {
	cmd := func(name, args, help string, run func(*Model, string) tea.Cmd, aliases ...string) slashCommand {
		return slashCommand{composer.CommandSpec{Name: name, Aliases: aliases, Args: args, Needs: args != "" && args[0] != '[', Help: help}, run}
	}
	return []slashCommand{
		cmd("new", "", "begin another conversation", (*Model).slashNew, "clear"),
		cmd("resume", "[ID]", "continue another conversation", (*Model).slashResume, "sessions"),
		cmd("compact", "[FOCUS]", "shorten older turns in the context; --dry-run shows it first", (*Model).slashCompact, "compress"),
		cmd("summarize", "[FOCUS]", "compact it by a summary, with the flags of /compact", (*Model).slashSummarize),
		cmd("undo-compact", "[NUMBER]", "undo a compaction: the newest, or the one with this number", (*Model).slashUndoCompact),
		cmd("redo-compact", "", "redo the compaction that was undone last", (*Model).slashRedoCompact),
		cmd("context", "", "what fills the window, and what compaction will do next", (*Model).slashContext, "tokens"),
		cmd("history", "[TURN]", "what was said beside what the model sees", (*Model).slashHistory),
		cmd("ledger", "", "every compaction and what became of it", (*Model).slashLedger),
		cmd("review", "", "read the summary that waits for you", (*Model).slashReview),
		cmd("search", "[TEXT]", "find words in all conversations", (*Model).slashSearch),
		cmd("pin", "[TURN]", "keep a turn or an event (e41) verbatim in every compaction", (*Model).slashPin),
		cmd("unpin", "[TURN]", "no longer keep a turn or an event verbatim", (*Model).slashUnpin),
		cmd("undo", "", "undo the newest turn; your message returns to the composer", (*Model).slashUndo),
		cmd("redo", "", "redo the turns that were undone last", (*Model).slashRedo),
		cmd("rewind", "[TURN]", "go back to an earlier message, or go on from there in a copy", (*Model).slashRewind),
		cmd("profile", "[NAME]", "the profile of compactions that name none", (*Model).slashProfile),
		cmd("fork", "[--compact]", "continue a copy of this conversation, compacted if you like", (*Model).slashFork, "branch"),
		cmd("rename", "TITLE", "give the conversation a title", (*Model).slashRename),
		cmd("delete", "", "remove this conversation for good", (*Model).slashDelete),
		cmd("model", "[NAME]", "talk to another model", (*Model).slashModel, "models"),
		cmd("connect", "", "which models can be reached, and how to reach others", pageCommand("Connect", PageConnect)),
		cmd("theme", "[NAME]", "change the colours", (*Model).slashTheme),
		cmd("permissions", "[MODE]", "what runs without asking", (*Model).slashPermissions),
		cmd("tools", "", "what the model can call", pageCommand("Tools", PageTools)),
		cmd("todos", "", "the model's list of steps", pageCommand("Todos", PageTodos)),
		cmd("cost", "", "what the conversation has cost", pageCommand("Cost", PageCost)),
		cmd("expand", "[ID]", "read in full what was said: an event (e41), a turn (t3), a call", pageCommand("In full", PageResult)),
		cmd("export", "[FILE]", "write the conversation to a file: .md, .json or .jsonl", pageCommand("Export", PageExport)),
		cmd("copy", "", "copy the last reply", (*Model).slashCopy),
		cmd("editor", "", "write in $EDITOR", (*Model).slashEditor),
		cmd("doctor", "", "check the installation", pageCommand("Doctor", PageDoctor)),
		cmd("help", "", "keys and commands", (*Model).slashHelp, "?"),
		cmd("quit", "", "leave", (*Model).slashQuit, "exit", "q"),
	}
}

func commandSpecs() []composer.CommandSpec {
	var specs []composer.CommandSpec
	for _, c := range slashCommands() {
		specs = append(specs, c.CommandSpec)
	}
	return specs
}

// command runs a slash command that was typed. One that fails leaves its line in
// the composer, also where it fails later: nobody types it again.
func (m *Model) command(c composer.Command) tea.Cmd {
	said := m.status.snack.seq
	cmd := m.slash(c)
	line := typedLine{c.Line, m.hands.pressed}
	if s := m.status.snack; s.seq != said && s.bad {
		m.leave(line)
		return cmd
	}
	switch c.Name {
	case "compact", "summarize", "undo-compact", "redo-compact", "pin", "unpin":
		m.talk.line = line
	}
	return watched(line, cmd)
}

// typedLine is a command as it was typed.
type typedLine struct {
	text  string
	asked int // the key before it was sent, by hands.pressed
}

// leave leaves a line in the composer. Where something was typed since, the next
// letter would become part of it: then the prompt history has it.
func (m *Model) leave(line typedLine) {
	if m.composer.Empty() && line.asked == m.hands.pressed {
		m.composer.SetText(line.text)
		return
	}
	m.composer.Keep(line.text)
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

// commandFailed says why a command failed and leaves its line. One that asks for a
// yes has not failed yet.
func (m *Model) commandFailed(msg failedMsg) tea.Cmd {
	cmd := m.arrived(msg.of)
	if m.door.consent == nil {
		m.leave(msg.line)
	}
	return cmd
}

// slash runs a slash command.
func (m *Model) slash(c composer.Command) tea.Cmd {
	for _, known := range slashCommands() {
		if known.Name == c.Name {
			return known.run(m, c.Args)
		}
	}
	return m.say("there is no command /"+c.Name, true)
}

func pageCommand(title, page string) func(*Model, string) tea.Cmd {
	return func(m *Model, about string) tea.Cmd { return m.loadPage(title, page, about) }
}

func (m *Model) slashNew(string) tea.Cmd {
	return m.enter(m.options.Backend.New)
}

func (m *Model) slashResume(args string) tea.Cmd {
	if args != "" {
		return m.resume(args)
	}
	return m.loadConversations()
}

func (m *Model) slashRename(args string) tea.Cmd {
	if args == "" {
		return m.say("write the title behind it: /rename TITLE", true)
	}
	if !m.talk.open || m.talk.ReadOnly != "" {
		return m.say("this conversation cannot be renamed here", true)
	}
	m.talk.Session.Rename(args)
	return nil
}

func (m *Model) slashDelete(string) tea.Cmd {
	if !m.talk.open || m.talk.ReadOnly != "" {
		return m.say("this conversation cannot be deleted here", true)
	}
	m.confirmDelete()
	return nil
}

func (m *Model) slashModel(args string) tea.Cmd {
	if args != "" {
		return m.switchModel(args)
	}
	return m.loadModels()
}

func (m *Model) slashTheme(args string) tea.Cmd {
	if args == "" {
		m.pickTheme()
		return nil
	}
	return m.setTheme(args)
}

// setTheme draws everything in another theme.
func (m *Model) setTheme(name string) tea.Cmd {
	if m.options.Colourless {
		return m.say("colours are turned off (NO_COLOR)", true)
	}
	theme, ok := chooseTheme(name, m.dark, false)
	if !ok {
		return m.say(fmt.Sprintf("there is no theme %q; there are auto, dark, light, %s", name, strings.Join(themes.Names(), ", ")), true)
	}
	m.options.Theme = name
	m.setLook(newLook(theme))
	return m.say("theme: "+theme.Name, false)
}

// nextMode is the mode after the one in force.
func (m *Model) nextMode() conversation.Mode {
	modes := conversation.Modes()
	return modes[(slices.Index(modes, m.talk.Mode)+1)%len(modes)]
}

func (m *Model) slashCopy(string) tea.Cmd {
	text := m.transcript.LastReply()
	if text == "" {
		return m.say("there is no reply to copy yet", true)
	}
	return tea.Batch(tea.SetClipboard(text), m.say("copied the last reply", false))
}

func (m *Model) slashEditor(string) tea.Cmd { return m.openEditor(m.composer.Draft()) }

func (m *Model) slashHelp(string) tea.Cmd {
	m.showHelp()
	return nil
}

func (m *Model) slashQuit(string) tea.Cmd { return tea.Quit }
