package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// A view or another part of the screen returns an action if the action needs other parts. The
// root model carries it out. A tea.Cmd and a readAction are actions, too.
type (
	// actionList is a list of actions, done in order.
	actionList []pane.Action

	// requestFailed shows why something that the user requested failed.
	requestFailed struct{ err error }

	// changeModel changes the model or its window. Messages that are sent meanwhile wait for it, so that they go to
	// the model that the user chose.
	changeModel struct {
		change func(context.Context) error
	}

	// modelChangeDone ends a change of the model or its window. err may be a *Consent, which asks the user.
	modelChangeDone struct{ err error }

	// snackbarIfHidden is a snackbar that is shown only if what it says is not in view: the card of a compaction, or the
	// end of the transcript if epoch is 0.
	snackbarIfHidden struct {
		pane.Snackbar
		epoch uint64
	}

	// output is text for the transcript.
	output struct{ title, text string }

	// openDialog opens a dialog, closeDialog closes one.
	openDialog  struct{ dialog dialog.Dialog }
	closeDialog struct{ dialog dialog.Dialog }

	// transcriptCovered says that a view, or a dialog that the user did not request, opened over the transcript.
	transcriptCovered struct{}

	// restoreLine puts the line of a command that failed back into the composer.
	restoreLine struct{ line typedLine }

	// openConversation opens another conversation.
	openConversation struct {
		open    func(context.Context) (Conversation, error)
		request openRequest // what to do once it is open
	}

	// resume continues a stored conversation.
	resume struct{ id string }

	// takeOver continues a conversation that another window had open. The draft and the scroll position stay.
	takeOver struct{}

	// deferred is a function that the root calls after a dialog closed.
	deferred func() tea.Cmd

	// clockTick makes views compute again, because the times that they show have changed.
	clockTick struct{}

	// compactionUndone says that a compaction was undone. The root puts the sentence that says so before its text.
	compactionUndone snackbarIfHidden
)

func textSnackbar(text string) pane.Action { return pane.Snackbar{Text: text} }

// refusal returns a snackbar that says why something cannot be done.
func refusal(why string) pane.Action { return pane.Snackbar{Text: why, Failure: true} }

func open(o dialog.PickerOptions) pane.Action { return openDialog{dialog.NewPicker(o)} }

// confirm asks the user before something that cannot be undone, and calls then after a yes.
func confirm(title, question, yes, no string, then func() pane.Action) pane.Action {
	return openDialog{dialog.NewConfirm(title, question, yes, no, func(accepted bool) pane.Action {
		if !accepted {
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
