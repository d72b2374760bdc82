package ledger

// Action is what came of a message. It is nil if the view has dealt with it alone.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the view.
	Ignored struct{}

	// Closed says that the user leaves the view.
	Closed struct{}

	// Undo asks that a compaction is taken back.
	Undo struct{ Epoch uint64 }

	// Redo asks that the compaction which was undone last is brought back.
	Redo struct{}

	// Restore asks that the turns which were taken back last are brought back.
	Restore struct{}

	// Jump asks for the place of an event in the history.
	Jump struct{ Event uint64 }

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
func (Undo) action()    {}
func (Redo) action()    {}
func (Restore) action() {}
func (Jump) action()    {}
func (Preview) action() {}
func (Say) action()     {}
