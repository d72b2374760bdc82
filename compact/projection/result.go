package projection

import (
	"strconv"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// How a tool result is shown. Rules:
//
//   - A mask in the style of a source is exact. Plimsoll's own masks and
//     caps take effect only where what they show is shorter than what is shown
//     without them, so that none makes a view longer; a mask is stronger than a cap.
//   - A result that repeats another one points to it instead, where that is shorter
//     and the other one stands above in full.

// form is a way to show a result.
type form struct {
	text    string
	size    conversation.Size
	state   State  // "" for as it was said
	overlay uint64 // what made it, 0 for as it was said
	exact   bool   // in the exact words of a source: pointers and sizes do not matter
}

// take is the form an overlay gives, if it is no longer than the one so far.
func (f *form) take(text string, overlay uint64, state State) {
	if text == "" {
		return
	}
	size := conversation.Measure(text)
	if chars := size.Chars(); chars < f.size.Chars() || chars == f.size.Chars() && f.state == state {
		*f = form{text: text, size: size, state: state, overlay: overlay, exact: f.exact}
	}
}

// form is how the overlays have a result, whatever it repeats.
func (r *decisions) form(i int) form {
	b, _ := r.events[i].Body.(conversation.ToolResult) // asked for results only
	d := &r.by[i]
	f := form{text: b.Text, size: b.Size}
	for _, c := range d.caps {
		if c.call == "" {
			f.take(capped(b, c.cut, r.original(i, b)), c.seq, StateCapped)
		}
	}
	for _, how := range d.masks {
		switch {
		case how.exact():
			text := stub(b, how, "")
			f = form{text: text, size: conversation.Measure(text), state: StateMasked, overlay: how.seq, exact: true}
		case b.Size.Chars() >= how.minChars:
			f.take(stub(b, how, r.original(i, b)), how.seq, StateMasked)
		}
	}
	return f
}

// original is the id by which recall brings back what a result is about: for
// what recall itself brought back that which was recalled, so that stubs never
// form chains.
func (r *decisions) original(i int, b conversation.ToolResult) string {
	own := "e" + strconv.FormatUint(r.events[i].Seq, 10)
	if b.Tool != conversation.ToolRecall || b.Status != conversation.ResultOK { // a miss has no original
		return own
	}
	for i--; i >= 0; i-- {
		reply, ok := r.events[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID != b.CallID {
				continue
			}
			if id, ok := conversation.RecallTarget(c.Arguments); ok {
				return id
			}
			return own
		}
	}
	return own
}

func (p *projector) reduceResult(i int, m *Message) {
	f := p.form(i)
	root := p.root(i)
	if stands := p.canonical[root]; root != 0 && stands != 0 && !f.exact {
		switch seq := p.events[i].Seq; {
		case seq == stands:
			if f.overlay != 0 {
				m.Why = "shown in full, because results below point to it"
			}
			return
		case seq > stands && p.view.pointTo(m, p.events, i, stands, f.size.Chars()):
			return
		}
	}
	if f.overlay == 0 {
		return
	}
	m.Text, m.Size, m.State, m.Overlay = f.text, f.size, f.state, f.overlay
	m.Why = "old result, shown as a stub"
	if f.state == StateCapped {
		m.Why = "only the ends are shown"
	}
}

// StubOf is the stub of Plimsoll's own for the result at an index of a log, with so many code points of each end; "" if
// nothing shorter can stand there.
func StubOf(log []conversation.Event, i, preview int) string {
	b, ok := log[i].Body.(conversation.ToolResult)
	if !ok {
		return ""
	}
	return stub(b, newMasking(0, preset.OwnStyle, preview), (&decisions{events: log}).original(i, b))
}
