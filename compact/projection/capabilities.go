package projection

// Capabilities are the requirements of an endpoint. Only Harden and the wire formats use
// them, never the projection.
type Capabilities struct {
	// EchoReasoning sends reasoning back with assistant messages.
	EchoReasoning bool
	// EchoLoop says that EchoReasoning ends with the next user message.
	EchoLoop bool
	// KeepsReasoning says that reasoning is sent back in the provider's own format
	// and counts in the window (Claude from 4.6 on).
	KeepsReasoning bool
	// Alternate merges neighbouring messages of one role.
	Alternate bool
	// CallIDs is the form of tool call ids the endpoint takes.
	CallIDs CallIDForm
	// NoTools says that the model refuses tools; calls in the history are
	// written out as text.
	NoTools bool
	// NoImages says that the model takes text only; images are sent as lines of text that name them.
	NoImages bool
	// PDFs says that PDFs are taken beside images; where not, they are sent as lines of text.
	PDFs bool
}

// EchoFrom returns the index of the first message whose reasoning is sent back.
func (c Capabilities) EchoFrom(messages []Message) int {
	switch {
	case !c.EchoReasoning:
		return len(messages)
	case !c.EchoLoop:
		return 0
	}
	i := len(messages)
	for i > 0 && messages[i-1].Role != RoleUser {
		i--
	}
	return i
}

// CallIDForm is a rule for tool call ids.
type CallIDForm string

// The forms of tool call ids.
const (
	// CallIDAny: at most 64 of [A-Za-z0-9_-].
	CallIDAny CallIDForm = ""
	// CallIDMistral: exactly 9 of [A-Za-z0-9].
	CallIDMistral CallIDForm = "mistral"
)
