package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"plimsoll/agent/updates"
	"plimsoll/tui/alert"
	"plimsoll/tui/pane"
)

// Update handles a message. Every case is one call, which neither waits nor does I/O.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		m.signals.watch.UserActed(m.env.Now())
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		cmd = m.handleKey(msg)
	case tea.PasteMsg:
		m.keyboard.textKeys++
		m.keyboard.allKeys++
		if cmd = m.dispatchInput(msg); msg.Content == "" && m.keyTarget() == (keyTarget{}) { // the terminal pastes only text
			cmd = m.pasteImage()
		}
	case tea.MouseMsg:
		cmd = m.handleMouse(msg)
	case updatesMsg:
		cmd = m.applyUpdates(msg)
	case tickMsg:
		cmd = m.ticked(msg)
	case shrinkTick:
		cmd = m.do(msg.stepped())
	case commandResult:
		cmd = m.do(msg.then())
	case tea.WindowSizeMsg:
		cmd = m.resize(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		if m.terminal.updateClusters(msg) {
			m.dialogs.stack.SetLineFilter(nil)
		}
		cmd = m.signals.modeReported(msg)
	case tea.BackgroundColorMsg:
		m.theme.setDarkBackground(msg.IsDark())
	case uv.PrimaryDeviceAttributesEvent:
		m.theme.attributesReported()
	case tea.ColorProfileMsg:
		m.theme.setColors(msg.Profile)
		m.pictures.colors = msg.Profile >= colorprofile.ANSI256
	case uv.KittyGraphicsEvent:
		m.pictures.canDraw = m.pictures.canDraw || m.pictures.Draw != nil && string(msg.Payload) == "OK" // the answer to the query
	case pictureMsg:
		cmd = m.pictures.show(msg, m.chat.transcript)
	case tea.FocusMsg:
		cmd = m.setFocused(true)
	case tea.BlurMsg:
		cmd = m.setFocused(false)
	case alert.Tick:
		cmd = m.signals.progress.Tick(msg)
	case tea.ResumeMsg:
		cmd = redraw
	}
	m.applyNewTheme()
	m.views.refreshVisible()
	cmds := []tea.Cmd{cmd, m.views.pendingCommand}
	m.views.pendingCommand = nil
	m.snackbar.bindTo(m.keyTarget())
	m.views.resize()
	m.chat.layout(m.surroundings())
	return m, tea.Batch(append(cmds, m.drafts.storeSoon(), m.signals.updateBar(m.session), m.pictures.next(m.env.ctx, m.chat.transcript))...)
}

// ticked shows the next frame of the spinners and the elapsed times, and continues while something runs.
func (m *Model) ticked(msg tickMsg) tea.Cmd {
	c := msg.chat
	if c.session.load.showReply() {
		m.views.markStale()
	}
	c.animation.tickPending, c.animation.clock = false, msg.at
	c.animation.frame += framesPerTick
	c.transcript.SetFrame(c.animation.frame)
	return m.do(c.keepTicking())
}

// applyUpdates passes pending updates to the parts, in order, and listens for more.
func (m *Model) applyUpdates(msg updatesMsg) tea.Cmd {
	if m.parent != nil && msg.from == m.parent.session.Session {
		shown := m.front
		m.front = m.parent
		defer func() { m.front = shown }()
	}
	if msg.from != m.session.Session {
		return nil // it is from a conversation that was left
	}
	var cmds []tea.Cmd
	parts := []func(updates.Update) pane.Action{m.session.update, m.chat.update, m.views.update} // the session applies it, the others show it
	if m.dialogs.session == m.session {
		parts = append(parts, m.dialogs.update)
	}
	for _, u := range msg.list {
		m.signals.watch.Update(u, m.env.Now())
		for _, part := range parts {
			cmds = append(cmds, m.do(part(u)))
		}
	}
	cmds = append(cmds, m.signals.notifyUser(m.session))
	m.views.markStale()
	if msg.ended { // no update will end the summary
		m.session.activity.summary = summaryJob{}
	} else {
		cmds = append(cmds, m.env.waitForUpdates(msg.from))
	}
	return tea.Batch(append(cmds, m.do(m.chat.keepTicking()))...)
}
