package conversation

// Partial is a reply in the middle of arriving, kept beside the log so that a
// crash loses nothing that was on the screen. Calls are left out: a call cut
// off in the middle cannot be run.
type Partial struct {
	After     uint64 `json:"after"` // Seq of the newest event when the reply began
	Model     string `json:"model"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"`
}

// Reply is the partial reply as the event body that the next open appends.
func (p Partial) Reply() AssistantMessage {
	return AssistantMessage{
		Text: p.Text, Reasoning: p.Reasoning, Model: p.Model, Stop: StopInterrupted,
		Error: "the program ended while this reply was arriving",
	}
}

// Calibration is what reported usage and errors taught about a model behind an
// endpoint. It is kept per endpoint and model.
type Calibration struct {
	Factor  float64 `json:"factor"`           // reported prompt tokens per estimated token, 0 unknown
	Samples int     `json:"samples"`          // how many reports Factor rests on
	Window  int     `json:"window,omitempty"` // tokens, learned from an overflow error, 0 if not
}
