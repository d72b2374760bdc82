package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
)

// Keys go to the open dialog, then to the view that has the screen, then to the
// composer, then to the main screen.
// Interrupt is the exception: it works everywhere.

func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	if writes(k) {
		m.hands.pressed++
	}
	if key.Matches(k, m.options.Keys.Screen.Interrupt) {
		return m.interrupt()
	}
	m.hands.quitSeq = 0
	if !key.Matches(k, m.options.Keys.Screen.Cancel) {
		m.hands.backSeq = 0
	}
	return m.give(k)
}

// give gives a key or a paste to what is in sight. A question that nobody can have
// read yet goes away again: the key was meant for what it covers.
func (m *Model) give(msg tea.Msg) tea.Cmd {
	if top := m.overlays.Top(); top != nil {
		now := m.options.Now()
		action, cmd := m.overlays.Update(msg, now)
		_, early := action.(overlay.Early)
		// Who just answered a question and presses on means the one below it.
		if early && now.Sub(m.hands.answered) >= overlay.Grace && m.putOff(top) {
			return tea.Batch(m.give(msg), m.openQuestions())
		}
		open := m.overlays.Top() == top
		if !open {
			m.hands.answered = now
		}
		m.hands.wroteIn(open && !early && writes(msg), now)
		return tea.Batch(cmd, m.answer(action))
	}
	if v := m.views.top(); v != nil {
		m.hands.wroteIn(writes(msg), m.options.Now())
		return m.updateView(v, msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.compose(msg)
	case tea.PasteMsg:
		action, cmd := m.composer.Update(msg)
		m.hands.wroteIn(true, m.options.Now())
		return tea.Batch(cmd, m.act(action, nil, nil))
	}
	return nil
}

// compose handles a key of the conversation and its composer.
func (m *Model) compose(k tea.KeyPressMsg) tea.Cmd {
	if cmd, done := m.global(k); done {
		return cmd
	}
	named, unknown := m.composer.Mentions(), m.composer.Unknown() // sending empties the composer
	action, cmd := m.composer.Update(k)
	if _, ignored := action.(pane.Ignored); ignored {
		return m.fallback(k)
	}
	m.hands.wroteIn(!m.composer.Empty(), m.options.Now()) // what was sent is written to its end
	return tea.Batch(cmd, m.act(action, named, unknown), m.freshFiles())
}

// global handles the keys that mean the same whatever is typed.
func (m *Model) global(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys := m.options.Keys.Screen
	switch {
	case key.Matches(k, keys.PageUp):
		m.transcript.PageBy(-1)
	case key.Matches(k, keys.PageDown):
		m.transcript.PageBy(1)
	case key.Matches(k, keys.ScrollUp):
		m.transcript.ScrollBy(-1)
	case key.Matches(k, keys.ScrollDown):
		m.transcript.ScrollBy(1)
	case key.Matches(k, keys.Expand):
		m.transcript.ToggleExpanded()
	case key.Matches(k, keys.Mode):
		return m.setMode(m.nextMode()), true
	case key.Matches(k, keys.TakeBack):
		if len(m.status.queued) > 0 {
			m.talk.Session.TakeBack()
		}
	default:
		return m.everywhere(k)
	}
	return nil, true
}

// everywhere handles the keys that mean the same in every view.
func (m *Model) everywhere(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys := m.options.Keys.Screen
	switch {
	case key.Matches(k, keys.History):
		return m.openHistory(), true
	case key.Matches(k, keys.Palette):
		m.openPalette()
		return nil, true
	case key.Matches(k, keys.UndoCompaction):
		return m.undoCompaction(0), true
	case key.Matches(k, keys.Redraw):
		return redraw, true
	case key.Matches(k, keys.Suspend):
		return tea.Suspend, true
	}
	return nil, false
}

// fallback handles the keys that the composer has no use for.
func (m *Model) fallback(k tea.KeyPressMsg) tea.Cmd {
	keys := m.options.Keys.Screen
	switch {
	case key.Matches(k, keys.Cancel):
		if m.transcript.Selecting() {
			m.transcript.ClearSelection()
			return nil
		}
		if !m.cancel() {
			return m.goBack()
		}
	case key.Matches(k, keys.Quit) && m.composer.Empty():
		return tea.Quit
	case key.Matches(k, keys.PreviewCompaction) && m.composer.Empty():
		return m.previewAny()
	case key.Matches(k, keys.Top):
		m.transcript.ToTop()
	case key.Matches(k, keys.End):
		m.transcript.ToEnd()
	}
	return nil
}

// cancel stops the user's own command, or else the turn, or else the summary that
// is being written; queued messages come back by themselves. It reports whether
// there was something to stop.
func (m *Model) cancel() bool {
	switch job := &m.status.job; {
	case m.shellRuns():
		m.stopShell()
	case m.busy() || job.on || len(m.status.queued) > 0:
		job.stopped = job.stopped || job.on && !m.turnRuns()
		m.talk.Session.Cancel()
	default:
		return false
	}
	return true
}

// shellRuns reports whether a command of the user's own runs that was not told to
// stop.
func (m *Model) shellRuns() bool { return m.shell != nil && !m.shell.stopped }

// stoppable reports whether something runs that was not told to stop.
func (m *Model) stoppable() bool {
	switch s := &m.status; {
	case m.shellRuns():
		return true
	case s.now.Phase == agent.Stopping:
		return false
	case s.job.on && !m.turnRuns():
		return !s.job.stopped
	}
	return m.busy()
}

// interrupt stops what runs, then clears what is typed, then quits. What is
// already told to stop does not keep the user from leaving.
func (m *Model) interrupt() tea.Cmd {
	again := m.hands.quitSeq != 0 && m.hands.quitSeq == m.status.snack.seq && m.snackText() != ""
	m.hands.quitSeq = 0
	switch {
	case m.stoppable():
		m.cancel()
		return nil
	case m.overlays.Len() > 0:
		return m.closeTop()
	case m.views.top() != nil:
		return m.closeView()
	case !m.composer.Empty():
		m.composer.Clear()
		return nil
	case again:
		return tea.Quit
	}
	cmd := m.say("press "+m.options.Keys.Screen.Interrupt.Help().Key+" again to quit", false)
	m.hands.quitSeq = m.status.snack.seq
	return cmd
}

// act carries out what the composer decided.
func (m *Model) act(action pane.Action, named []File, unknown []string) tea.Cmd {
	switch a := action.(type) {
	case composer.Submit:
		return m.submit(a.Text, named, unknown)
	case composer.Queue:
		return m.submit(a.Text, named, unknown)
	case composer.Command:
		return m.command(a)
	case composer.UnknownCommand:
		text := "there is no command /" + a.Name
		if a.Nearest != "" {
			text += "; did you mean /" + a.Nearest + "?"
		}
		return m.say(text, true)
	case composer.Shell:
		return m.startShell(a.Command, a.Add)
	case composer.Editor:
		return m.openEditor(a.Text)
	case composer.Help:
		m.showHelp()
	}
	return nil
}

func (m *Model) paste(p tea.PasteMsg) tea.Cmd {
	m.hands.pressed++
	return m.give(p)
}

func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.overlays.Len() > 0 {
		action, cmd := m.overlays.Update(msg, m.options.Now())
		return tea.Batch(cmd, m.answer(action))
	}
	if v := m.views.top(); v != nil {
		return m.updateView(v, msg)
	}
	at := msg.Mouse()
	y := at.Y - m.screen.plan.top()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if by := pane.Wheel(msg); by != 0 {
			m.transcript.ScrollBy(by)
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && y >= 0 && y < m.transcript.Height() {
			m.transcript.Press(at.X, y)
		}
		if p := m.screen.plan; at.Button == tea.MouseLeft && at.Y >= p.composerTop() {
			m.composer.Click(at.X, at.Y-p.composerTop()+m.boxBegins())
		}
	case tea.MouseMotionMsg:
		if at.Button == tea.MouseLeft {
			m.transcript.Drag(at.X, y)
		}
	case tea.MouseReleaseMsg:
		return m.released(m.transcript.Release())
	}
	return nil
}

// released carries out what came of a press of the mouse.
func (m *Model) released(r transcript.Released) tea.Cmd {
	switch {
	case r.Text != "":
		return tea.Batch(tea.SetClipboard(r.Text), m.say("copied the selection", false))
	case r.Undo != 0:
		return m.undoCompaction(r.Undo)
	case r.View != 0:
		return m.openHistoryAt(r.View, "")
	}
	return nil
}

// answer carries out what a dialog decided.
func (m *Model) answer(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case overlay.Approved:
		m.reply(a.ID, conversation.Answer{Grant: a.Grant, Rules: a.Rules, Text: a.Reason})
	case overlay.EditedRules:
		return m.judge(a)
	case overlay.Answered:
		m.reply(a.ID, conversation.Answer{Grant: conversation.GrantOnce, Text: a.Text})
	case overlay.Dismissed:
		m.reply(a.ID, conversation.Answer{Grant: conversation.GrantNo})
	case overlay.Picked:
		return m.picked(a)
	case overlay.Confirmed:
		return m.confirmed(a)
	}
	return nil
}
