package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/history"
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
		cmd = m.resize(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		m.clusters(msg)
	case tea.BackgroundColorMsg:
		m.background(msg)
	case tea.ResumeMsg:
		cmd = redraw
	default:
		cmd = m.arrived(msg)
	}
	cmd = tea.Batch(cmd, m.renewView())
	m.placeSnack()
	m.layout()
	return m, cmd
}

// arrived handles what commands bring back.
func (m *Model) arrived(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return m.opened(msg)
	case requestMsg:
		m.archived(msg.id, func(h *history.Model) { h.Request(msg.got, msg.err) })
	case fullMsg:
		m.archived(msg.id, func(h *history.Model) { h.Full(msg.event, msg.text, msg.err) })
	case copyMsg:
		return m.copied(msg)
	case searchMsg:
		return m.search(msg)
	case foundMsg:
		return m.showHits(msg)
	case summaryEditedMsg:
		return m.summaryEdited(msg)
	case snackOverMsg:
		if msg.seq == m.status.snack.seq {
			m.status.snack.text = ""
		}
	case coldMsg:
		return m.wokeCold()
	case filesMsg:
		m.composer.SetFiles(msg.files)
	case promptsMsg:
		m.composer.SetHistory(msg.texts)
	case conversationsMsg:
		return m.pickConversation(msg)
	case modelsMsg:
		return m.pickModel(msg)
	case rulesMsg:
		return m.pickRule(msg)
	case revokedMsg:
		return m.revoked(msg)
	case judgedMsg:
		msg.dialog.Judged(msg.rules, msg.offer, msg.err)
		m.overlays.Redraw()
	case pageMsg:
		return m.showPage(msg)
	case shellMsg:
		return m.shellDone(msg)
	case editorMsg:
		if msg.err != nil {
			return m.miss(msg.err)
		}
		return openEditor(msg)
	case editedMsg:
		return m.edited(msg)
	case attachedMsg:
		return m.attached(msg)
	case pausedMsg:
		m.hands.awaited = false
		return m.openQuestions()
	case failedMsg:
		return m.commandFailed(msg)
	case switchedMsg:
		if cmd, asks := m.needsConsent(msg.err); asks {
			return cmd
		}
		return m.miss(msg.err)
	case doneMsg:
		return m.aside(msg.err)
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

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		return m.miss(msg.err)
	}
	m.composer.SetText(msg.text)
	return nil
}
