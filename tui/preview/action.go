package preview

import "plimsoll/compact"

// Action is what came of a message. It is nil where the view has dealt with it alone.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the view.
	Ignored struct{}

	// Closed says that nothing is to be done.
	Closed struct{}

	// Changed asks what another wish would do. The view shows it as the one whose
	// numbers are on their way.
	Changed struct{ Wish compact.Wish }

	// Accepted says that the wish is to be done whose numbers are shown.
	Accepted struct{ Wish compact.Wish }

	// Say is a passing word to the user; Bad says that something cannot be done.
	Say struct {
		Text string
		Bad  bool
	}
)

func (Ignored) action()  {}
func (Closed) action()   {}
func (Changed) action()  {}
func (Accepted) action() {}
func (Say) action()      {}
