package history

import (
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

type (
	// Wanted asks for the request whose usage is this event, to be answered with
	// Request.
	Wanted struct{ Event uint64 }

	// FullWanted asks for the whole text of a result that was cut when it arrived, to
	// be answered with Full.
	FullWanted struct{ Event uint64 }

	// Copy puts a text on the clipboard. What names it in a word or two.
	Copy struct{ Text, What string }

	// CopyFull puts the whole text of a result on the clipboard as soon as it is read,
	// even when the history is closed by then. Where it cannot be read, Cut is copied,
	// and the reader sees why.
	CopyFull struct {
		Event uint64
		Cut   string
	}

	// Fork continues in a copy of the conversation that holds the events before one.
	Fork struct{ Before uint64 }

	// Resend rewinds a turn and all that follows it, and returns its message for editing.
	Resend struct{ Turn int }

	// Note is what the history tells the reader in a line of its own, until the next
	// key; Bad says that something did not work.
	Note struct {
		Text string
		Bad  bool
	}
)

// say tells the reader something.
func say(text string, bad bool) pane.Action { return Note{Text: plain.Line(text), Bad: bad} }
