package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/tui/alert"
	"plimsoll/tui/pane"
)

// Update handles a message. Every case is one call, which neither waits nor does I/O.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	m.outside.userActed(msg, m.env.Now)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case tea.PasteMsg:
		m.keyboard.pressed++
		m.keyboard.any++
		cmd = m.dispatch(msg)
	case tea.MouseMsg:
		cmd = m.mouse(msg)
	case updatesMsg:
		cmd = m.updates(msg)
	case tickMsg:
		cmd = m.ticked(msg)
	case result:
		cmd = m.do(msg.then())
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
	}
	m.setTheme()
	m.views.renew()
	cmds := []tea.Cmd{cmd, m.views.takeCommand()}
	m.snackbar.place(m.keyTarget())
	m.layout()
	return m, tea.Batch(append(cmds, m.drafts.watch(), m.outside.show(m.session))...)
}

// ticked moves spinners and updates elapsed times.
func (m *Model) ticked(msg tickMsg) tea.Cmd {
	if m.session.load.show() {
		m.views.markStale()
	}
	return m.do(m.chat.ticked(msg))
}

// updates passes pending updates to the parts, in order, and listens for
// more.
func (m *Model) updates(msg updatesMsg) tea.Cmd {
	if msg.from != m.session.Session {
		return nil // it is from a conversation that was left
	}
	var cmds []tea.Cmd
	for _, u := range msg.list {
		m.outside.watch.Update(u, m.env.Now())
		for _, part := range []func(updates.Update) pane.Action{m.session.update, m.chat.update, m.dialogs.update, m.views.update} {
			cmds = append(cmds, m.do(part(u))) // the session applies it, the others show it
		}
	}
	cmds = append(cmds, m.outside.notifyUser(m.session))
	m.views.markStale()
	if msg.ended { // no update will end the summary
		m.session.activity.job = summaryJob{}
	} else {
		cmds = append(cmds, m.env.listen(msg.from))
	}
	return tea.Batch(append(cmds, m.do(m.chat.keepTicking()))...)
}
