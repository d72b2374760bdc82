package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Update handles a message. Every case is one call; none waits or does I/O.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case tea.PasteMsg:
		cmd = m.paste(msg)
	case tea.MouseMsg:
		cmd = m.mouse(msg)
	case updatesMsg:
		cmd = m.updates(msg)
	case tickMsg:
		cmd = m.ticked(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.background(msg)
	case tea.ResumeMsg:
		cmd = tea.ClearScreen
	default:
		cmd = m.arrived(msg)
	}
	m.layout()
	return m, cmd
}

// arrived handles what commands bring back.
func (m *Model) arrived(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return m.opened(msg)
	case snackOverMsg:
		if msg.seq == m.status.snackSeq {
			m.status.snack = ""
		}
	case quitOverMsg:
		m.quitting = false
	case filesMsg:
		m.composer.SetFiles(msg.files)
	case promptsMsg:
		m.composer.SetHistory(msg.texts)
	case conversationsMsg:
		return m.pickConversation(msg)
	case modelsMsg:
		return m.pickModel(msg)
	case pageMsg:
		return m.showPage(msg)
	case shellMsg:
		return m.shellDone(msg)
	case editorMsg:
		if msg.err != nil {
			return m.say(msg.err.Error(), true)
		}
		return edit(msg)
	case editedMsg:
		return m.edited(msg)
	case attachedMsg:
		return m.attached(msg)
	case doneMsg:
		if msg.err != nil && m.ctx.Err() == nil {
			return m.say(msg.err.Error(), true)
		}
	}
	return nil
}

// background chooses the theme once the terminal has said what it is like.
func (m *Model) background(msg tea.BackgroundColorMsg) {
	m.dark = msg.IsDark()
	if theme, ok := chooseTheme(m.options.Theme, m.dark, m.options.Colourless); ok && theme.Name != m.look.theme.Name {
		m.setLook(newLook(theme))
	}
}

// ticked moves what moves, and goes on while something does.
func (m *Model) ticked(msg tickMsg) tea.Cmd {
	m.ticking = false
	m.status.frame++
	m.status.clock = msg.time()
	m.transcript.SetFrame(m.status.frame)
	return m.keepTicking()
}

// opened takes over a conversation.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		if !m.talk.open {
			m.talk.Notes = []string{msg.err.Error()}
		}
		return m.say(msg.err.Error(), true)
	}
	early := m.talk.early
	if m.talk.open {
		m.clearDialogs() // they were about the one that is left
	}
	m.talk = talk{Conversation: msg.talk, open: true, meter: compact.NewMeter(compact.MeterOptions{Window: msg.talk.Model.Window})}
	m.status.queued, m.status.now.Phase = nil, ""
	m.composer.SetBusy(false)
	m.transcript.SetFactor(m.factor())
	m.transcript.Reset(msg.talk.Events)
	cmds := []tea.Cmd{listen(m.ctx, msg.talk.Updates)}
	for _, note := range msg.talk.Notes {
		m.transcript.Note(note)
	}
	if msg.talk.ReadOnly != "" {
		m.transcript.Note(msg.talk.ReadOnly)
	}
	for _, text := range early {
		cmds = append(cmds, m.send(text))
	}
	return tea.Batch(cmds...)
}

// shellDone shows the output of the user's own command, and sends it if it was
// to become part of the conversation.
func (m *Model) shellDone(msg shellMsg) tea.Cmd {
	if msg.err != nil {
		return m.say(fmt.Sprintf("%s: %v", msg.command, msg.err), true)
	}
	if msg.add {
		return m.send(fmt.Sprintf("I ran `%s`:\n\n```\n%s\n```", msg.command, msg.output))
	}
	m.show("! "+msg.command, msg.output)
	return nil
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		return m.say(msg.err.Error(), true)
	}
	m.composer.SetText(msg.text)
	return nil
}

func (m *Model) attached(msg attachedMsg) tea.Cmd {
	if msg.err != nil {
		m.composer.Prepend(msg.text)
		return m.say(msg.err.Error(), true)
	}
	return m.deliver(msg.text + msg.files)
}

// send gives a message to the conversation, with the files it mentions.
func (m *Model) send(text string) tea.Cmd {
	if !m.talk.open {
		m.talk.early = append(m.talk.early, text)
		return nil
	}
	if m.talk.ReadOnly != "" {
		m.composer.Prepend(text)
		return m.say(m.talk.ReadOnly, true)
	}
	return m.deliver(text)
}

// deliver hands a message over and remembers it as a prompt.
func (m *Model) deliver(text string) tea.Cmd {
	m.transcript.ToEnd()
	m.talk.Session.Send(text)
	ctx, prompts := m.ctx, m.options.Prompts
	return func() tea.Msg { return doneMsg{prompts.Remember(ctx, text)} }
}

// metered takes over the meter.
func (m *Model) metered(meter compact.Meter) {
	m.talk.meter, m.talk.reply = meter, conversation.Size{}
	m.transcript.SetFactor(m.factor())
}
