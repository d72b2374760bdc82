package compact

import "plimsoll/conversation"

// An account is everything about how full the window is, and why: what the context
// view shows and `context` prints.

// Account is a conversation's context at one moment. Tokens are calibrated.
type Account struct {
	Reading     Reading
	Outlook     Outlook
	Heaviest    []Item // of what is sent, the heaviest first
	Savings     []Saving
	Calibration conversation.Calibration
	Off         *float64 // how far the last estimate was from what was reported: reported/estimated - 1; nil unknown
	Costs       Costs
	Pins        int // messages that are pinned
	Messages    int // that are sent
	Events      int // of what was said that stand for themselves or behind an overlay
}

// Item is one thing that fills the window.
type Item struct {
	Event  uint64 // the first it stands for, 0 for the system prompt and the tools
	Turn   int
	Kind   Segment
	Label  string // what it is, on one line: the tool and what it was about, the beginning of a text. Not sanitised.
	Tokens int
	Before int // tokens as it was said
	State  State
	Why    string
}

// Saving is what one kind of overlay saves in the next request.
type Saving struct {
	Kind   string // masks, caps, summaries, drops, reasoning, arguments, pointers, turns taken back
	Items  int    // messages or events
	Tokens int    // that are not sent because of it; negative if it costs more
}

// Costs is what a conversation has cost. A nil amount is not known.
type Costs struct {
	Total     *float64 // of all requests
	Summaries *float64 // of Total, for summaries
	Saved     *float64 // what the provider's cache took off: against the full price of all tokens it served
	Requests  int      // for replies
	Written   int      // for summaries
	Prompt    int      // tokens sent in all requests
	Cached    int      // of them, served from the cache
	Output    int      // tokens generated
}

// NewAccount is the account of a conversation as the planner finds it. saved is
// what the provider's cache took off a request in US dollars, nil if unknown.
func NewAccount(r Rules, c Check, saved func(conversation.Usage) *float64) Account {
	return Account{Reading: c.Meter.Reading()}
}
