package meter

import (
	"math"
	"sort"

	"plimsoll/compact/projection"
)

// Some endpoints expect the model's thinking back in their own format. For some models it stays valid only while
// every earlier message is unchanged, so a compaction also removes the thinking of later messages. The code that
// builds requests reports which replies of the current view have thinking. For the view after a proposed compaction,
// the meter works it out.

// Thinking describes which replies of a view are sent back with their thinking.
type Thinking struct {
	Through uint64          // newest event of the view; later replies with fields to echo are all sent with thinking
	Replies map[uint64]bool // keyed by the last event of the reply's message
	// IsBound means that thinking is sent back only while all earlier messages are unchanged.
	IsBound bool
}

// thinkingRange is the range of events, exclusive, within which replies keep their thinking.
type thinkingRange struct {
	after, before uint64
	gap           uint64 // event of the newest reply without thinking; thinking before it is dropped once a later reply has some
}

// WithThinking returns the meter with the description of the view's thinking.
func (m Meter) WithThinking(t Thinking) Meter {
	m.thinking, m.knownMessages, m.measured = &t, m.view.Messages, 0
	return m.WithView(m.view)
}

// measureThinking measures the thinking that is sent back. While the view only grows, it measures new messages only.
func (m *Meter) measureThinking() {
	if !m.EchoesReasoning() || m.thinking == nil && m.options.EchoModel == "" {
		return
	}
	if before := m.firstChangedEvent(); before != m.thinkingRange.before {
		m.thinkingRange.before, m.measured = before, 0
	}
	if m.measured == 0 {
		m.thinkingRange, m.echoed = thinkingRange{before: m.thinkingRange.before}, projection.Sizes{}
	}
	for ; m.measured < len(m.view.Messages); m.measured++ {
		msg := &m.view.Messages[m.measured]
		if m.thinkingIsBound() && m.mayEcho(msg) {
			if msg.ReasoningStripped {
				m.thinkingRange.gap = lastEvent(msg)
			} else if m.thinkingRange.gap > m.thinkingRange.after { // a gap invalidates the thinking before it
				m.thinkingRange.after, m.echoed = m.thinkingRange.gap, projection.Sizes{}
			}
		}
		if m.SendsThinking(msg) {
			m.echoed.Add(projection.Reasoning, msg.ReasoningSize)
		}
	}
}

// firstChangedEvent returns the first event at which the view differs from the view that Thinking describes. Bound
// thinking from that event on is invalid.
func (m *Meter) firstChangedEvent() uint64 {
	messages := m.view.Messages
	if !m.thinkingIsBound() {
		return math.MaxUint64
	}
	switch i := firstChange(m.knownMessages, messages); {
	case i == len(m.knownMessages):
		m.knownMessages = messages
		return math.MaxUint64
	case i < len(messages):
		return messages[i].Events[0]
	case i > 0:
		return lastEvent(&messages[i-1]) + 1
	}
	return 0
}

// mayEcho reports whether a reply has thinking that may be sent back.
func (m *Meter) mayEcho(msg *projection.Message) bool {
	last := lastEvent(msg)
	if m.thinking.IsBound && last >= m.thinkingRange.before {
		return false
	}
	return m.thinking.Replies[last] || last > m.thinking.Through && len(msg.Extras) > 0
}

// SendsThinking reports whether a message of the view is sent back with its thinking.
func (m *Meter) SendsThinking(msg *projection.Message) bool {
	if !m.EchoesReasoning() || msg.Reasoning == "" || m.thinking == nil {
		return m.EchoesReasoning() && msg.Reasoning != "" && m.isEchoModel(msg)
	}
	return m.mayEcho(msg) && lastEvent(msg) > m.thinkingRange.after && !(msg.ReasoningStripped && m.thinking.IsBound)
}

// SendsBoundThinking reports whether a message is sent with thinking that a change before it would remove.
func (m *Meter) SendsBoundThinking(msg *projection.Message) bool {
	return m.thinkingIsBound() && m.SendsThinking(msg)
}

func (m *Meter) thinkingIsBound() bool { return m.thinking != nil && m.thinking.IsBound }

// BoundThinkingTokens returns the calibrated tokens of thinking that a change before it would remove.
func (m Meter) BoundThinkingTokens() float64 {
	if !m.thinkingIsBound() {
		return 0
	}
	return m.Factor() * m.SegmentEstimate(projection.Reasoning)
}

func lastEvent(m *projection.Message) uint64 {
	if len(m.Events) == 0 {
		return 0
	}
	return m.Events[len(m.Events)-1]
}

// shareArray reports whether two lists have the same backing array, so that the shorter is a prefix of the longer.
func shareArray(a, b []projection.Message) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// firstChange returns the index of the first message with different content, or the length of the shorter list.
func firstChange(a, b []projection.Message) int {
	n := min(len(a), len(b))
	if shareArray(a, b) {
		return n
	}
	for i := range n {
		if !a[i].SameContent(&b[i]) {
			return i
		}
	}
	return n
}

// replyEstimate returns the uncalibrated estimate of the reply with event seq, split into the part that is sent back
// and its unsent reasoning. Both are 0 if the view lacks the reply.
func (m *Meter) replyEstimate(seq uint64) (sent, thought float64) {
	messages := m.view.Messages
	i := sort.Search(len(messages), func(i int) bool {
		ev := messages[i].Events
		return len(ev) > 0 && ev[len(ev)-1] >= seq
	})
	if i == len(messages) || len(messages[i].Events) == 0 || messages[i].Events[0] > seq {
		return 0, 0
	}
	var s projection.Sizes
	messages[i].AddTo(&s)
	for _, seg := range projection.Segments() {
		if seg == projection.Reasoning && !m.options.EchoLoop && !m.SendsThinking(&messages[i]) {
			thought = EstimateSegment(&s, seg)
			continue
		}
		sent += EstimateSegment(&s, seg)
	}
	return sent, thought
}
