package session

import (
	"fmt"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// How a compaction is shown: what each layer does, the size before and after, and what the changed prompt costs.

// Compaction is `compact --json`: a preview, or a committed compaction.
type Compaction struct {
	ID      string  `json:"id"`
	Profile string  `json:"profile"`
	From    int     `json:"from"`
	To      int     `json:"to"`
	Epoch   *uint64 `json:"epoch"` // null for a preview
	Before  int     `json:"before"`
	After   int     `json:"after"`
	Layers  []layer `json:"layers"`
	// BreakAt is the first event whose message changes, null if no message changes.
	BreakAt *uint64 `json:"prefix_break_at"`
	// CostNow is the extra cost of the next request compared to no compaction, in US dollars; null if prices are unknown.
	CostNow *float64 `json:"cost_now"`
	// PaysAfter is the number of requests after which the savings exceed CostNow, null if unknown.
	PaysAfter *int `json:"pays_after"`
	Summary   any  `json:"summary"` // summaryNeed, summaryMade or null

	rewritten int // tokens after the first change, which the provider must cache again
	breakTurn int // of the event at BreakAt
}

// layer is the effect of one kind of reduction: the events that it changes and the tokens that it saves.
type layer struct {
	Kind   string `json:"kind"`
	Events int    `json:"events"`
	Saved  int    `json:"saved"`
}

// summaryNeed is a summary that a model has yet to write.
type summaryNeed struct {
	Needed   bool    `json:"needed"`
	Model    *string `json:"model"`
	Estimate int     `json:"estimate"`
}

type summaryMade struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
}

// NewCompaction describes a compaction that is not committed yet.
func NewCompaction(s ConversationState, p edit.Preview) Compaction {
	c := Compaction{ID: s.ID, Profile: p.Profile, From: p.Range.From, To: p.Range.To, Before: p.Before, After: p.After,
		Layers: []layer{}, BreakAt: console.OrNull(p.BreakAt), rewritten: p.Rewritten}
	for _, l := range p.Layers {
		c.Layers = append(c.Layers, layer(l))
	}
	for _, e := range s.WithPartial {
		if e.Seq == p.BreakAt {
			c.breakTurn = e.Turn
		}
	}
	if need := p.Summary; need != nil {
		name := need.Model
		if name == "" && s.model.ID != "" {
			name = s.model.Name()
		}
		c.Summary = summaryNeed{Needed: true, Model: console.OrNull(name), Estimate: need.Estimate}
	}
	c.setPrices(s.model)
	return c
}

// setPrices sets CostNow and PaysAfter, if the model's prices are known.
func (c *Compaction) setPrices(m llm.Model) {
	p := m.Prices
	if p == nil {
		return
	}
	c.CostNow, c.PaysAfter = llm.PriceOf(edit.Preview{Before: c.Before, After: c.After, Rewritten: c.rewritten},
		func(t llm.Tokens) float64 { return catalog.Cost(*p, m.WithLongWrites(t)) })
}

// trimmedText is shown when the oldest messages are left out because other compaction did not free enough (preset oneclaw).
const trimmedText = "Conversation history has been automatically trimmed"

// CompactionLine describes an update about compaction on one line. It is "" while a request waits for the compaction, and
// for a failed automatic one.
func CompactionLine(u updates.Update) string {
	switch u := u.(type) {
	case updates.Compacting:
		if !u.RequestWaits {
			return optimizingText
		}
	case updates.Compacted:
		p, lead := u.Preview, "compacted "
		if u.Trimmed {
			lead = trimmedText + ": "
		}
		line := lead + turnsText(p.Range.From, p.Range.To)
		if p.Profile != "" {
			line += ", profile " + p.Profile
		}
		return fmt.Sprintf("%s: ~%s -> ~%s tokens", line, numbers.Grouped(p.Before), numbers.Grouped(p.After))
	case updates.CompactionFailed:
		if s := u.Request.Source; s == conversation.SourceManual || s == conversation.SourceTool {
			return "not compacted: " + u.Err.Message
		}
	}
	return ""
}

// layerWords are, by kind of layer, what it changes and how.
var layerWords = map[string][2]string{
	"results": {"tool result", "masked"}, "arguments": {"message", "stripped of arguments"}, "reasoning": {"message", "stripped of reasoning"},
	"calls": {"message", "of tool calls left out"}, "summary": {"message", "replaced by a summary"},
	"note": {"message", "replaced by an excerpt"}, "": {"message", "left out"},
}

// Text is the compaction for reading.
func (c Compaction) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, profile %s\n", c.ID, turnsText(c.From, c.To), c.Profile)
	for _, l := range c.Layers {
		words, ok := layerWords[l.Kind]
		if !ok {
			words = layerWords[""]
		}
		fmt.Fprintf(&b, "%-10s  %s %s, ~%s tokens\n", l.Kind, numbers.Count(l.Events, words[0]), words[1], numbers.Grouped(l.Saved))
	}
	fmt.Fprintf(&b, "tokens      ~%s -> ~%s\n", numbers.Grouped(c.Before), numbers.Grouped(c.After))
	if c.BreakAt != nil {
		fmt.Fprintf(&b, "prefix      breaks at e%d, in turn %d: ~%s tokens are sent as new\n", *c.BreakAt, c.breakTurn, numbers.Grouped(c.rewritten))
	}
	b.WriteString("cost        " + c.costText() + "\n")
	switch s := c.Summary.(type) {
	case summaryNeed:
		writer := "the conversation's model"
		if s.Model != nil {
			writer = *s.Model
		}
		fmt.Fprintf(&b, "summary     written by %s, at most ~%s tokens\n", writer, numbers.Grouped(s.Estimate))
	case summaryMade:
		fmt.Fprintf(&b, "summary     ~%s tokens; plimsoll print %s --compacted shows it\n", numbers.Grouped(s.Tokens), c.ID)
	}
	if c.Epoch == nil {
		b.WriteString("preview only: nothing was changed\n")
	} else {
		fmt.Fprintf(&b, "undo: plimsoll compact %s --undo\n", c.ID)
	}
	return b.String()
}

func turnsText(from, to int) string {
	if from == to {
		return fmt.Sprintf("turn %d", from)
	}
	return fmt.Sprintf("turns %d to %d", from, to)
}

// costText describes CostNow and PaysAfter.
func (c Compaction) costText() string {
	switch {
	case c.CostNow == nil:
		return "unknown: the model has no known prices"
	case *c.CostNow <= 0 && c.PaysAfter != nil:
		return "nothing more, from the next request on"
	}
	text := fmt.Sprintf("$%s more with the next request if the provider's cache still holds it", console.Dollars(*c.CostNow))
	if c.PaysAfter != nil {
		text += ", pays off after " + numbers.Count(*c.PaysAfter, "request")
	}
	return text
}
