package edit

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

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
