package inspect

import (
	"math"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// Breakdown is a conversation's context at one moment. Tokens are calibrated.
type Breakdown struct {
	Reading        meter.Reading
	Forecast       planner.Forecast
	Estimated      int    // of all that is sent, whatever was reported: what the items are parts of
	Heaviest       []Item // of what is sent, the heaviest first
	Savings        []Saving
	Calibration    conversation.Calibration
	EstimateError  *float64 // how far the last estimate was from what was reported: reported/estimated - 1; nil unknown
	Costs          Costs
	Cache          CacheUse
	CacheRetention promptcache.Retention // for how long the provider's cache keeps it
	Pins           int                   // messages that are pinned
	Messages       int                   // that are sent
	Events         int                   // of what was said that stand for themselves or behind an overlay
}

// Costs is what a conversation has cost. A nil amount is not known.
type Costs struct {
	Total           *float64 // of all requests whose cost is known
	Summaries       *float64 // of Total, for summaries
	Saved           *float64 // what the provider's cache took off: against the full price of all tokens it served
	ReplyRequests   int      // for replies
	SummaryRequests int      // for summaries
	Prompt          int      // tokens sent in all requests
	Cached          int      // of them, served from the cache
	Output          int      // tokens generated
}

// NewBreakdown weighs the context of a conversation as the planner finds it. saved is
// what the provider's cache took off a request in US dollars, nil if unknown.
func NewBreakdown(r preset.Rules, c planner.Check, saved func(conversation.Usage) *float64) Breakdown {
	pins := 0
	for i := range c.View.Messages {
		if c.View.Messages[i].State == projection.StatePinned {
			pins++
		}
	}
	a := Breakdown{Reading: c.Meter.Reading(), Forecast: c.Forecast(r), Estimated: c.Meter.EstimatedTokens(), Heaviest: heaviestOf(c), Savings: savingsOf(c),
		Calibration: c.Meter.Calibration(), Pins: pins, Messages: len(c.View.Messages)}
	a.Cache = CacheUseOf(c.Log, c.Sheet.CacheLifetime())
	a.Costs, a.EstimateError, a.Events = costsOf(c.Log, c.Meter.Factor(), saved)
	return a
}

// costsOf reads a log: what its requests cost, how far the estimate of the newest
// one was off by what was learned up to now, that report included, and how many
// events say something.
func costsOf(log []conversation.Event, factor float64, saved func(conversation.Usage) *float64) (Costs, *float64, int) {
	var c Costs
	var off *float64
	events := 0
	for i := range log {
		if conversation.IsMessage(log[i].Body) {
			events++
		}
		u, ok := log[i].Body.(conversation.Usage)
		if !ok {
			continue
		}
		c.add(u)
		if saved != nil {
			addTo(&c.Saved, saved(u))
		}
		if u.Purpose == conversation.PurposeReply && u.CountsWholePrompt() && u.Estimate > 0 {
			if share := float64(u.Prompt)/(u.Estimate*factor) - 1; finite(share) {
				off = &share
			}
		}
	}
	if c.SummaryRequests == 0 && c.Total != nil {
		c.Summaries = new(float64)
	}
	return c, off, events
}

func (c *Costs) add(u conversation.Usage) {
	if u.Purpose == conversation.PurposeReply {
		c.ReplyRequests++
	} else {
		c.SummaryRequests++
		addTo(&c.Summaries, u.CostUSD)
	}
	addTo(&c.Total, u.CostUSD)
	c.Prompt += max(0, u.Prompt)
	c.Cached += max(0, u.Cached)
	c.Output += max(0, u.Completion)
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// addTo adds an amount that is known to a sum. Of an imported log it may be any.
func addTo(sum **float64, amount *float64) {
	if amount == nil {
		return
	}
	total := *amount
	if *sum != nil {
		total += **sum
	}
	if finite(total) {
		*sum = &total
	}
}

// savingNames are the kinds in words, in the order they are told.
var savingNames = [...]string{"masks", "caps", "arguments", "reasoning", "summaries", "drops", "pointers", "turns undone"}

func savingsOf(c planner.Check) []Saving {
	savings := edit.SavingsOf(c.Log, c.View, c.Meter)
	left := savings[edit.SavedCalls]
	savings[edit.SavedDrops].Items += left.Items
	savings[edit.SavedDrops].Tokens += left.Tokens
	var out []Saving
	for kind, name := range savingNames {
		if s := savings[kind]; s.Items > 0 {
			out = append(out, Saving{Kind: name, Items: s.Items, Tokens: int(math.Round(s.Tokens))})
		}
	}
	return out
}
