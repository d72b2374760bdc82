package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/tui/composer"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
	"plimsoll/tui/settings"
)

// Keys go to the open dialog, then to the view that has the screen, then to the
// composer, then to the main screen.
// Interrupt is the exception: it works everywhere, unless it copies a selection.

func (m *Model) handleKey(k tea.KeyPressMsg) tea.Cmd {
	m.keyboard.allKeys++
	if hasText(k) {
		m.keyboard.textKeys++
	}
	if key.Matches(k, m.env.Keys.Screen.Interrupt) && !(m.keyTarget() == keyTarget{} && m.chat.composer.TakesKey(k)) {
		return m.interrupt()
	}
	m.secondInterrupt = secondPress{}
	if !key.Matches(k, m.env.Keys.Screen.Cancel) {
		m.secondCancel = secondPress{}
	}
	return m.dispatchInput(k)
}

// dispatchInput passes a key or a paste to the top dialog, view or composer. A question that
// appeared too recently to be read is closed again, and what it covers gets the key.
func (m *Model) dispatchInput(msg tea.Msg) tea.Cmd {
	if k, is := msg.(tea.KeyPressMsg); is && m.dialogs.stack.InFlow() && key.Matches(k, m.env.Keys.Screen.PageUp, m.env.Keys.Screen.PageDown) {
		cmd, _ := m.handleMainKey(k)
		return cmd
	}
	if m.dialogs.stack.Len() > 0 {
		action, unread := m.dialogs.dispatch(msg)
		if unread {
			return tea.Batch(m.dispatchInput(msg), m.do(m.dialogs.openQuestions()))
		}
		return m.do(action)
	}
	if m.views.topView() != nil {
		m.dialogs.recordTyping(hasText(msg))
		return m.dispatchToView(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.handleChatKey(msg)
	case tea.PasteMsg:
		action := m.chat.doComposerAction(m.chat.composer.Update(msg), nil, nil)
		m.dialogs.recordTyping(true)
		return m.do(actionList{action, m.chat.refreshFiles()})
	}
	return nil
}

// dispatchToView passes a message to the top view. A key that the view does not use is
// handled as one that means the same everywhere.
func (m *Model) dispatchToView(msg tea.Msg) tea.Cmd {
	action := m.views.dispatch(msg)
	if _, ignored := action.(pane.Ignored); !ignored {
		return m.do(action)
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		cmd, _ := m.handleSharedKey(k)
		return cmd
	}
	return nil
}

func (m *Model) handleChatKey(k tea.KeyPressMsg) tea.Cmd {
	// In a draft the key moves the cursor, unless something runs that could be moved.
	if key.Matches(k, m.env.Keys.Screen.Background) && (m.chat.composer.Empty() || m.session.activity.status.Phase == updates.Running) {
		return m.do(m.env.tryAsync(m.env.Backend.MoveToBackground, failureSnackbar)) // the result of its call says what happened
	}
	if !m.chat.composer.TakesKey(k) {
		if cmd, done := m.handleMainKey(k); done {
			return cmd
		}
	}
	action, wrote := m.chat.composeKey(k)
	if _, ignored := action.(pane.Ignored); ignored {
		return m.handleUnusedKey(k)
	}
	m.dialogs.recordTyping(wrote)
	return m.do(action)
}

// handleMainKey handles the keys of the main screen that do not depend on the draft.
func (m *Model) handleMainKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys, transcript := m.env.Keys.Screen, m.chat.transcript
	switch {
	case key.Matches(k, keys.PageUp):
		transcript.PageBy(-1)
	case key.Matches(k, keys.PageDown):
		transcript.PageBy(1)
	case key.Matches(k, keys.Expand):
		transcript.ToggleExpanded()
	case key.Matches(k, keys.Legend):
		m.chat.toggleLegend()
	case key.Matches(k, keys.CopyReply):
		return m.do(m.chat.copyReply("")), true
	case key.Matches(k, keys.Panel):
		return m.do(m.chat.togglePanel()), true
	case key.Matches(k, keys.Mode):
		return m.do(m.session.cycleMode()), true
	case key.Matches(k, keys.PasteImage):
		return m.pasteImage(), true
	case key.Matches(k, keys.TakeBack):
		if len(m.chat.outbox.queued) > 0 {
			m.session.Session.ReturnQueued()
		}
	default:
		return m.handleSharedKey(k)
	}
	return nil, true
}

// handleSharedKey handles the keys that mean the same in every view.
func (m *Model) handleSharedKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys := m.env.Keys.Screen
	switch {
	case key.Matches(k, keys.History):
		return m.do(m.views.toggleHistory()), true
	case key.Matches(k, keys.Palette):
		return m.do(m.openPalette()), true
	case key.Matches(k, keys.UndoCompaction):
		return m.do(m.session.undoCompaction(0)), true
	case key.Matches(k, keys.Redraw):
		return redraw, true
	case key.Matches(k, keys.Suspend):
		return tea.Suspend, true
	}
	return nil, false
}

// handleUnusedKey handles the keys that the composer does not use.
func (m *Model) handleUnusedKey(k tea.KeyPressMsg) tea.Cmd {
	keys, transcript := m.env.Keys.Screen, m.chat.transcript
	switch {
	case key.Matches(k, keys.Cancel):
		if transcript.Selecting() {
			transcript.ClearSelection()
			return nil
		}
		if !m.chat.cancel() {
			return m.handleIdleCancel()
		}
	case key.Matches(k, keys.Quit) && m.chat.composer.Empty():
		return tea.Quit
	case key.Matches(k, keys.PreviewCompaction) && m.chat.composer.Empty():
		return m.do(m.views.previewDefault())
	case key.Matches(k, m.env.Keys.Composer.Writing.Send) && m.chat.composer.Empty():
		if m.session.Elsewhere.Closed {
			return m.do(takeOver{})
		}
		if len(m.session.runningTasks) > 0 {
			return m.do(m.openRunningTask())
		}
		if m.chat.sendsAgain() {
			return m.do(m.session.retry())
		}
		if provider, yes := m.chat.offersConnect(); yes {
			return m.do(connect{provider})
		}
	case key.Matches(k, keys.ScrollUp):
		transcript.ScrollBy(-1)
	case key.Matches(k, keys.ScrollDown):
		transcript.ScrollBy(1)
	case key.Matches(k, keys.Top):
		transcript.ToTop()
	case key.Matches(k, keys.End):
		transcript.ToEnd()
	}
	return nil
}

// interrupt copies the selection of the transcript, or stops what runs, or closes the top dialog or view, or clears the draft,
// or at the second press quits. A turn that is already stopping does not delay quitting.
func (m *Model) interrupt() tea.Cmd {
	again := m.secondInterrupt.isSecond(&m.snackbar, m.keyTarget())
	switch {
	case m.keyTarget() == keyTarget{} && m.chat.transcript.Selecting():
		return m.do(copyText(m.chat.transcript.TakeSelection(), "the selection"))
	case m.chat.shell.running() || m.chat.outbox.runningOwnCommand() != nil || m.session.activity.stoppable():
		m.chat.cancel()
		return nil
	case m.dialogs.stack.Len() > 0:
		return m.do(m.dialogs.stack.Dismiss(m.env.Now()))
	case m.views.topView() != nil:
		return m.do(m.views.close())
	case !m.chat.composer.Empty():
		m.chat.composer.Clear()
		return nil
	case m.parent != nil:
		return m.goBack()
	case again:
		return tea.Quit
	}
	cmd := m.do(textSnackbar("press " + m.env.Keys.Screen.Interrupt.Help().Key + " again to quit"))
	m.secondInterrupt.snackbarSeq = m.snackbar.seq
	return cmd
}

// handleIdleCancel handles Cancel if there is nothing to cancel: the second press in a row stashes
// the draft, or without a draft goes back to an earlier message.
func (m *Model) handleIdleCancel() tea.Cmd {
	if m.parent != nil {
		return m.goBack()
	}
	if m.backTo != "" && m.chat.composer.Empty() {
		return m.resume(m.backTo)
	}
	again := m.secondCancel.isSecond(&m.snackbar, m.keyTarget())
	writes, to := !m.chat.composer.Empty(), " again to go back to an earlier message"
	if writes {
		to = " again to stash the draft"
	}
	switch {
	case writes && again:
		m.snackbar.hide(m.snackbar.seq)
		return m.do(m.drafts.stashOrClear())
	case writes:
	case m.session.whyNotRewindable() != "":
		return nil
	case again:
		m.snackbar.hide(m.snackbar.seq)
		return m.do(m.session.pickTurn(m.chat.outbox.typedLabel, false))
	}
	cmd := m.do(textSnackbar(m.env.Keys.Screen.Cancel.Help().Key + to))
	m.secondCancel.snackbarSeq = m.snackbar.seq
	return cmd
}

func (m *Model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case m.dialogs.stack.Len() > 0 && !m.dialogs.stack.InFlow():
		return m.do(m.dialogs.stack.Update(msg, m.env.Now()))
	case m.views.topView() != nil:
		return m.dispatchToView(msg)
	}
	return m.do(m.chat.handleMouse(msg))
}

// navigate carries out actions that lead to another view, turn or conversation, or change compactions.
func (m *Model) navigate(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case composer.Command:
		if slices.ContainsFunc(m.chat.own, func(o OwnCommand) bool { return o.Name == a.Name }) {
			return m.do(m.chat.sendOwnCommand(a))
		}
		return m.runTypedCommand(a)
	case approveOwnCommand:
		return m.do(m.dialogs.addQuestion(m.chat.outbox.ownCommandQuestion(a, m.dialogs)))
	case offerPlan:
		m.dialogs.recordTyping(false) // the user asked for it with a key
		return m.do(m.dialogs.offerPlan(a.mode))
	case carryOut:
		return m.do(m.carryOutPlan(a))
	case composer.Help:
		return m.do(help(m.env.Keys))
	case deferred:
		return a()
	case connect:
		return m.do(m.dialogs.connecting.start(a.provider))
	case resume:
		return m.resume(a.id)
	case readSettings:
		return m.do(m.views.readSettings())
	case openConversation:
		return m.leaveAndOpen(a.open, a.request)
	case openTask:
		return m.openTask(a.id)
	case taskOpened:
		return m.showTask(a)
	case takeOver:
		return m.leaveAndOpen(m.env.openStored(m.session.ID), openRequest{isTakeover: true})
	case showHit:
		return m.showHit(a)
	case history.Fork:
		return m.forkAt(a.Before)
	case history.Resend:
		if why := m.session.whyNotRewindable(); why != "" {
			return m.do(refusal(why))
		}
		m.views.closeAll(nil)
		return m.do(m.session.rewind(a.Turn))
	case showPlan:
		return m.do(m.views.openPlan(a))
	case settings.OpenDialog:
		return openSetting(m, a.Dialog)
	case pane.Closed:
		return m.do(m.views.close())
	case pane.Jump:
		return m.do(m.views.openHistoryAt(a.Event, ""))
	case pane.Copy:
		return m.do(copyText(a.Text, a.What))
	case pane.Pin:
		return m.do(m.session.pin(a.Events, a.Pinned))
	case pane.Mask:
		return m.do(m.session.changePrompt("shortens it", func() { m.session.Session.Mask(a.Events) }))
	case pane.Undo:
		return m.do(m.session.undoCompaction(a.Epoch))
	case pane.Redo:
		return m.do(m.session.redoCompaction())
	case pane.Restore:
		return m.do(m.session.redo())
	case pane.Preview:
		return m.do(m.views.previewDefault())
	}
	return nil
}
