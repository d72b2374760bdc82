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

// Breakdown describes what fills a conversation's context at one moment. Tokens are calibrated.
type Breakdown struct {
	Reading        meter.Reading
	Forecast       planner.Forecast
	Heaviest       []Item // largest parts of the request, largest first
	Savings        []Saving
	Additions      []Addition
	Calibration    conversation.Calibration
	EstimateError  *float64 // error of the last estimate: reported/estimated - 1; nil if unknown
	Costs          Costs
	Cache          CacheUse
	CacheRetention promptcache.Retention // how long the provider's cache keeps the prompt
	Pins           int                   // pinned messages
}

// Costs are the accumulated costs of a conversation in US dollars. A nil amount is unknown.
type Costs struct {
	Total           *float64 // of all requests whose cost is known
	Summaries       *float64 // part of Total for summaries
	Saved           *float64 // saved by the provider's cache, compared with the full price of all cached tokens
	ReplyRequests   int      // requests for replies
	SummaryRequests int      // requests for summaries
	Prompt          int      // tokens sent in all requests
	Cached          int      // part of Prompt that the cache served
	Output          int      // tokens generated
}

// NewBreakdown computes the breakdown for the planner's input. saved returns the US dollars that the provider's cache
// saved on a request, nil if unknown.
func NewBreakdown(r preset.Rules, c planner.Check, saved func(conversation.Usage) *float64) Breakdown {
	pins := 0
	for i := range c.View.Messages {
		if c.View.Messages[i].State == projection.StatePinned {
			pins++
		}
	}
	a := Breakdown{Reading: c.Meter.Reading(), Forecast: c.Forecast(r), Heaviest: heaviestOf(c), Savings: savingsOf(c),
		Additions: additionsOf(c.Log), Calibration: c.Meter.Calibration(), Pins: pins}
	a.Cache = CacheUseOf(c.Log, c.Sheet.CacheLifetime())
	a.Costs, a.EstimateError = costsOf(c.Log, c.Meter.Factor(), saved)
	return a
}

// CostsOf returns the costs of the requests in a log, or in a part of one. Saved is unknown.
func CostsOf(log []conversation.Event) Costs {
	c, _ := costsOf(log, 1, nil)
	return c
}

// costsOf sums the costs of a log's requests. It also returns the error of the newest request's estimate with the current
// calibration, which already includes that request's report.
func costsOf(log []conversation.Event, factor float64, saved func(conversation.Usage) *float64) (Costs, *float64) {
	var c Costs
	var off *float64
	for i := range log {
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
	return c, off
}

func (c *Costs) add(u conversation.Usage) {
	switch u.Purpose {
	case conversation.PurposeReply:
		c.ReplyRequests++
	case conversation.PurposeSummary:
		c.SummaryRequests++
		addTo(&c.Summaries, u.CostUSD)
	}
	addTo(&c.Total, u.CostUSD)
	c.Prompt += max(0, u.Prompt)
	c.Cached += min(max(0, u.Cached), max(0, u.Prompt))
	c.Output += max(0, u.Completion)
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// addTo adds a known amount to a sum. An imported log may hold any number, so a sum that would not be finite is kept
// as before.
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

// savingNames are the displayed names of the kinds of savings, in display order.
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
