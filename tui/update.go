package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/tui/alert"
	"plimsoll/tui/pane"
)

// Update handles a message. Every case is one call; none waits or does I/O.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	m.outside.touched(msg, m.env.Now)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case tea.PasteMsg:
		m.keyboard.pressed++
		cmd = m.give(msg)
	case tea.MouseMsg:
		cmd = m.mouse(msg)
	case updatesMsg:
		cmd = m.updates(msg)
	case tickMsg:
		cmd = m.ticked(msg)
	case tea.WindowSizeMsg:
		cmd = m.resize(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		if m.terminal.measures(msg) {
			m.dialogs.stack.Settle(nil)
		}
		cmd = m.outside.reported(msg)
	case tea.BackgroundColorMsg:
		m.theme.background(msg.IsDark())
	case tea.ColorProfileMsg:
		m.theme.colors(msg.Profile)
	case tea.FocusMsg:
		cmd = m.focus(true)
	case tea.BlurMsg:
		cmd = m.focus(false)
	case alert.Beat:
		cmd = m.outside.progress.Beat(msg)
	case tea.ResumeMsg:
		cmd = redraw
	default:
		cmd = m.arrived(msg)
	}
	m.setLook()
	m.views.renew()
	if due := m.views.wanted(); due != nil {
		cmd = tea.Batch(cmd, due)
	}
	m.snackbar.place(m.inSight())
	m.layout()
	if watch := m.drafts.watch(); watch != nil {
		cmd = tea.Batch(cmd, watch)
	}
	if show := m.outside.show(m.session); show != nil {
		cmd = tea.Batch(cmd, show)
	}
	return m, cmd
}

// ticked moves what moves.
func (m *Model) ticked(msg tickMsg) tea.Cmd {
	if m.session.load.show() {
		m.views.outdated()
	}
	return m.do(m.chat.ticked(msg))
}

// arrived handles the messages of commands.
func (m *Model) arrived(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return m.opened(msg)
	case requestMsg, fullMsg, searchMsg, foundMsg, changedMsg, summaryEditedMsg, settingsMsg, settingTriedMsg, settingDoneMsg:
		return m.do(m.views.arrived(msg))
	case snackbarOverMsg:
		m.snackbar.over(msg.seq)
	case coldMsg:
		m.views.outdated()
		return m.do(m.session.wokeCold())
	case modelsMsg:
		return m.listed(msg.asked, msg.err, say("the models are listed: /model shows them"), func() pane.Action { return m.lists.openModels(msg.choices) })
	case conversationsMsg:
		return m.listed(msg.asked, msg.err, say("the conversations are listed: /resume shows them"), func() pane.Action { return m.lists.openConversations(msg.list) })
	case providersMsg, offeredMsg, triedMsg, forgottenMsg:
		return m.connected(msg)
	case exchangeMsg:
		return m.inList(m.lists.previewed(msg))
	case shelfMsg:
		return m.inList(m.lists.changed(msg))
	case themesMsg:
		return m.themesRead(msg)
	case rulesMsg:
		// What could not be read is listed with the rest.
		return m.listed(msg.asked, nil, say("the rules are listed: /permissions shows them"), func() pane.Action {
			return several{m.session.listRules(msg.rules), missing{msg.err}}
		})
	case pageMsg:
		return m.listed(msg.asked, msg.err, output{msg.title, msg.text}, func() pane.Action { return page(msg.title, msg.text) })
	case revokedMsg:
		if msg.err != nil {
			return m.miss(msg.err)
		}
		return m.do(several{say("revoked: " + msg.rule.Text), m.views.readSettings()})
	case judgedMsg:
		m.dialogs.judged(msg)
	case draftMsg:
		return m.drafts.keep()
	case pausedMsg:
		return m.do(m.dialogs.paused())
	case failedMsg:
		return m.commandFailed(msg)
	case switchedMsg:
		return m.orConsent(msg.err)
	case doneMsg:
		if msg.err != nil && m.env.ctx.Err() == nil {
			return m.snackbar.add(msg.err.Error(), m.inSight())
		}
	case outsideMsg:
	default:
		return m.do(m.chat.arrived(msg))
	}
	return nil
}

// connected shows what the way to a model leads to next.
func (m *Model) connected(msg tea.Msg) tea.Cmd {
	c, undisturbed := &m.dialogs.connecting, func(asked int) bool { return asked == m.keyboard.pressed && m.dialogs.stack.Len() == 0 }
	switch msg := msg.(type) {
	case providersMsg:
		switch {
		case msg.err != nil:
			return m.miss(msg.err)
		case !undisturbed(msg.asked):
			return m.do(say("the providers are listed: /connect shows them"))
		}
		return m.do(c.listed(msg.list, msg.named))
	case offeredMsg:
		return m.do(c.offered(msg, undisturbed(msg.asked)))
	case triedMsg:
		return m.do(c.tried(msg, m.dialogs.stack))
	case forgottenMsg:
		if msg.err != nil {
			return m.miss(msg.err)
		}
		return m.do(c.forgotten(msg.provider, undisturbed(msg.asked)))
	}
	return nil
}

// listed shows what was read for a key, if nothing was typed since; otherwise late says
// where it is.
func (m *Model) listed(asked int, err error, late pane.Action, show func() pane.Action) tea.Cmd {
	switch {
	case err != nil:
		return m.miss(err)
	case !m.still(asked):
		return m.do(late)
	}
	return m.do(show())
}

// still reports whether what a key asked for may open now: nothing was typed since, and
// nothing is being written.
func (m *Model) still(asked int) bool {
	return asked == m.keyboard.pressed && m.dialogs.stack.Len() == 0 && (m.views.top() != nil || m.chat.composer.Empty())
}

// updates shows all that happened since the last time, in order, and listens
// for more.
func (m *Model) updates(msg updatesMsg) tea.Cmd {
	if msg.from != m.session.Session {
		return nil // of a conversation that was left
	}
	var cmds []tea.Cmd
	for _, u := range msg.list {
		if cmd := m.apply(u); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	cmds = append(cmds, m.outside.call(m.session))
	m.views.outdated()
	if msg.ended {
		m.session.ended()
	} else {
		cmds = append(cmds, m.env.listen(msg.from))
	}
	return tea.Batch(append(cmds, m.do(m.chat.keepTicking()))...)
}

// apply gives an update to the parts: the session takes it over, the others show it.
func (m *Model) apply(u updates.Update) tea.Cmd {
	m.outside.watch.Update(u, m.env.Now())
	return tea.Batch(m.do(m.session.update(u)), m.do(m.chat.update(u)), m.do(m.dialogs.update(u)), m.do(m.views.update(u)))
}

// commandFailed says why a command failed and leaves its line. One that asks for a
// yes has not failed yet.
func (m *Model) commandFailed(msg failedMsg) tea.Cmd {
	cmd := m.arrived(msg.of)
	if m.dialogs.consent == nil {
		m.chat.outbox.leaveLine(msg.line)
	}
	return cmd
}
