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
	SavedThinking // that no overlay hides, but what changed in front of it
	savingKinds
)

// Saving is how many messages or events are not sent as they were said, and how many tokens
// the next request is shorter by that.
type Saving struct {
	Items  int
	Tokens float64
}

// Savings is what each kind saves in a view of a log.
type Savings [savingKinds]Saving

// SavingsOf weighs a view against what was said.
func SavingsOf(log []conversation.Event, v projection.View, m meter.Meter) Savings {
	w := weigher{log: log, meter: m.WithView(v)}
	for i := range v.Messages {
		if m := &v.Messages[i]; m.State == projection.StateSummarised || m.State == projection.StateDropped {
			w.weighRun(m)
		} else {
			w.weigh(m)
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
		text, thought := w.said(a.Event)
		w.save(kind, 1, text+thought)
	}
	return w.sums
}

type weigher struct {
	log   []conversation.Event
	meter meter.Meter // with the view
	sums  Savings
	run   uint64 // Seq of the first event of the last message that stands for many
}

func (w *weigher) save(kind SavingKind, items int, tokens float64) {
	w.sums[kind].Items += items
	w.sums[kind].Tokens += tokens
}

// said is an event as it was said, in tokens, and the reasoning of it that would be sent.
func (w *weigher) said(seq uint64) (text, thought float64) {
	i := conversation.IndexOf(w.log, seq)
	if i < 0 {
		return 0, 0
	}
	m, ok := projection.MessageOf(&w.log[i])
	if !ok {
		return 0, 0
	}
	if m.Reasoning != "" && w.meter.EchoesReasoning() {
		thought = w.reasoning(&m)
	}
	m.Reasoning = ""
	return w.meter.MessageTokens(&m), thought
}

func (w *weigher) reasoning(m *projection.Message) float64 {
	return w.meter.Weigh(m.ReasoningSize) + w.meter.Factor()*w.meter.Framing()
}

// weigh notes what a message saves that stands for itself.
func (w *weigher) weigh(m *projection.Message) {
	if m.Overlay == 0 && m.Repeats == 0 && m.Reasoning == "" {
		return
	}
	text, thought := w.said(m.Events[0])
	kept := 0.0
	if w.meter.Thinks(m) {
		kept = w.reasoning(m)
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
	case m.Stripped, thought > 0 && m.Reasoning == "":
		w.save(SavedReasoning, 1, thought)
	case thought > 0:
		w.save(SavedThinking, 1, thought)
	}
}

// weighRun notes what a message saves that stands for many. Where a pair stands for the
// same events they are counted once.
func (w *weigher) weighRun(m *projection.Message) {
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
		text, thought := w.said(seq)
		w.save(kind, 1, text+thought)
	}
}

var layerOf = [savingKinds]string{
	SavedMasks: LayerResults, SavedCaps: LayerResults, SavedPointers: LayerResults, SavedArguments: LayerArguments,
	SavedReasoning: LayerReasoning, SavedThinking: LayerReasoning, SavedCalls: LayerCalls, SavedDrops: LayerDropped,
	SavedTurns: LayerDropped,
}

// Layers is what each kind of reduction does in the proposal, without those that do nothing:
// what the view after it saves and the view before it did not. What earlier overlays saved
// of messages that the proposal hides belongs to that.
func (p *Proposal) Layers() []Layer {
	hides := p.hides()
	was, is := SavingsOf(p.log, p.before, p.now.Meter), SavingsOf(p.log, p.after, p.now.Meter)
	sums := map[string]Saving{}
	for kind := range is {
		items, tokens := is[kind].Items-was[kind].Items, is[kind].Tokens-was[kind].Tokens
		layer := layerOf[kind]
		if layer == "" || items <= 0 {
			layer, items = hides, max(items, 0)
		}
		sums[layer] = Saving{sums[layer].Items + items, sums[layer].Tokens + tokens}
	}
	if s := sums[hides]; s.Items == 0 && hides == LayerSummary { // it is summarised anew
		sums[hides] = Saving{len(conversation.MessagesIn(p.log, p.Spans)), s.Tokens}
	}
	var out []Layer
	for _, kind := range []string{LayerReasoning, LayerArguments, LayerResults, LayerCalls, LayerSummary, LayerNote, LayerDropped} {
		if s := sums[kind]; s.Items > 0 {
			out = append(out, Layer{Kind: kind, Events: s.Items, Saved: whole(s.Tokens)})
		}
	}
	return out
}

// hides is the layer of the overlays that hide whole messages, that of results if none does.
func (p *Proposal) hides() string {
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

// sent is the messages of a view with what of them is sent: reasoning only where
// it goes back.
func sent(v projection.View, m meter.Meter) projection.View {
	messages := slices.Clone(v.Messages)
	m = m.WithView(v)
	for i := range messages {
		if !m.Thinks(&messages[i]) {
			messages[i].Reasoning = ""
		}
		messages[i].Stripped = false
	}
	return projection.View{Messages: messages}
}

// firstChange is the index of the first message that differs, -1 if none does.
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

// brokenAt is the Seq that message i of a view begins with, the last one's if
// there is none.
func brokenAt(v projection.View, i int) uint64 {
	if len(v.Messages) == 0 {
		return 0
	}
	return v.Messages[min(i, len(v.Messages)-1)].Events[0]
}

// sameMessage reports whether two messages are the same on the wire, wherever
// they came from.
func sameMessage(a, b *projection.Message) bool {
	return a.SaysSame(b) && a.Reasoning == b.Reasoning && a.Stripped == b.Stripped
}
