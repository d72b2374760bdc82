package composer

import "plimsoll/conversation"

// Action is what the parent has to do about a message. It is nil if the
// composer has dealt with the message alone, and Ignored if the message means
// nothing here, so that the parent routes it on (Esc, Ctrl+C, PgUp and every
// key that is not bound).
type Action interface{ action() }

type (
	// Ignored says that the message was not for the composer.
	Ignored struct{}

	// Submit is a message to send. The composer is empty again.
	Submit struct {
		Text string // with pastes in full, without blank ends
		Size conversation.Size
	}

	// Queue is a message to send when the turn is over. The composer is empty
	// again.
	Queue struct {
		Text string
		Size conversation.Size
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

	// Editor asks for the draft to be edited outside; SetText brings it back.
	Editor struct{ Text string }

	// Help asks for the list of keys: ? on an empty line.
	Help struct{}
)

func (Ignored) action()        {}
func (Submit) action()         {}
func (Queue) action()          {}
func (Command) action()        {}
func (UnknownCommand) action() {}
func (Shell) action()          {}
func (Editor) action()         {}
func (Help) action()           {}
