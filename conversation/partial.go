package conversation

import "time"

// PartialReply is the part of a streaming reply that has arrived. Storage keeps it beside
// the log, so that a crash loses no text that the screen showed. It has no tool calls,
// because an incomplete call cannot run.
type PartialReply struct {
	After     uint64 `json:"after"` // Seq of the newest event when the reply began
	Model     string `json:"model"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"`
	// Time is when its newest text arrived, zero if unknown.
	Time time.Time `json:"time,omitzero"`
	// Request describes the request that the reply answers, without token counts and
	// without Reply; zero if it was not recorded.
	Request Usage `json:"request,omitzero"`
}

// Reply returns the partial reply as an interrupted assistant message.
func (p PartialReply) Reply() AssistantMessage {
	return AssistantMessage{
		Text: p.Text, Reasoning: p.Reasoning, Model: p.Model, Stop: StopInterrupted,
		Error: "the program ended while this reply was arriving",
	}
}

// RecoveredBodies returns the bodies to append when the conversation is opened after a
// crash: the partial reply, whose Seq will be seq, and the usage of its request, from which
// the request can be rebuilt. Its token counts and its cost are unknown.
func (p PartialReply) RecoveredBodies(seq uint64) []Body {
	if p.Request == (Usage{}) {
		return []Body{p.Reply()}
	}
	u := p.Request
	return []Body{p.Reply(), Usage{
		Reply: seq, Revision: u.Revision, Model: u.Model, Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: u.Estimate, Images: u.Images, BodyHash: u.BodyHash, Through: u.Through, MaxTokens: u.MaxTokens, WireForm: u.WireForm,
	}}
}

// LearnedWindowLifetime is how long a learned window is valid, unless the server reports
// a newer one.
const LearnedWindowLifetime = 7 * 24 * time.Hour

// LearnedWindow returns the learned window in tokens, 0 without one or if it is older
// than LearnedWindowLifetime.
func (c Calibration) LearnedWindow(now time.Time) int {
	if c.WindowAt > 0 && now.Sub(time.Unix(c.WindowAt, 0)) > LearnedWindowLifetime {
		return 0
	}
	return c.Window
}

// Calibration is what the program learned about a model at an endpoint from reported
// usage and errors. It is stored per endpoint and model.
type Calibration struct {
	Factor  float64 `json:"factor"`           // reported prompt tokens per estimated token, 0 unknown
	Samples int     `json:"samples"`          // number of reports averaged in Factor
	Window  int     `json:"window,omitempty"` // tokens, as the server reported, also in an overflow error; 0 unknown
	// WindowAt is when Window was learned, in seconds since 1970, 0 unknown: a local server
	// may be restarted with another window.
	WindowAt int64 `json:"window_at,omitempty"`
	// Pauses between requests: Requests counts requests that followed another one, Pauses those of them after five
	// minutes to an hour (a five-minute cache has expired, a one-hour cache has not), and LongPauses those after more.
	Requests   int `json:"requests,omitempty"`
	Pauses     int `json:"pauses,omitempty"`
	LongPauses int `json:"absences,omitempty"`
}
