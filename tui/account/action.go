package account

// Action is what came of a message. It is nil if the view has dealt with it alone.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the view.
	Ignored struct{}

	// Closed says that the user leaves the view.
	Closed struct{}

	// Jump asks for the place of an event in the history.
	Jump struct{ Event uint64 }

	// Pin asks that the message an event belongs to is pinned, or no longer.
	Pin struct {
		Event  uint64
		Pinned bool // what it is to become
	}

	// Mask asks that an event is sent as a stub.
	Mask struct{ Event uint64 }

	// Preview asks for the preview of a compaction.
	Preview struct{}

	// Say asks that a word is said to the user: why a key does nothing here.
	Say struct {
		Text string
		Bad  bool // it went wrong
	}
)

func (Ignored) action() {}
func (Closed) action()  {}
func (Jump) action()    {}
func (Pin) action()     {}
func (Mask) action()    {}
func (Preview) action() {}
func (Say) action()     {}
