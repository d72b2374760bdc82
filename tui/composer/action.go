package composer

type (
	// Submit is a message to send. The composer is empty again.
	Submit struct {
		Text string // with pastes in full, without blank ends
	}

	// Queue is a message to send when the turn is over. The composer is empty
	// again.
	Queue struct {
		Text string
	}

	// Command is a known slash command. The composer is empty again.
	Command struct {
		Name string // as declared, without the slash, also if an alias was typed
		Args string // what follows, without blank ends
		Line string // as it was typed
	}

	// UnknownCommand is a slash command that was not declared. The draft stays.
	UnknownCommand struct {
		Name    string // as typed, without the slash
		Nearest string // the declared name closest to it; "" if none is close
	}

	// Shell is a line that began with ! or !!. The composer is empty again.
	Shell struct {
		Command string
		Add     bool // one !: the output becomes part of the conversation
	}

	// Copied is selected text for the clipboard.
	Copied struct{ Text string }

	// Editor asks for the draft to be edited outside; SetText brings it back.
	Editor struct{ Text string }

	// Help asks for the list of keys: ? on an empty line.
	Help struct{}
)
