package edit

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// difference is what overlays change of a view, message by message.
type difference struct {
	before, after projection.View
	meter         meter.Meter
	bodies        []conversation.Body // the overlays
	evicts        bool                // they are a step: what was hidden before does not count again
}

// layers is what each kind of reduction does, without those that
// do nothing.
func (d *difference) layers() []Layer {
	was := map[uint64]*projection.Message{}
	pairs := map[uint64]*projection.Message{} // of a pair that stands for events, the one that does not count them
	for i := range d.before.Messages {
		m := &d.before.Messages[i]
		if len(m.Events) > 0 && was[m.Events[0]] != nil {
			pairs[m.Events[0]] = m
			if first := was[m.Events[0]]; first.Before.Chars() == 0 {
				pairs[m.Events[0]] = first
			}
		}
		for _, seq := range m.Events {
			if was[seq] == nil || was[seq].Before.Chars() == 0 {
				was[seq] = m
			}
		}
	}
	sums, then := layerSums{}, d.meter.WithView(d.after)
	for i := range d.after.Messages {
		m := &d.after.Messages[i]
		if other := pairs[m.Events[0]]; other == nil || !sameMessage(other, m) {
			d.compare(m, &then, was, sums)
		}
	}
	for _, a := range d.after.Absent {
		if m := was[a.Event]; m != nil && m.Events[0] == a.Event {
			sums.add(LayerCalls, 1, d.meter.MessageTokens(m))
		}
	}
	var out []Layer
	for _, kind := range []string{LayerReasoning, LayerArguments, LayerResults, LayerCalls, LayerSummary, LayerNote, LayerDropped} {
		if l := sums[kind]; l.events > 0 {
			out = append(out, Layer{Kind: kind, Events: l.events, Saved: whole(l.saved)})
		}
	}
	return out
}

// compare adds what a message saves.
func (d *difference) compare(m *projection.Message, then *meter.Meter, was map[uint64]*projection.Message, sums layerSums) {
	old := was[m.Events[0]]
	stands := m.State == projection.StateSummarised || m.State == projection.StateDropped
	if old != nil && !stands && d.meter.Thinks(old) && !then.Thinks(m) && (m.Reasoning != "" || len(m.Calls) >= len(old.Calls)) {
		sums.add(LayerReasoning, 1, d.meter.Weigh(old.ReasoningSize))
	}
	if old == nil || sameMessage(old, m) {
		return
	}
	switch {
	case stands:
		d.compareRun(m, was, sums)
	case m.Role == projection.RoleTool && old.Repeats != 0 && m.Overlay == 0:
		// The result that it pointed to is what the proposal hides, not this one.
		sums.add(d.hides(), 0, d.meter.Weigh(old.Size)-d.meter.Weigh(m.Size))
	case m.Role == projection.RoleTool:
		sums.add(LayerResults, 1, d.meter.Weigh(old.Size)-d.meter.Weigh(m.Size))
	default:
		if len(old.Calls) > len(m.Calls) {
			sums.add(LayerCalls, 1, d.meter.MessageTokens(old)-d.meter.MessageTokens(m))
			return
		}
		if saved := d.meter.Weigh(old.After()) - d.meter.Weigh(m.After()); saved != 0 {
			sums.add(LayerArguments, 1, saved)
		}
		if !d.meter.EchoesReasoning() && (m.Stripped || m.Reasoning != old.Reasoning) {
			sums.add(LayerReasoning, 1, 0)
		}
	}
}

// notesAlone reports whether they evict and summarises nothing.
func (d *difference) notesAlone() bool {
	notes := false
	for _, b := range d.bodies {
		if s, ok := b.(conversation.Summary); ok {
			if s.Text != "" || s.Policies != nil {
				return false
			}
			notes = true
		}
	}
	return notes
}

// compareRun adds what a message saves that stands for many.
func (d *difference) compareRun(m *projection.Message, was map[uint64]*projection.Message, sums layerSums) {
	kind := LayerSummary
	switch {
	case m.State == projection.StateSummarised && d.notesAlone():
		kind = LayerNote
	case m.State == projection.StateDropped && m.Why == projection.WhyLeftOut:
		kind = LayerCalls
	case m.State == projection.StateDropped:
		kind = LayerDropped
	}
	saved := -d.meter.MessageTokens(m)
	if m.Before.Chars() > 0 { // of a pair only one stands for the events
		seen, events := map[*projection.Message]bool{}, len(m.Events)
		for _, seq := range m.Events {
			old := was[seq]
			if old != nil && !seen[old] {
				seen[old] = true
				saved += d.meter.MessageTokens(old)
			}
			if (kind == LayerNote || kind == LayerSummary && d.evicts) && old != nil && (old.State == projection.StateSummarised || old.State == projection.StateDropped) {
				events-- // it was before
			}
		}
		sums.add(kind, events, saved)
		return
	}
	sums.add(kind, 0, saved)
}

// layerSums is what each kind of reduction does, by kind.
type layerSums map[string]layerSum

type layerSum struct {
	events int
	saved  float64 // tokens
}

func (s layerSums) add(kind string, events int, saved float64) {
	s[kind] = layerSum{s[kind].events + events, s[kind].saved + saved}
}

// firstBreak is the index of the first message that is sent otherwise, -1 if
// none is.
func (d *difference) firstBreak() int { return firstChange(d.sent(d.before), d.sent(d.after)) }

// sent is the messages of a view with what of them is sent: reasoning only where
// it goes back.
func (d *difference) sent(v projection.View) projection.View {
	messages, m := slices.Clone(v.Messages), d.meter.WithView(v)
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

// hides is the layer of the overlays that hide whole messages, that of results if none
// does.
func (d *difference) hides() string {
	if d.notesAlone() {
		return LayerNote
	}
	for _, b := range d.bodies {
		switch b := b.(type) {
		case conversation.Summary:
			if b.Policies == nil {
				return LayerSummary
			}
		case conversation.Drop:
			return LayerDropped
		}
	}
	return LayerResults
}
