package pane

// Action is what the parent has to do about a message. It is nil where a part has dealt with the message alone. This
// package has the actions that several parts return, each part declares its own; any type can be one, as with messages.
type Action any

type (
	// Ignored says that the message means nothing here, so that the parent routes it on.
	Ignored struct{}

	// Closed says that the user leaves the view.
	Closed struct{}

	// Jump asks for the place of an event in the history.
	Jump struct{ Event uint64 }

	// Pin asks that the messages of events are sent in full, or that this ends.
	Pin struct {
		Events []uint64
		Pinned bool // what they are to become
	}

	// Mask asks that stubs are sent in place of the results of events.
	Mask struct{ Events []uint64 }

	// Undo asks that a compaction is undone.
	Undo struct{ Epoch uint64 }

	// Redo asks for a redo of the compaction that was undone last.
	Redo struct{}

	// Restore asks for the turns that were rewound last.
	Restore struct{}

	// Preview asks for the preview of a compaction.
	Preview struct{}

	// Say asks for a notice to the user: why a key does nothing here. Bad says that something went wrong.
	Say struct {
		Text string
		Bad  bool
	}
)
