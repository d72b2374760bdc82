package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// What a part cannot do alone it returns as an action, and the root does it with the
// other parts. A command of the library is an action, too.
type (
	// several are done in order.
	several []pane.Action

	// missing says that what the user asked for is not there or cannot be done.
	missing struct{ err error }

	// unseen is a notice that is shown where the end of the transcript is out of sight:
	// below a view, or as it was scrolled.
	unseen struct {
		pane.Say
		scrolled bool
	}

	// output is text for the transcript.
	output struct{ title, text string }

	// openDialog opens a dialog.
	openDialog struct{ dialog overlay.Dialog }

	// questionShown says that a dialog opened that nobody asked for, viewShown that a
	// view did: the transcript is no longer in sight.
	questionShown struct{}
	viewShown     struct{}

	// enter opens another conversation.
	enter struct {
		open func(context.Context) (Conversation, error)
	}

	// showHit shows a place that a search found, over that search.
	showHit struct {
		from         *searchView
		conversation string
		at           target
	}

	// forkBefore goes on in a copy of the messages before an event.
	forkBefore struct{ event uint64 }

	// resendTurn rewinds to a turn, whose message returns to the composer.
	resendTurn struct{ turn int }

	// undone tells that a compaction was undone.
	undone struct{ change string }

	// summaryLost keeps the text of a summary that the user edited and that could not be
	// stored.
	summaryLost struct{ text string }
)

// say is a notice.
func say(text string) pane.Action { return pane.Say{Text: text} }

// refuse is a notice that something cannot be done.
func refuse(why string) pane.Action { return pane.Say{Text: why, Bad: true} }

// open is the action that opens a picker.
func open(o overlay.PickerOptions) pane.Action { return openDialog{overlay.NewPicker(o)} }

// do does what a part asks for.
func (m *Model) do(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case nil:
		return nil
	case tea.Cmd:
		return a
	case several:
		var cmds []tea.Cmd
		for _, one := range a {
			cmds = append(cmds, m.do(one))
		}
		return tea.Batch(cmds...)
	case pane.Say:
		return m.notices.notify(a.Text, a.Bad)
	case unseen:
		if a.scrolled || m.views.top() != nil {
			return m.do(a.Say)
		}
	case missing:
		return m.miss(a.err)
	case output:
		return m.do(m.chat.output(a.title, a.text))
	case summaryLost:
		return m.do(m.chat.output("The summary that was not taken in", a.text))
	case undone:
		// The way back stands first: a narrow screen has room for little more.
		return m.do(say("undone · " + m.views.redoKey() + " to redo" + a.change))
	case openDialog:
		// The release of a mouse button that is down would go to it.
		m.chat.transcript.ClearSelection()
		m.dialogs.push(a.dialog)
	case questionShown, viewShown:
		m.chat.transcript.ClearSelection()
	default:
		return m.goTo(a)
	}
	return nil
}

// goTo does what leads to another view, turn or conversation, or changes the
// compaction.
func (m *Model) goTo(action pane.Action) tea.Cmd {
	switch a := action.(type) {
	case composer.Command:
		return m.command(a)
	case composer.Help:
		return m.do(help(m.env.Keys, m.chat.composer.Keys()))
	case overlay.Picked, overlay.Confirmed:
		return m.decided(a)
	case enter:
		return m.enter(a.open, opening{})
	case showHit:
		return m.showHit(a)
	case forkBefore:
		return m.forkAt(a.event)
	case resendTurn:
		if why := m.session.unrewindable(); why != "" {
			return m.do(refuse(why))
		}
		m.views.closeAll()
		return m.do(m.session.rewind(a.turn))
	case pane.Closed:
		return m.do(m.views.close())
	case pane.Jump:
		return m.do(m.views.openHistoryAt(a.Event, ""))
	case pane.Pin:
		return m.do(m.session.pin(a.Events, a.Pinned))
	case pane.Mask:
		return m.do(m.session.mask(a.Events))
	case pane.Undo:
		return m.do(m.session.undoCompaction(a.Epoch))
	case pane.Redo:
		return m.do(m.session.redoCompaction())
	case pane.Restore:
		return m.do(m.session.restoreTurns())
	case pane.Preview:
		return m.do(m.views.previewAny())
	}
	return nil
}

// miss says that what the user asked for with a key or a command is not there or
// cannot be done. It is no part of the conversation.
func (m *Model) miss(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil || !m.session.open {
		return m.fail(err)
	}
	return m.notices.notify(err.Error(), true)
}

// fail shows that something the user or the program wanted did not work, where it can
// be read in peace. What fails because the program ends is not news.
func (m *Model) fail(err error) tea.Cmd {
	if err == nil || m.env.ctx.Err() != nil {
		return nil
	}
	m.session.notOpenFault(err)
	return m.do(m.chat.fault(err.Error()))
}
