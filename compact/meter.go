package compact

import "plimsoll/conversation"

// Reading is what the gauge and `context --json` show: whole tokens.
type Reading struct {
	Window    Window
	Used      int  // tokens the next request would carry, without the draft
	Estimated bool // part of Used is an estimate: show it with ~
	Segments  [segments]int
	AfterSend int // Used plus the draft; equals Used without one
	LoadLine  int // tokens at which compaction acts, 0 if the window is unknown
	HardLine  int // tokens at which a request is held, 0 if unknown
	Reserve   int // tokens kept for the reply, 0 if unknown
	// CachedShare is the part of the last prompt read from the provider's
	// cache, 0 to 1; -1 if it was not reported.
	CachedShare float64
	CostUSD     *float64 // so far; nil if unknown
	Revision    uint64
}

// Ratio is used tokens over the window, -1 if the window is unknown.
func (r Reading) Ratio() float64 {
	if !r.Window.Known() {
		return -1
	}
	return float64(r.Used) / float64(r.Window.Tokens)
}

// Meter is completed below.
type Meter struct {
	draft conversation.Size
}

// Reading is the meter in whole tokens.
func (m Meter) Reading() Reading { return Reading{} }

// WithDraft returns the meter with the text in the composer and the queue:
// its size and the number of messages it would become.
func (m Meter) WithDraft(size conversation.Size, messages int) Meter { m.draft = size; return m }
