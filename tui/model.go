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
	env      *env
	session  *session // the open conversation
	chat     *chat    // transcript, composer, and the lines around them
	views    *views   // full-screen views
	dialogs  *dialogs
	snackbar snackbar
	keyboard *keyboard
	quits    repeat // a second Interrupt quits
	rewinds  repeat // a second Cancel stashes the draft or rewinds
	lists    *lists
	*drafts
	arrival  arrival // what happens when the conversation that is being opened is open
	terminal terminal
	outside  outside
	theme    theme
}

// New returns the screen. It can be drawn at once; Init opens the conversation.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &env{Options: o, ctx: ctx}
	t := newTheme(o)
	keys := &keyboard{}
	m := &Model{env: e, theme: t, keyboard: keys, terminal: terminal{stale: true, mouse: o.Mouse}}
	m.session = newSession(e)
	m.chat = newChat(e, m.session, keys, Commands(), t.styles)
	m.session.outline = m.chat.transcript
	m.drafts = &drafts{env: e, session: m.session, composer: m.chat.composer, queue: &draftQueue{}}
	m.views = &views{env: e, session: m.session, styles: t.styles, reading: m.chat.reading, gauges: m.chat.gauge.Pair}
	m.views.room = m.room
	m.views.inRun = m.runSettings()
	m.dialogs = newDialogs(e, m.session, t.styles)
	m.lists = &lists{env: e, session: m.session, stack: m.dialogs.stack}
	return m
}

// Init opens the conversation, and requests the background colour, prompts and files.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.enter(m.env.Backend.Open, arrival{}), tea.RequestBackgroundColor, m.chat.loadPrompts(), m.chat.loadFiles()}
	if m.env.Pick {
		cmds = append(cmds, m.do(m.lists.conversations()))
	}
	return tea.Batch(cmds...)
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
		settingTheme: {func() string { return m.theme.name }, func(value string) pane.Action { return themeNamed(m, value) }},
		"ui.mouse": {func() string { return strconv.FormatBool(m.terminal.mouse) }, func(value string) pane.Action {
			m.terminal.mouse = value == "true"
			return nil
		}},
	}
}

// setTheme passes a new theme to all parts.
func (m *Model) setTheme() {
	m.theme.left(m.dialogs.stack)
	if !m.theme.fresh {
		return
	}
	m.theme.fresh = false
	l := m.theme.styles
	m.chat.setTheme(l)
	m.dialogs.stack.SetStyles(l.styles)
	m.views.setTheme(l)
	m.views.markStale()
}

// Farewell returns the last exchange as plain text, to print when the program ends.
func (m *Model) Farewell() string { return m.chat.transcript.LastExchange() }

// do carries out the action of a part.
func (m *Model) do(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case nil:
		return nil
	case tea.Cmd:
		return a
	case actionList:
		var cmds []tea.Cmd
		for _, one := range a {
			cmds = append(cmds, m.do(one))
		}
		return tea.Batch(cmds...)
	case pane.Say:
		return m.snackbar.show(a.Text, a.Bad)
	case snackbarIfHidden:
		if !m.chat.transcript.Following() || m.views.top() != nil {
			return m.do(a.Say)
		}
	case requestFailed:
		return m.showFailure(a.err)
	case switched:
		if action, asks := m.dialogs.needsConsent(a.err, arrival{}); asks {
			return m.do(action)
		}
		return m.showFailure(a.err)
	case reading:
		return m.runReading(a)
	case output:
		return m.do(m.chat.output(a.title, a.text))
	case restoreLine:
		if m.dialogs.consent == nil { // a command that waits for consent has not failed yet
			m.chat.outbox.leaveLine(a.line)
		}
	case compactionUndone:
		// The hint for redo comes first, because a narrow screen cuts the rest.
		return m.do(say("undone · " + m.views.redoKey() + " to redo" + a.change))
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
		return m.goTo(a)
	}
	return nil
}

// showFailure shows a failed request of the user in the snackbar, or in the transcript
// if no conversation is open.
func (m *Model) showFailure(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil || !m.session.open {
		return m.fail(err)
	}
	return m.snackbar.show(err.Error(), true)
}

// fail shows a failure in the transcript, where it stays. Failures because the program
// ends are not shown.
func (m *Model) fail(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil {
		return nil
	}
	if !m.session.open { // for the transcript of the conversation that opens
		m.session.faults = append(m.session.faults, err.Error())
	}
	return m.do(m.chat.fault(err.Error()))
}

// arrival is what happens when the conversation that is being opened is open.
type arrival struct {
	then  string      // ID of the next conversation to open, may be ""
	asked int         // keyboard.pressed when it was requested
	draft string      // text to put into the composer, may be ""
	at    target      // the event to show in the history; zero for none
	from  *searchView // the search that found the event, which stays open below; may be nil
	alone bool        // the draft stays in the composer, because its conversation is deleted
	again bool        // it is the shown conversation, which another window has closed
}

// One conversation is open at a time, and one at a time is being opened. A message
// sent meanwhile goes to the conversation that opens; messages queued in the old
// one return to the composer.

// enter leaves the conversation and calls open for another; next is what happens then.
func (m *Model) enter(open func(context.Context) (Conversation, error), next arrival) tea.Cmd {
	if m.session.opening {
		return m.do(refuse(busyOpening))
	}
	if !next.alone {
		m.drafts.leave()
	}
	m.chat.outbox.returnUnsent() // it was meant for the one that is left
	next.asked = m.keyboard.pressed
	m.arrival = next
	m.session.opening, m.session.failed = true, ""
	ctx, left := m.env.ctx, m.drafts.store(m.drafts.left.draftOf, m.drafts.left.Draft)
	return after(func() (Conversation, error) {
		if err := left(ctx); err != nil {
			return Conversation{}, err
		}
		return open(ctx)
	}, func(c Conversation, err error) pane.Action { return m.opened(c, err) })
}

// resume opens another conversation, after one that is being opened
// now.
func (m *Model) resume(id string) tea.Cmd {
	if m.session.opening {
		m.arrival.then = id
		return nil
	}
	return m.enter(m.env.resume(id), arrival{})
}

// showHit shows a search hit in the history, over the search that found it. It first
// opens the conversation of the hit if that is another one.
func (m *Model) showHit(hit showHit) tea.Cmd {
	if hit.conversation == m.session.ID && m.session.open {
		return m.do(m.views.openHistoryAt(hit.at.event, hit.at.query))
	}
	return m.enter(m.env.resume(hit.conversation), arrival{at: hit.at, from: hit.from})
}

// forkAt opens a copy of the messages before an event. A user message at the event is
// put into the composer.
func (m *Model) forkAt(before uint64) tea.Cmd {
	draft := ""
	if text, ok := m.session.log.message(before); ok {
		draft = m.chat.outbox.typed(text)
	}
	b := m.env.Backend
	return m.enter(func(ctx context.Context) (Conversation, error) { return b.ForkAt(ctx, before) }, arrival{draft: draft})
}

// opened handles that a conversation was opened, or why not.
func (m *Model) opened(c Conversation, err error) tea.Cmd {
	m.session.opening = false
	was := m.arrival
	m.arrival = arrival{}
	undisturbed := was.asked == m.keyboard.pressed && m.dialogs.stack.Len() == 0
	m.dialogs.dropConsent()
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, m.notOpened(err, was))
	} else {
		m.dialogs.forgetAll() // they belong to the conversation that was left
		m.outside.watch.Leave()
		shown := 0
		if was.again && m.session.ID == c.ID {
			shown = m.session.log.in(c.Events)
		}
		faults := m.session.begin(c)
		along := m.drafts.begin(c.Draft)
		m.views.reset(was.from) // the search that led here stays open: it covers all conversations
		m.chat.begin(faults, was.draft, shown)
		if along {
			cmds = append(cmds, m.drafts.merge())
		}
		if was.again && m.session.readOnly() {
			cmds = append(cmds, m.do(say("another window was first; it is followed here")))
		}
		cmds = append(cmds, m.env.listen(c.Session))
		if was.at.event != 0 && undisturbed {
			cmds = append(cmds, m.do(m.views.openHistoryAt(was.at.event, was.at.query)))
		}
	}
	if was.then != "" {
		cmds = append(cmds, m.resume(was.then))
	}
	return tea.Batch(append(cmds, m.do(m.chat.outbox.flush()))...)
}

// notOpened shows why a conversation was not opened. The conversation that is open
// stays open.
func (m *Model) notOpened(err error, was arrival) tea.Cmd {
	m.drafts.back()
	if m.session.open {
		m.chat.outbox.returnUnsent() // it was meant for the conversation that failed to open
	}
	was.then, was.alone = "", false // the next one is opened by the caller, and nothing was deleted
	if action, asks := m.dialogs.needsConsent(err, was); asks {
		return m.do(action)
	}
	m.chat.outbox.returnUnsent()
	if !m.session.open {
		m.session.failed = err.Error()
		return nil
	}
	return m.showFailure(err)
}
