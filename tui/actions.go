package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// What a part cannot do alone it returns as an action, and the root does it with the
// other parts. A command of the library is an action, too, and so is a reading.
type (
	// several are done in order.
	several []pane.Action

	// missing says that what the user asked for is not there or cannot be done.
	missing struct{ err error }

	// switched ends a change of the model or its window. An error may ask for a yes first.
	switched struct{ err error }

	// unseen is a snackbar that is shown where the end of the transcript is out of sight:
	// below a view, or as it was scrolled.
	unseen struct{ pane.Say }

	// output is text for the transcript.
	output struct{ title, text string }

	// openDialog opens a dialog, closeDialog closes one.
	openDialog  struct{ dialog overlay.Dialog }
	closeDialog struct{ dialog overlay.Dialog }

	// covered says that a dialog that nobody asked for, or a view, opened: the transcript is
	// no longer in sight.
	covered struct{}

	// lineBack returns the line of a command that failed to the composer.
	lineBack struct{ line typedLine }

	// enter opens another conversation.
	enter struct {
		open func(context.Context) (Conversation, error)
		next arrival // what comes then
	}

	// resume continues a stored conversation.
	resume struct{ id string }

	// takeOver continues here what another window had open. What is written and read
	// stays where it is.
	takeOver struct{}

	// forkBefore goes on in a copy of the messages before an event.
	forkBefore struct{ event uint64 }

	// resendTurn rewinds to a turn, whose message returns to the composer.
	resendTurn struct{ turn int }

	// deferred is what the root does once what a dialog decided is known.
	deferred func() tea.Cmd

	// looked says that a while has passed: what the views tell may be another.
	looked struct{}

	// undone tells that a compaction was undone.
	undone struct{ change string }
)

// say is a snackbar.
func say(text string) pane.Action { return pane.Say{Text: text} }

// refuse is a snackbar that something cannot be done.
func refuse(why string) pane.Action { return pane.Say{Text: why, Bad: true} }

// open is the action that opens a picker.
func open(o overlay.PickerOptions) pane.Action { return openDialog{overlay.NewPicker(o)} }

// confirm asks for a yes before something that cannot be undone.
func confirm(title, question, yes, no string, then func() pane.Action) pane.Action {
	return openDialog{overlay.NewConfirm(overlay.ConfirmOptions{Title: title, Question: question, Yes: yes, No: no, Danger: true},
		func(is bool) pane.Action {
			if !is {
				return nil
			}
			return then()
		})}
}

// target is an event of a conversation, with what was searched for there.
type target struct {
	event uint64
	query string
}
