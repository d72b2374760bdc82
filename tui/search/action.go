package search

// Action is what came of a message. It is nil where the view has dealt with it alone.
type Action interface{ action() }

type (
	// Ignored says that the message was not for the view.
	Ignored struct{}

	// Closed says that the view is left.
	Closed struct{}

	// Query asks for the hits of another text, which is a query. It comes with every
	// change: whoever searches waits until typing stops.
	Query struct{ Text string }

	// Open asks for the conversation of a hit, at its event.
	Open struct {
		Conversation string // ID
		Event        uint64 // Seq
		Query        string // that found it, to highlight
	}
)

func (Ignored) action() {}
func (Closed) action()  {}
func (Query) action()   {}
func (Open) action()    {}
