package history

// Action is what came of a message. It is nil if the history has dealt with the
// message alone, and Ignored if it has no use for it, so that the parent may.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the history.
	Ignored struct{}

	// Closed says that the reader is done.
	Closed struct{}

	// Wanted asks for the request whose usage is this event, to be answered with
	// Request.
	Wanted struct{ Event uint64 }

	// FullWanted asks for the whole text of a result that was cut when it arrived, to
	// be answered with Full.
	FullWanted struct{ Event uint64 }

	// Pin keeps events as they were said, or ends that.
	Pin struct {
		Events []uint64
		Pinned bool
	}

	// Mask shows stubs in place of the results of events.
	Mask struct{ Events []uint64 }

	// Undo takes a compaction back.
	Undo struct{ Epoch uint64 }

	// Redo brings the compaction back which was undone last.
	Redo struct{}

	// Restore brings the turns back which were taken back last.
	Restore struct{}

	// Copy puts a text on the clipboard. What names it in a word or two.
	Copy struct{ Text, What string }

	// CopyFull puts the whole text of a result on the clipboard as soon as it is read,
	// even when the history is closed by then. Where it cannot be read, Cut is copied,
	// and the reader is told why.
	CopyFull struct {
		Event uint64
		Cut   string
	}

	// Fork continues in a copy of the conversation that holds the events before one.
	Fork struct{ Before uint64 }

	// Resend takes the message of a turn back for editing, with all that follows it.
	Resend struct{ Turn int }

	// Say is what the history tells the reader in a line of its own, until the next
	// key; Bad says that something did not work.
	Say struct {
		Text string
		Bad  bool
	}
)

func (Ignored) action()    {}
func (Closed) action()     {}
func (Wanted) action()     {}
func (FullWanted) action() {}
func (Pin) action()        {}
func (Mask) action()       {}
func (Undo) action()       {}
func (Redo) action()       {}
func (Restore) action()    {}
func (Copy) action()       {}
func (CopyFull) action()   {}
func (Fork) action()       {}
func (Resend) action()     {}
func (Say) action()        {}
