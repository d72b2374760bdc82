package review

// Action is what came of a message. It is nil where the view has dealt with it alone.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the view.
	Ignored struct{}

	// Closed says that the view is closed. The summary waits on.
	Closed struct{}

	// Taken says that the summary is to take effect with this text.
	Taken struct{ Text string }

	// GivenUp says that the summary is not wanted.
	GivenUp struct{}

	// Editor asks for the text in the user's editor; SetText brings it back.
	Editor struct{ Text string }

	// Say is a passing word to the user; Bad says that something cannot be done.
	Say struct {
		Text string
		Bad  bool
	}
)

func (Ignored) action() {}
func (Closed) action()  {}
func (Taken) action()   {}
func (GivenUp) action() {}
func (Editor) action()  {}
func (Say) action()     {}
