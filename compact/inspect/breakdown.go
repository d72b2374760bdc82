package inspect

import (
	"math"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// A breakdown is everything about how full the window is, and why: what the context
// view shows and `context` prints. Rules:
//
//   - It reads the report of a view, and the log once: no text is made for it but
//     the labels of what is heaviest.
//   - What was said and what is sent are weighed alike, so that the savings and
//     what is sent add up to what was said.

// Breakdown is a conversation's context at one moment. Tokens are calibrated.
type Breakdown struct {
	Reading     meter.Reading
	Forecast    planner.Forecast
	Estimated   int    // of all that is sent, whatever was reported: what the items are parts of
	Heaviest    []Item // of what is sent, the heaviest first
	Savings     []Saving
	Calibration conversation.Calibration
	Off         *float64 // how far the last estimate was from what was reported: reported/estimated - 1; nil unknown
	Costs       Costs
	Cache       CacheUse
	Kept        promptcache.Kept // for how long the provider's cache keeps it
	Pins        int              // messages that are pinned
	Messages    int              // that are sent
	Events      int              // of what was said that stand for themselves or behind an overlay
}

// Costs is what a conversation has cost. A nil amount is not known.
type Costs struct {
	Total     *float64 // of all requests whose cost is known
	Summaries *float64 // of Total, for summaries
	Saved     *float64 // what the provider's cache took off: against the full price of all tokens it served
	Requests  int      // for replies
	Written   int      // for summaries
	Prompt    int      // tokens sent in all requests
	Cached    int      // of them, served from the cache
	Output    int      // tokens generated
}

// NewBreakdown weighs the context of a conversation as the planner finds it. saved is
// what the provider's cache took off a request in US dollars, nil if unknown.
func NewBreakdown(r preset.Rules, c planner.Check, saved func(conversation.Usage) *float64) Breakdown {
	t := weigher{check: c, scale: c.Meter.Scale(), framing: c.Meter.Factor() * c.Meter.Framing(), echo: c.Meter.EchoesReasoning()}
	t.prompt()
	t.messages()
	t.absent()
	t.label()
	a := Breakdown{Reading: c.Meter.Reading(), Forecast: c.Forecast(r), Estimated: c.Meter.EstimatedTokens(), Heaviest: t.heaviest, Savings: t.savings(),
		Calibration: c.Meter.Calibration(), Pins: t.pins, Messages: len(c.View.Messages)}
	a.Cache = CacheUseOf(c.Log, c.Sheet.Lives())
	a.Costs, a.Off, a.Events = costsOf(c.Log, c.Meter.Factor(), saved)
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
		if u.For == conversation.ForReply && u.Whole() && u.Estimate > 0 {
			if share := float64(u.Prompt)/(u.Estimate*factor) - 1; finite(share) {
				off = &share
			}
		}
	}
	if c.Written == 0 && c.Total != nil {
		c.Summaries = new(float64)
	}
	return c, off, events
}

// add is the costs with those of another request.
func (c *Costs) add(u conversation.Usage) {
	if u.For == conversation.ForReply {
		c.Requests++
	} else {
		c.Written++
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

// save notes what one kind of overlay saves.
func (t *weigher) save(kind, items int, tokens float64) {
	t.kinds[kind].Items += items
	t.tokens[kind] += tokens
}

// savings lists the kinds that there are.
func (t *weigher) savings() []Saving {
	var out []Saving
	for kind, s := range t.kinds {
		if s.Items > 0 {
			out = append(out, Saving{Kind: savingNames[kind], Items: s.Items, Tokens: int(math.Round(t.tokens[kind]))})
		}
	}
	return out
}

// messages weighs what is sent.
func (t *weigher) messages() {
	messages := t.check.View.Messages
	for i := range messages {
		m := &messages[i]
		if m.State == projection.StatePinned {
			t.pins++
		}
		now := t.sent(m)
		t.weigh(i, m, now)
		t.compare(m, now)
	}
}

// sent is a message in tokens as it is sent.
func (t *weigher) sent(m *projection.Message) float64 {
	return t.scale.Weigh(m.After()) + t.framing*float64(1+len(m.Calls)) + t.thought(m)
}

// thought is the reasoning of a message in tokens as it is sent.
func (t *weigher) thought(m *projection.Message) float64 {
	if !t.check.Meter.Thinks(m) {
		return 0
	}
	return t.scale.Weigh(m.ReasoningSize) + t.framing
}

// utterance is an event as it was said.
type utterance struct {
	text    float64 // tokens, without reasoning and with the framing of calls
	thought float64 // tokens of reasoning that would be sent
	thinks  bool    // it has reasoning
}

// said weighs an event as it was said.
func (t *weigher) said(seq uint64) utterance {
	i := conversation.IndexOf(t.check.Log, seq)
	if i < 0 {
		return utterance{}
	}
	size, ok := conversation.MessageSize(t.check.Log[i].Body)
	if !ok {
		return utterance{}
	}
	s := utterance{text: t.scale.Weigh(size) + t.framing}
	if b, ok := t.check.Log[i].Body.(conversation.AssistantMessage); ok {
		s.text += t.framing * float64(len(b.Calls))
		if s.thinks = b.Reasoning != ""; s.thinks && t.echo {
			s.thought = t.scale.Weigh(b.ReasoningSize) + t.framing
		}
	}
	return s
}

// compare notes what a message saves.
func (t *weigher) compare(m *projection.Message, now float64) {
	switch {
	case m.State == projection.StateSummarised || m.State == projection.StateDropped:
		t.compareRun(m, now)
		return
	case m.Overlay == 0 && m.Repeats == 0:
		return
	}
	said := t.said(m.Events[0])
	kept := t.thought(m)
	saved := said.text - (now - kept)
	switch {
	case m.Repeats != 0:
		t.save(savedPointers, 1, saved)
	case m.Role == projection.RoleTool && m.State == projection.StateMasked:
		t.save(savedMasks, 1, saved)
	case m.State == projection.StateCapped:
		t.save(savedCaps, 1, saved)
	case saved != 0:
		t.save(savedArguments, 1, saved)
	}
	if said.thinks && (m.Stripped || m.Reasoning == "") {
		t.save(savedReasoning, 1, said.thought-kept)
	}
}

// compareRun notes what a message saves that stands for many. Where a pair stands
// for the same events they are counted once.
func (t *weigher) compareRun(m *projection.Message, now float64) {
	kind := savedSummaries
	if m.State == projection.StateDropped {
		kind = savedDrops
	}
	if t.run == m.Events[0] {
		t.save(kind, 0, -now)
		return
	}
	t.run = m.Events[0]
	before := 0.0
	for _, seq := range m.Events {
		said := t.said(seq)
		before += said.text + said.thought
	}
	t.save(kind, len(m.Events), before-now)
}

// absent notes what of the log stands nowhere in the view.
func (t *weigher) absent() {
	for _, a := range t.check.View.Absent {
		kind := savedTurns
		switch a.Why {
		case projection.WhyLeftOut:
			kind = savedDrops
		case projection.WhyToldAbove:
			kind = savedSummaries
		}
		said := t.said(a.Event)
		t.save(kind, 1, said.text+said.thought)
	}
}
