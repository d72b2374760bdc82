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

// Saving is the number of messages or events that are shortened or hidden, and the tokens
// that the next request is shorter for it.
type Saving struct {
	Items  int
	Tokens float64
}

// Savings is what each kind saves in a view of a log.
type Savings [savingKinds]Saving

// SavingsOf compares a view with the original messages.
func SavingsOf(log []conversation.Event, v projection.View, m meter.Meter) Savings {
	w := savingsCounter{log: log, meter: m.WithView(v)}
	for i := range v.Messages {
		if m := &v.Messages[i]; m.State == projection.StateSummarised || m.State == projection.StateDropped {
			w.addReplacement(m)
		} else {
			w.addMessage(m)
		}
	}
	for _, a := range v.Absent {
		kind := SavedTurns
		switch a.Why {
		case projection.WhyLeftOut:
			kind = SavedCalls
		case projection.WhyToldAbove:
			kind = SavedSummaries
		}
		text, reasoning := w.originalTokens(a.Event)
		w.save(kind, 1, text+reasoning)
	}
	return w.sums
}

type savingsCounter struct {
	log   []conversation.Event
	meter meter.Meter // with the view
	sums  Savings
	run   uint64 // Seq of the first event of the newest message that replaces several events
}

func (w *savingsCounter) save(kind SavingKind, items int, tokens float64) {
	w.sums[kind].Items += items
	w.sums[kind].Tokens += tokens
}

// originalTokens returns the tokens of the original message of an event, and of its
// reasoning if that would be sent.
func (w *savingsCounter) originalTokens(seq uint64) (text, reasoning float64) {
	i := conversation.IndexOf(w.log, seq)
	if i < 0 {
		return 0, 0
	}
	m, ok := projection.MessageOf(&w.log[i])
	if !ok {
		return 0, 0
	}
	if m.Reasoning != "" && w.meter.EchoesReasoning() {
		reasoning = w.reasoningTokens(&m)
	}
	m.Reasoning = ""
	return w.meter.MessageTokens(&m), reasoning
}

func (w *savingsCounter) reasoningTokens(m *projection.Message) float64 {
	return w.meter.TextTokens(m.ReasoningSize) + w.meter.Factor()*w.meter.MessageOverhead()
}

// addMessage adds the saving of a message that shows one event.
func (w *savingsCounter) addMessage(m *projection.Message) {
	if m.Overlay == 0 && m.Repeats == 0 && m.Reasoning == "" {
		return
	}
	text, reasoning := w.originalTokens(m.Events[0])
	kept := 0.0
	if w.meter.SendsThinking(m) {
		kept = w.reasoningTokens(m)
	}
	saved := text - (w.meter.MessageTokens(m) - kept)
	switch {
	case m.Overlay == 0 && m.Repeats == 0:
	case m.Repeats != 0:
		w.save(SavedPointers, 1, saved)
	case m.Role == projection.RoleTool && m.State == projection.StateMasked:
		w.save(SavedMasks, 1, saved)
	case m.State == projection.StateCapped:
		w.save(SavedCaps, 1, saved)
	case saved != 0:
		w.save(SavedArguments, 1, saved)
	}
	switch {
	case kept > 0:
	case m.Stripped, reasoning > 0 && m.Reasoning == "":
		w.save(SavedReasoning, 1, reasoning)
	case reasoning > 0:
		w.save(SavedThinking, 1, reasoning)
	}
}

// addReplacement adds the saving of a message that replaces several events. Where a pair
// of messages replaces the same events, they are counted once.
func (w *savingsCounter) addReplacement(m *projection.Message) {
	kind := SavedSummaries
	switch {
	case m.State == projection.StateDropped && m.Why == projection.WhyLeftOut:
		kind = SavedCalls
	case m.State == projection.StateDropped:
		kind = SavedDrops
	}
	if w.save(kind, 0, -w.meter.MessageTokens(m)); w.run == m.Events[0] {
		return
	}
	w.run = m.Events[0]
	for _, seq := range m.Events {
		text, reasoning := w.originalTokens(seq)
		w.save(kind, 1, text+reasoning)
	}
}

var layerOf = [savingKinds]string{
	SavedMasks: LayerResults, SavedCaps: LayerResults, SavedPointers: LayerResults, SavedArguments: LayerArguments,
	SavedReasoning: LayerReasoning, SavedThinking: LayerReasoning, SavedCalls: LayerCalls, SavedDrops: LayerDropped,
	SavedTurns: LayerDropped,
}

// Layers returns the effect of each kind of reduction in the proposal: what the view after
// it saves and the view before it did not. Kinds without effect are left out. The kind that
// hides messages includes the loss of savings by earlier overlays of these messages.
func (p *Proposal) Layers() []Layer {
	hiding := p.hidingLayer()
	before, after := SavingsOf(p.log, p.before, p.in.Meter), SavingsOf(p.log, p.after, p.in.Meter)
	sums := map[string]Saving{}
	for kind := range after {
		items, tokens := after[kind].Items-before[kind].Items, after[kind].Tokens-before[kind].Tokens
		layer := layerOf[kind]
		if layer == "" || items <= 0 {
			layer, items = hiding, max(items, 0)
		}
		sums[layer] = Saving{sums[layer].Items + items, sums[layer].Tokens + tokens}
	}
	if s := sums[hiding]; s.Items == 0 && hiding == LayerSummary { // it replaces another summary
		sums[hiding] = Saving{len(conversation.MessagesIn(p.log, p.Spans)), s.Tokens}
	}
	var out []Layer
	for _, kind := range []string{LayerReasoning, LayerArguments, LayerResults, LayerCalls, LayerSummary, LayerNote, LayerDropped} {
		if s := sums[kind]; s.Items > 0 {
			out = append(out, Layer{Kind: kind, Events: s.Items, Saved: whole(s.Tokens)})
		}
	}
	return out
}

// hidingLayer returns the layer of the overlays that hide whole messages, or LayerResults.
func (p *Proposal) hidingLayer() string {
	layer := LayerResults
	for _, b := range p.bodies {
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
		messages[i].Stripped = false
	}
	return projection.View{Messages: messages}
}

// firstChange returns the index of the first message that differs, or -1.
func firstChange(a, b projection.View) int {
	for i := range a.Messages {
		if i >= len(b.Messages) || !sameMessage(&a.Messages[i], &b.Messages[i]) {
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

// sameMessage reports whether two messages are sent as the same bytes, whatever events
// they show.
func sameMessage(a, b *projection.Message) bool {
	return a.SameContent(b) && a.Reasoning == b.Reasoning && a.Stripped == b.Stripped
}
