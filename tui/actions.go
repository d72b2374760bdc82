package tui

import (
	"context"

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

	// unseen is a snackbar that is shown where the end of the transcript is out of sight:
	// below a view, or as it was scrolled.
	unseen struct {
		pane.Say
		scrolled bool
	}

	// output is text for the transcript.
	output struct{ title, text string }

	// openDialog opens a dialog.
	openDialog struct{ dialog overlay.Dialog }

	// closeDialog closes one.
	closeDialog struct{ dialog overlay.Dialog }

	// questionShown says that a dialog opened that nobody asked for, viewShown that a
	// view did: the transcript is no longer in sight.
	questionShown struct{}
	viewShown     struct{}

	// enter opens another conversation.
	enter struct {
		open func(context.Context) (Conversation, error)
		next arrival // what comes then
	}

	// takeOver continues here what another window had open. What is written and read
	// stays where it is.
	takeOver struct{}

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

// say is a snackbar.
func say(text string) pane.Action { return pane.Say{Text: text} }

// refuse is a snackbar that something cannot be done.
func refuse(why string) pane.Action { return pane.Say{Text: why, Bad: true} }

// open is the action that opens a picker.
func open(o overlay.PickerOptions) pane.Action { return openDialog{overlay.NewPicker(o)} }

// IDs of dialogs. Those about a call begin with aboutCall: what a server calls
// its calls must not be taken for another dialog.
const (
	aboutCall = "call/"

	dialogModels        = "pick/model"
	dialogThemes        = "pick/theme"
	dialogEfforts       = "pick/effort"
	dialogConversations = "pick/conversation"
	dialogProfiles      = "pick/profile"
	dialogRules         = "pick/rule"
	dialogCode          = "pick/code" // its items are the code
	dialogDelete        = "confirm/delete"
	dialogRevoke        = "confirm/revoke/" // and the number of the rule in the list
	dialogPage          = "page/text"
	dialogHelp          = "page/help"
	dialogConsent       = "confirm/consent"
)

// page is a page of text.
func page(title, text string) pane.Action {
	return openDialog{overlay.NewText(dialogPage, title, text)}
}

// target is an event of a conversation, with what was searched for there.
type target struct {
	event uint64
	query string
}
