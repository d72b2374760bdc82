package search

type (
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
