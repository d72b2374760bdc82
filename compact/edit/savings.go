package edit

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// SavingKind is a way in which overlays make requests shorter.
type SavingKind int

// The kinds of savings.
const (
	SavedMasks SavingKind = iota
	SavedCaps
	SavedArguments
	SavedReasoning
	SavedSummaries
	SavedDrops
	SavedPointers
	SavedTurns
	SavedCalls    // calls and results that are left out
	SavedThinking // reasoning dropped because an earlier message changed, not by an overlay
	savingKinds
)

// Saving is the number of messages or events that overlays shorten or remove, and the tokens
// that this saves in the next request.
type Saving struct {
	Items  int
	Tokens float64
}

// Savings are the savings of a view, by SavingKind.
type Savings [savingKinds]Saving

// SavingsOf compares a view with the original messages.
func SavingsOf(log []conversation.Event, v projection.View, m meter.Meter) Savings {
	counter := savingsCounter{log: log, meter: m.WithView(v)}
	for i := range v.Messages {
		if m := &v.Messages[i]; m.State == projection.StateSummarised || m.State == projection.StateDropped {
			counter.addReplacement(m)
		} else {
			counter.addMessage(m)
		}
	}
	for _, a := range v.Absent {
		kind := SavedTurns
		switch a.Why {
		case projection.WhyLeftOut:
			kind = SavedCalls
		case projection.WhySummarisedAbove:
			kind = SavedSummaries
		}
		text, reasoning := counter.originalTokens(a.Event)
		counter.addSaving(kind, 1, text+reasoning)
	}
	return counter.sums
}

type savingsCounter struct {
	log             []conversation.Event
	meter           meter.Meter // with the view
	sums            Savings
	lastReplacement uint64 // Seq of the first event of the newest message that replaces several events
}

func (c *savingsCounter) addSaving(kind SavingKind, items int, tokens float64) {
	c.sums[kind].Items += items
	c.sums[kind].Tokens += tokens
}

// originalTokens returns the tokens of the original message of an event, and of its
// reasoning if that would be sent.
func (c *savingsCounter) originalTokens(seq uint64) (text, reasoning float64) {
	i := conversation.IndexOf(c.log, seq)
	if i < 0 {
		return 0, 0
	}
	m, ok := projection.MessageOf(&c.log[i])
	if !ok {
		return 0, 0
	}
	if m.Reasoning != "" && c.meter.EchoesReasoning() {
		reasoning = c.reasoningTokens(&m)
	}
	m.Reasoning = ""
	return c.meter.MessageTokens(&m), reasoning
}

func (c *savingsCounter) reasoningTokens(m *projection.Message) float64 {
	return c.meter.TextTokens(m.ReasoningSize) + c.meter.Factor()*c.meter.MessageOverhead()
}

func (c *savingsCounter) addMessage(m *projection.Message) {
	if m.Overlay == 0 && m.Repeats == 0 && m.Reasoning == "" {
		return
	}
	text, reasoning := c.originalTokens(m.Events[0])
	kept := 0.0
	if c.meter.SendsThinking(m) {
		kept = c.reasoningTokens(m)
	}
	saved := text - (c.meter.MessageTokens(m) - kept)
	switch {
	case m.Overlay == 0 && m.Repeats == 0:
	case m.Repeats != 0:
		c.addSaving(SavedPointers, 1, saved)
	case m.Role == projection.RoleTool && m.State == projection.StateMasked:
		c.addSaving(SavedMasks, 1, saved)
	case m.State == projection.StateCapped:
		c.addSaving(SavedCaps, 1, saved)
	case saved != 0:
		c.addSaving(SavedArguments, 1, saved)
	}
	switch {
	case kept > 0:
	case m.ReasoningStripped, reasoning > 0 && m.Reasoning == "":
		c.addSaving(SavedReasoning, 1, reasoning)
	case reasoning > 0:
		c.addSaving(SavedThinking, 1, reasoning)
	}
}

// addReplacement adds the saving of a message that replaces several events. Where a pair
// of messages replaces the same events, they are counted once.
func (c *savingsCounter) addReplacement(m *projection.Message) {
	kind := SavedSummaries
	switch {
	case m.State == projection.StateDropped && m.Why == projection.WhyLeftOut:
		kind = SavedCalls
	case m.State == projection.StateDropped:
		kind = SavedDrops
	}
	if c.addSaving(kind, 0, -c.meter.MessageTokens(m)); c.lastReplacement == m.Events[0] {
		return
	}
	c.lastReplacement = m.Events[0]
	for _, seq := range m.Events {
		text, reasoning := c.originalTokens(seq)
		c.addSaving(kind, 1, text+reasoning)
	}
}

var layerOfSaving = [savingKinds]string{
	SavedMasks: LayerResults, SavedCaps: LayerResults, SavedPointers: LayerResults, SavedArguments: LayerArguments,
	SavedReasoning: LayerReasoning, SavedThinking: LayerReasoning, SavedCalls: LayerCalls, SavedDrops: LayerDropped,
	SavedTurns: LayerDropped,
}

// Layers returns the effect of each kind of reduction in the proposal: what the view after
// it saves and the view before it did not. Kinds without effect are left out. The kind that
// removes messages includes the loss of savings by earlier overlays of these messages.
func (p *Proposal) Layers() []Layer {
	main := p.mainLayer()
	before, after := SavingsOf(p.log, p.viewBefore, p.inputs.Meter), SavingsOf(p.log, p.viewAfter, p.inputs.Meter)
	sums := map[string]Saving{}
	for kind := range after {
		items, tokens := after[kind].Items-before[kind].Items, after[kind].Tokens-before[kind].Tokens
		layer := layerOfSaving[kind]
		if layer == "" || items <= 0 {
			layer, items = main, max(items, 0)
		}
		sums[layer] = Saving{sums[layer].Items + items, sums[layer].Tokens + tokens}
	}
	if s := sums[main]; s.Items == 0 && main == LayerSummary { // it replaces another summary
		sums[main] = Saving{len(conversation.MessagesIn(p.log, p.Spans)), s.Tokens}
	}
	var out []Layer
	for _, kind := range []string{LayerReasoning, LayerArguments, LayerResults, LayerCalls, LayerSummary, LayerNote, LayerDropped} {
		if s := sums[kind]; s.Items > 0 {
			out = append(out, Layer{Kind: kind, Events: s.Items, Saved: roundedTokens(s.Tokens)})
		}
	}
	return out
}

// mainLayer returns the layer of the overlays that remove whole messages, or LayerResults.
func (p *Proposal) mainLayer() string {
	layer := LayerResults
	for _, b := range p.overlays {
		switch b := b.(type) {
		case conversation.Summary:
			switch {
			case b.Policies == nil && b.Text != "":
				return LayerSummary
			case b.Policies == nil:
				layer = LayerNote
			}
		case conversation.Drop:
			layer = LayerDropped
		}
	}
	return layer
}

// sentView returns the messages of a view as they are sent: with reasoning only where
// it is sent back to the provider.
func sentView(v projection.View, m meter.Meter) projection.View {
	messages := slices.Clone(v.Messages)
	m = m.WithView(v)
	for i := range messages {
		if !m.SendsThinking(&messages[i]) {
			messages[i].Reasoning = ""
		}
		messages[i].ReasoningStripped = false
	}
	return projection.View{Messages: messages}
}

// firstChange returns the index of the first message that is sent as other bytes, whatever events it shows, or -1.
func firstChange(a, b projection.View) int {
	for i := range a.Messages {
		if i >= len(b.Messages) {
			return i
		}
		if x, y := &a.Messages[i], &b.Messages[i]; !x.SameContent(y) || x.Reasoning != y.Reasoning || x.ReasoningStripped != y.ReasoningStripped {
			return i
		}
	}
	if len(b.Messages) > len(a.Messages) {
		return len(a.Messages)
	}
	return -1
}

// firstSeq returns the first Seq of message i of a view, or of the last message if i is
// past the end.
func firstSeq(v projection.View, i int) uint64 {
	if len(v.Messages) == 0 {
		return 0
	}
	return v.Messages[min(i, len(v.Messages)-1)].Events[0]
}
