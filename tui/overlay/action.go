package overlay

import "plimsoll/conversation"

// Action is what came of a message. It is nil if a dialog has dealt with the
// message alone, and Ignored if no dialog has a use for it (Ctrl+C and other
// keys that are not bound), so that the parent may. All others but
// Highlighted and EditedRules are the answer of a dialog, which is gone from the stack by then.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the dialog.
	Ignored struct{}

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

	// Answered answers an Ask. Option is the index of the option chosen, -1 if
	// the user wrote Text instead.
	Answered struct {
		ID     string
		Text   string
		Option int
	}

	// Confirmed answers a Confirm.
	Confirmed struct {
		ID  string
		Yes bool
	}

	// Picked answers a Picker.
	Picked struct {
		ID   string
		Item string // the Item's ID
	}

	// Highlighted says that another item of a Picker is selected, so that the
	// parent can show what choosing it would do.
	Highlighted struct {
		ID   string
		Item string
	}
)

func (Ignored) action()     {}
func (Early) action()       {}
func (Dismissed) action()   {}
func (Approved) action()    {}
func (EditedRules) action() {}
func (Answered) action()    {}
func (Confirmed) action()   {}
func (Picked) action()      {}
func (Highlighted) action() {}

// ends reports whether an action is a dialog's last.
func ends(a Action) bool {
	switch a.(type) {
	case nil, Ignored, Early, Highlighted, EditedRules:
		return false
	}
	return true
}
