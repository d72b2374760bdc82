package meter

import (
	"math"
	"sort"

	"plimsoll/compact/projection"
)

// Some endpoints get back the model's thinking in a form of their own, and for some models only while everything before it
// is unchanged: a compaction then also removes the thinking of the messages after it. Whoever makes the requests
// tells which replies think in the view in force. Of a view that a compaction would make, the meter works it out.

// Thinking is which replies of a view go back with their thinking.
type Thinking struct {
	Through uint64          // newest event of the view; of later replies all do that have fields to echo
	Replies map[uint64]bool // by the last event of their message
	// IsBound says that thinking goes back only where all in front of it is what it was.
	IsBound bool
}

// thinkingRange is which replies of a view keep their thinking: those between two events.
type thinkingRange struct {
	after, before uint64
	gap           uint64 // event of the newest reply without thinking, which ends the reach once a later one thinks
}

// WithThinking returns the meter with what goes back of the view's thinking.
func (m Meter) WithThinking(t Thinking) Meter {
	m.thinking, m.knownMessages, m.measured = &t, m.view.Messages, 0
	return m.WithView(m.view)
}

// measureThinking works out what goes back of the view's thinking, and how much that is. While the view only grows, it
// weighs what came.
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
			if msg.Stripped {
				m.thinkingRange.gap = lastEvent(msg)
			} else if m.thinkingRange.gap > m.thinkingRange.after { // thinking between others cannot be left out
				m.thinkingRange.after, m.echoed = m.thinkingRange.gap, projection.Sizes{}
			}
		}
		if m.SendsThinking(msg) {
			m.echoed.Add(projection.Reasoning, msg.ReasoningSize)
		}
	}
}

// firstChangedEvent is the event from which on the view is another one than that which was told of; thinking behind it is void
// where it is bound.
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

// mayEcho reports whether a reply has thinking that may go back.
func (m *Meter) mayEcho(msg *projection.Message) bool {
	last := lastEvent(msg)
	if m.thinking.IsBound && last >= m.thinkingRange.before {
		return false
	}
	return m.thinking.Replies[last] || last > m.thinking.Through && len(msg.Extras) > 0
}

// SendsThinking reports whether a message of the view goes back with its thinking.
func (m *Meter) SendsThinking(msg *projection.Message) bool {
	if !m.EchoesReasoning() || msg.Reasoning == "" || m.thinking == nil {
		return m.EchoesReasoning() && msg.Reasoning != "" && m.isEchoModel(msg)
	}
	return m.mayEcho(msg) && lastEvent(msg) > m.thinkingRange.after && !(msg.Stripped && m.thinking.IsBound)
}

// SendsBoundThinking reports whether the thinking of a message goes back, and would not where something in front of it changed.
func (m *Meter) SendsBoundThinking(msg *projection.Message) bool {
	return m.thinkingIsBound() && m.SendsThinking(msg)
}

func (m *Meter) thinkingIsBound() bool { return m.thinking != nil && m.thinking.IsBound }

// BoundThinkingTokens is how many calibrated tokens of thinking go with whatever changes in front of them.
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

// shareArray reports whether one list grew on the other's array, so that the shorter is its beginning.
func shareArray(a, b []projection.Message) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// firstChange is the index of the first message that says something else, or the length of the shorter list.
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

// replyEstimate is the uncalibrated estimate of the reply that event seq is,
// and of the reasoning in it that is not sent back; 0 if the view does not hold
// it.
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
