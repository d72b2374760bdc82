package composer

type (
	// Submit is a message to send, while a turn runs after it. The composer is empty again.
	Submit struct {
		Text string // with the full text of pastes, trimmed
	}

	// Command is a known slash command. The composer is empty again.
	Command struct {
		Name string // the declared name without the slash, also if an alias was typed
		Args string // the text after the name, trimmed
		Line string // as it was typed
	}

	// UnknownCommand is a slash command that was not declared. The composer keeps the draft.
	UnknownCommand struct {
		Name    string // as typed, without the slash
		Nearest string // the declared name closest to it; "" if none is close
	}

	// Shell is a line that began with ! or !!. The composer is empty again.
	Shell struct {
		Command string
		Add     bool // with one !: the output is added to the conversation
	}

	// Copied is selected text for the clipboard.
	Copied struct{ Text string }

	// Editor requests editing the draft in $EDITOR; SetText sets the result.
	Editor struct{ Text string }

	// Help requests the list of keys: ? was pressed in an empty composer.
	Help struct{}
)
