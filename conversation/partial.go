package conversation

import "time"

// PartialReply is a reply in the middle of arriving, kept next to the log so that a
// crash loses nothing that was on the screen. Calls are left out: a call cut
// off in the middle cannot be run.
type PartialReply struct {
	After     uint64 `json:"after"` // Seq of the newest event when the reply began
	Model     string `json:"model"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"`
	// Time is when this much of it had arrived, zero if unknown.
	Time time.Time `json:"time,omitzero"`
	// Request is what is known of the request that it answers, without counts and
	// without a reply; zero if nobody wrote it down.
	Request Usage `json:"request,omitzero"`
}

// Reply is the partial reply as the event body that the next open appends.
func (p PartialReply) Reply() AssistantMessage {
	return AssistantMessage{
		Text: p.Text, Reasoning: p.Reasoning, Model: p.Model, Stop: StopInterrupted,
		Error: "the program ended while this reply was arriving",
	}
}

// RecoveredBodies is what the next open appends: the partial reply, whose Seq is given,
// and behind it what is known of its request, so that this can be made again. What
// was counted and billed for it is unknown.
func (p PartialReply) RecoveredBodies(seq uint64) []Body {
	if p.Request == (Usage{}) {
		return []Body{p.Reply()}
	}
	u := p.Request
	return []Body{p.Reply(), Usage{
		Reply: seq, Revision: u.Revision, Model: u.Model, Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: u.Estimate, BodyHash: u.BodyHash, Through: u.Through, MaxTokens: u.MaxTokens, WireForm: u.WireForm,
	}}
}

// LearnedWindowLifetime is how long a window that was learned counts, where the server says
// nothing newer.
const LearnedWindowLifetime = 7 * 24 * time.Hour

// LearnedWindow is the window that was learned, in tokens, 0 if none was or it was
// too long ago.
func (c Calibration) LearnedWindow(now time.Time) int {
	if c.WindowAt > 0 && now.Sub(time.Unix(c.WindowAt, 0)) > LearnedWindowLifetime {
		return 0
	}
	return c.Window
}

// Calibration is what reported usage and errors taught about a model behind an
// endpoint. It is kept per endpoint and model.
type Calibration struct {
	Factor  float64 `json:"factor"`           // reported prompt tokens per estimated token, 0 unknown
	Samples int     `json:"samples"`          // how many reports Factor rests on
	Window  int     `json:"window,omitempty"` // tokens, said by the server, in an overflow error or when it was asked, 0 if not
	// WindowAt is when Window was learned, in seconds since 1970, 0 unknown: servers
	// are started anew with other windows.
	WindowAt int64 `json:"window_at,omitempty"`
	// How the user's requests follow each other: how many followed another one, how many of them after a pause that a
	// cache of five minutes does not outlive and one of an hour does, and how many after a longer one.
	Requests   int `json:"requests,omitempty"`
	Pauses     int `json:"pauses,omitempty"`
	LongPauses int `json:"absences,omitempty"`
}
