package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// A part returns what it cannot do alone as an action, which the root carries out with the
// other parts. A tea.Cmd is an action, too, and so is a reading.
type (
	// several is a list of actions, done in order.
	several []pane.Action

	// requestFailed says that something the user requested does not exist or cannot be done.
	requestFailed struct{ err error }

	// switched ends a change of the model or its window. Its error may be a *Consent.
	switched struct{ err error }

	// ifHidden is a snackbar that is shown only if the end of the transcript is not visible:
	// a view covers it, or the user scrolled up.
	ifHidden struct{ pane.Say }

	// output is text for the transcript.
	output struct{ title, text string }

	// openDialog opens a dialog, closeDialog closes one.
	openDialog  struct{ dialog overlay.Dialog }
	closeDialog struct{ dialog overlay.Dialog }

	// covered says that a view, or a dialog that the user did not request, opened over the
	// transcript.
	covered struct{}

	// restoreLine puts the line of a command that failed back into the composer.
	restoreLine struct{ line typedLine }

	// enter opens another conversation.
	enter struct {
		open func(context.Context) (Conversation, error)
		next arrival // what happens after it is open
	}

	// resume continues a stored conversation.
	resume struct{ id string }

	// takeOver continues a conversation that another window had open. The draft and the scroll
	// position stay.
	takeOver struct{}

	// forkBefore opens a copy of the messages before an event.
	forkBefore struct{ event uint64 }

	// resendTurn rewinds to a turn, whose message returns to the composer.
	resendTurn struct{ turn int }

	// deferred is a function that needs the root, called after a dialog closed.
	deferred func() tea.Cmd

	// clockTick says that time passed, which may change what views show.
	clockTick struct{}

	// undone says that a compaction was undone.
	undone struct{ change string }
)

// say returns a snackbar.
func say(text string) pane.Action { return pane.Say{Text: text} }

// refuse returns a snackbar that says why something cannot be done.
func refuse(why string) pane.Action { return pane.Say{Text: why, Bad: true} }

// open returns the action that opens a picker.
func open(o overlay.PickerOptions) pane.Action { return openDialog{overlay.NewPicker(o)} }

// confirm opens a dialog that asks before then is called, for something that cannot be undone.
func confirm(title, question, yes, no string, then func() pane.Action) pane.Action {
	return openDialog{overlay.NewConfirm(overlay.ConfirmOptions{Title: title, Question: question, Yes: yes, No: no, Danger: true},
		func(is bool) pane.Action {
			if !is {
				return nil
			}
			return then()
		})}
}

// target is an event of a conversation, with the search query that found it.
type target struct {
	event uint64
	query string
}
