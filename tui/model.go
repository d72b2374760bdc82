package tui

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// Model is the root, and the only tea.Model. It routes messages to its parts, and carries
// out the actions that they return.
type Model struct {
	env             *env
	*front                 // of the conversation that is shown
	parent          *front // of the open conversation while one of its tasks is shown, else nil
	dialogs         *dialogs
	snackbar        snackbar
	keyboard        *keyboard
	secondInterrupt secondPress // a second Interrupt quits
	secondCancel    secondPress // a second Cancel stashes the draft or rewinds
	backTo          string      // conversation of the task that was continued in its place, to which Cancel goes back; "" for none
	openRequest     openRequest // what happens when the conversation that is being opened is open
	terminal        terminal
	signals         terminalSignals
	theme           theme
	pictures        pictures
}

// New returns the screen. It can be drawn at once; Init opens the conversation.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{env: &env{Options: o, ctx: ctx}, theme: newTheme(o), keyboard: &keyboard{},
		terminal: terminal{mouse: o.Mouse}, pictures: pictures{Pictures: o.Pictures}}
	s := newSession(m.env)
	m.dialogs = newDialogs(m.env, s, m.theme.styles)
	m.front = m.newFront(s)
	return m
}

// front shows one conversation: its state, the transcript, the composer and the lines around them, full-screen views, lists and the draft.
type front struct {
	session *session
	chat    *chat
	views   *views
	lists   *lists
	*drafts
}

func (m *Model) newFront(s *session) *front {
	c := newChat(m.env, s, m.keyboard, Commands(), m.theme.styles)
	s.outline, c.dialogs = c.transcript, m.dialogs.stack
	return &front{session: s, chat: c,
		views: &views{env: m.env, session: s, styles: m.theme.styles, meterReading: c.meterReading, drawGauges: c.gauge.Pair,
			viewSize: m.viewSize, runSettings: m.runSettings()},
		lists:  &lists{env: m.env, session: s, stack: m.dialogs.stack},
		drafts: &drafts{env: m.env, session: s, composer: c.composer, storeState: &storeState{}}}
}

// Init opens the conversation, and requests the background colour, prompts and files.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.leaveAndOpen(m.env.Backend.Open, openRequest{}), askBackground, m.chat.loadFiles(),
		loadInto(m.env, "reading the prompt history", m.env.Backend.Prompts, m.chat.composer.SetHistory)}
	if m.env.Pick {
		cmds = append(cmds, m.do(m.lists.conversations()))
	}
	return tea.Batch(append(cmds, m.pictures.start())...)
}

// runSetting is a setting that the screen itself stores, until the program ends.
type runSetting struct {
	get func() string
	set func(value string) pane.Action
}

func (m *Model) runSettings() map[string]runSetting {
	return map[string]runSetting{
		"permissions.mode": {func() string { return string(m.session.Mode) },
			func(value string) pane.Action { return m.session.setMode(conversation.Mode(value)) }},
		settingTheme: {func() string { return m.theme.name },
			func(value string) pane.Action { return themeCommand(m, value) }},
		"ui.mouse": {func() string { return strconv.FormatBool(m.terminal.mouse) }, func(value string) pane.Action {
			m.terminal.mouse = value == "true"
			return nil
		}},
		"ui.vim": {func() string { return strconv.FormatBool(m.env.Vim) }, func(value string) pane.Action {
			m.env.Vim = value == "true"
			m.chat.composer.SetVim(m.env.Vim)
			return nil
		}},
	}
}

func (m *Model) applyNewTheme() {
	m.theme.restoreAfterPicker(m.dialogs.stack)
	if !m.theme.needsApply {
		return
	}
	m.theme.needsApply = false
	ts := m.theme.styles
	m.chat.setTheme(ts)
	m.dialogs.stack.SetStyles(ts.styles)
	m.views.setTheme(ts)
	m.views.markStale()
}

// LastExchange returns the last exchange as plain text, to print when the program ends.
func (m *Model) LastExchange() string { return m.chat.transcript.LastExchange() }

// do carries out the action of a part.
func (m *Model) do(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case nil:
		return nil
	case tea.Cmd:
		return a
	case actionList:
		var cmds []tea.Cmd
		for _, part := range a {
			cmds = append(cmds, m.do(part))
		}
		return tea.Batch(cmds...)
	case pane.Snackbar:
		return m.snackbar.show(a.Text, a.Failure)
	case snackbarIfHidden:
		if m.views.topView() != nil || !m.chat.transcript.Shows(a.epoch) {
			return m.do(a.Snackbar)
		}
	case requestFailed:
		return m.showFailure(a.err)
	case changeModel:
		m.chat.outbox.modelChanges++
		return m.env.tryAsync(a.change, func(err error) pane.Action {
			m.chat.outbox.modelChanges--
			return modelChangeDone{err}
		})
	case modelChangeDone:
		sends := m.do(m.chat.outbox.modelChanged(a.err))
		if action, asks := m.dialogs.askConsent(a.err, openRequest{}); asks {
			return tea.Batch(sends, m.do(action))
		}
		return tea.Batch(sends, m.showFailure(a.err))
	case readAction:
		return m.runRead(a)
	case output:
		return m.do(m.chat.showOutput(a.title, a.text))
	case restoreLine:
		if m.dialogs.consent == nil { // a command that waits for consent has not failed yet
			m.chat.outbox.returnLine(a.line)
		}
	case compactionUndone:
		a.Text = "Compaction undone (" + m.views.redoHint() + " redoes it)" + a.Text
		return m.do(snackbarIfHidden(a))
	case openDialog:
		// The dialog would get the release of a pressed mouse button.
		m.chat.transcript.ClearSelection()
		m.dialogs.stack.Push(a.dialog, m.env.Now())
	case closeDialog:
		m.dialogs.stack.Remove(a.dialog, m.env.Now())
	case clockTick:
		m.views.markStale()
	case transcriptCovered:
		m.chat.transcript.ClearSelection()
	default:
		return m.navigate(a)
	}
	return nil
}

// showFailure shows a failed request of the user in the snackbar, or in the transcript
// if no conversation is open.
func (m *Model) showFailure(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil || !m.session.isOpen {
		return m.showFault(err)
	}
	return m.snackbar.show(err.Error(), true)
}

// showFault shows a failure in the transcript, where it stays. Failures because the program ends are not shown.
func (m *Model) showFault(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil {
		return nil
	}
	if !m.session.isOpen { // for the transcript of the conversation that opens
		m.session.earlyFailures = append(m.session.earlyFailures, err.Error())
	}
	m.chat.transcript.ShowError(err.Error(), "")
	return m.do(snackbarIfHidden{Snackbar: pane.Snackbar{Text: err.Error(), Failure: true}})
}

// openRequest says what to do once the conversation that is being opened is open.
type openRequest struct {
	nextID     string      // ID of the next conversation to open, may be ""
	textKeys   int         // keyboard.textKeys when it was requested
	draft      string      // text to put into the composer, may be ""
	target     target      // the event to show in the history; may be zero
	search     *searchView // the search that found the event, which stays open below; may be nil
	keepsDraft bool        // the draft stays in the composer, because its conversation is deleted
	backTo     string      // see Model
	isTakeover bool        // it is the shown conversation, which another window has closed
}

// One conversation is open at a time, and one at a time is being opened. A message
// sent meanwhile goes to the conversation that opens; messages queued in the old
// one return to the composer.

// leaveAndOpen leaves the conversation and calls open for another; next says what to do once that is open.
func (m *Model) leaveAndOpen(open func(context.Context) (Conversation, error), next openRequest) tea.Cmd {
	if m.session.isOpening {
		return m.do(refusal(busyOpening))
	}
	if m.parent != nil { // of a task, the conversation that it belongs to is left with it
		if next.isTakeover {
			next.draft, _ = m.chat.composer.TakeDrafts()
			next.backTo = m.parent.session.ID
		}
		task := m.session.Conversation
		return tea.Batch(m.closeTask(nil), m.leaveAndOpen(func(ctx context.Context) (Conversation, error) {
			defer task.Leave() // a fork is one of what is shown
			return open(ctx)
		}, next))
	}
	if !next.keepsDraft {
		m.drafts.takePrevious()
	}
	m.chat.outbox.returnUnsent() // it was meant for the one that is left
	next.textKeys = m.keyboard.textKeys
	m.openRequest = next
	m.session.isOpening, m.session.openError = true, ""
	ctx, storePrevious := m.env.ctx, m.drafts.newStore(m.drafts.previous.draftOwner, m.drafts.previous.Draft)
	return doAsync(func() (Conversation, error) {
		if err := storePrevious(ctx); err != nil {
			return Conversation{}, err
		}
		return open(ctx)
	}, func(c Conversation, err error) pane.Action { return m.conversationOpened(c, err) })
}

// resume opens another conversation. It first waits for one that is being opened.
func (m *Model) resume(id string) tea.Cmd {
	if m.session.isOpening {
		m.openRequest.nextID = id
		return nil
	}
	return m.leaveAndOpen(m.env.openStored(id), openRequest{})
}

// showHit shows a search hit in the history, over the search that found it. It first
// opens the conversation of the hit if that is another one.
func (m *Model) showHit(hit showHit) tea.Cmd {
	if hit.conversation == m.session.ID && m.session.isOpen {
		return m.do(m.views.openHistoryAt(hit.at.event, hit.at.query))
	}
	return m.leaveAndOpen(m.env.openStored(hit.conversation), openRequest{target: hit.at, search: hit.from})
}

// forkAt opens a copy of the messages before an event. A user message at the event is put into the composer.
func (m *Model) forkAt(before uint64) tea.Cmd {
	open := func(ctx context.Context) (Conversation, error) { return m.env.Backend.ForkAt(ctx, before) }
	return m.leaveAndOpen(open, openRequest{draft: m.chat.outbox.typedText(m.session.log.userMessage(before))})
}

// conversationOpened shows the conversation that was opened, or err if that failed.
func (m *Model) conversationOpened(c Conversation, err error) tea.Cmd {
	m.session.isOpening = false
	request := m.openRequest
	m.openRequest = openRequest{}
	undisturbed := request.textKeys == m.keyboard.textKeys && m.dialogs.stack.Len() == 0
	m.dialogs.closeConsent()
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, m.openFailed(err, request))
	} else {
		m.dialogs.closeQuestions(func(question) bool { return true }) // they belong to the conversation that was left
		m.signals.watch.Reset()
		if m.backTo = request.backTo; m.backTo != "" {
			cmds = append(cmds, m.do(textSnackbar(m.env.Keys.Screen.Cancel.Help().Key+" goes back to the conversation")))
		}
		shown := 0
		if request.isTakeover && m.session.ID == c.ID {
			shown = m.session.log.lengthIfPrefixOf(c.Events)
		}
		faults := m.session.setConversation(c)
		merges := m.drafts.setStored(c.Draft)
		m.views.previews, m.views.review = nil, nil
		m.views.closeAll(request.search) // the search that led here stays open: it covers all conversations
		m.chat.showConversation(faults, request.draft, shown)
		if merges {
			cmds = append(cmds, m.drafts.storeMerged())
		}
		if request.isTakeover && m.session.readOnly() {
			cmds = append(cmds, m.do(textSnackbar("another window was first; it is followed here")))
		}
		cmds = append(cmds, m.env.waitForUpdates(c.Session), m.chat.loadOwnCommands(), m.do(m.chat.refreshOwnStatus()))
		if request.target.event != 0 && undisturbed {
			cmds = append(cmds, m.do(m.views.openHistoryAt(request.target.event, request.target.query)))
		}
	}
	if request.nextID != "" {
		cmds = append(cmds, m.resume(request.nextID))
	}
	return tea.Batch(append(cmds, m.do(m.chat.outbox.flush()))...)
}

// openFailed shows why a conversation was not opened. The conversation that is open stays open.
func (m *Model) openFailed(err error, request openRequest) tea.Cmd {
	m.drafts.restorePrevious()
	if m.session.isOpen {
		m.chat.outbox.returnUnsent() // it was meant for the conversation that failed to open
	}
	request.nextID, request.keepsDraft = "", false // the next one is opened by the caller, and nothing was deleted
	if action, asks := m.dialogs.askConsent(err, request); asks {
		return m.do(action)
	}
	m.chat.outbox.returnUnsent()
	if !m.session.isOpen {
		m.session.openError = err.Error()
		return nil
	}
	return m.showFailure(err)
}
