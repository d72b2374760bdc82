package pane

// Action is what Update of a view asks the parent to do. It is nil if the view handled the message completely. The actions
// that several views return are here, the others in their packages. Any type can be an action, as with tea.Msg.
type Action any

type (
	// Ignored says that the view did not handle the message, so that the parent can.
	Ignored struct{}

	// Closed asks to close the view.
	Closed struct{}

	// Jump asks to show an event in the history.
	Jump struct{ Event uint64 }

	// Pin asks to pin the messages of events, or to unpin them.
	Pin struct {
		Events []uint64
		Pinned bool // false to unpin
	}

	// Mask asks to mask the tool results of events.
	Mask struct{ Events []uint64 }

	// Undo asks to undo a compaction.
	Undo struct{ Epoch uint64 }

	// Redo asks to redo the compaction that was undone last.
	Redo struct{}

	// Restore asks to restore the turns that were rewound last.
	Restore struct{}

	// Copy asks to copy a text to the clipboard. What describes it in a few words.
	Copy struct{ Text, What string }

	// Preview asks for the preview of a compaction.
	Preview struct{}

	// Snackbar asks to show the user a short message, such as why a key does nothing here. Failure colours it as an error.
	Snackbar struct {
		Text    string
		Failure bool
	}
)
