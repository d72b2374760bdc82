package overlay

import (
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// All actions but Early, EditedRules, Entered, Acted and Focused are the answer of a dialog, which is no longer on the stack then.
type (
	// Early says that a key came before anybody can have read the question: it was
	// meant for what the question covers.
	Early struct{}

	// Dismissed says that a dialog was closed without an answer.
	Dismissed struct{ ID string }

	// Approved answers an Approve. Rules are what is granted for longer than once,
	// none for the first offer. Reason is why not, in the user's words; it may be
	// empty and is so for every Grant but GrantNo.
	Approved struct {
		ID     string
		Grant  conversation.Grant
		Rules  []string
		Reason string
	}

	// EditedRules asks what the rules of an Approve let run, as the user edits
	// them; see Approve.Judged.
	EditedRules struct {
		ID    string
		Rules []string
	}

	// Answered answers an Ask, with an option or with what the user wrote instead.
	Answered struct {
		ID   string
		Text string
	}

	// Entered asks to try what was entered into a SecretLine; see SecretLine.Failed.
	Entered struct {
		ID     string
		Secret Secret
	}

	// Confirmed answers a Confirm.
	Confirmed struct {
		ID  string
		Yes bool
	}

	// Picked answers a Picker.
	Picked struct {
		ID    string
		Item  string // the Item's ID
		Value string // of the Dial, "" where it was not moved
	}

	// Acted asks to do something with an item of a Picker, which stays open.
	Acted struct {
		ID   string
		Item string
		Act  Act
		Text string
	}

	// Focused asks for the preview of an item of a Picker; see Picker.SetPreview.
	Focused struct {
		ID   string
		Item string
	}
)

// ends reports whether an action is a dialog's last.
func ends(a pane.Action) bool {
	switch a.(type) {
	case nil, pane.Ignored, Early, EditedRules, Entered, Acted, Focused:
		return false
	}
	return true
}
