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
	// Bound says that thinking goes back only where all in front of it is what it was.
	Bound bool
}

// reach is which replies of a view keep their thinking: those between two events.
type reach struct {
	after, before uint64
	gap           uint64 // event of the newest reply without thinking, which ends the reach once a later one thinks
}

// WithThinking returns the meter with what goes back of the view's thinking.
func (m Meter) WithThinking(t Thinking) Meter {
	m.thinking, m.known, m.weighed = &t, m.view.Messages, 0
	return m.WithView(m.view)
}

// weighThinking works out what goes back of the view's thinking, and how much that is. While the view only grows, it
// weighs what came.
func (m *Meter) weighThinking() {
	if !m.EchoesReasoning() || m.thinking == nil && m.options.EchoModel == "" {
		return
	}
	if before := m.changed(); before != m.reach.before {
		m.reach.before, m.weighed = before, 0
	}
	if m.weighed == 0 {
		m.reach, m.thoughts = reach{before: m.reach.before}, projection.Sizes{}
	}
	for ; m.weighed < len(m.view.Messages); m.weighed++ {
		msg := &m.view.Messages[m.weighed]
		if m.binds() && m.carries(msg) {
			if msg.Stripped {
				m.reach.gap = lastEvent(msg)
			} else if m.reach.gap > m.reach.after { // thinking between others cannot be left out
				m.reach.after, m.thoughts = m.reach.gap, projection.Sizes{}
			}
		}
		if m.Thinks(msg) {
			m.thoughts.Add(projection.Reasoning, msg.ReasoningSize)
		}
	}
}

// changed is the event from which on the view is another one than that which was told of; thinking behind it is void
// where it is bound.
func (m *Meter) changed() uint64 {
	messages := m.view.Messages
	if !m.binds() {
		return math.MaxUint64
	}
	switch i := firstChange(m.known, messages); {
	case i == len(m.known):
		m.known = messages
		return math.MaxUint64
	case i < len(messages):
		return messages[i].Events[0]
	case i > 0:
		return lastEvent(&messages[i-1]) + 1
	}
	return 0
}

// carries reports whether a reply has thinking that may go back.
func (m *Meter) carries(msg *projection.Message) bool {
	last := lastEvent(msg)
	if m.thinking.Bound && last >= m.reach.before {
		return false
	}
	return m.thinking.Replies[last] || last > m.thinking.Through && len(msg.Extras) > 0
}

// Thinks reports whether a message of the view goes back with its thinking.
func (m *Meter) Thinks(msg *projection.Message) bool {
	if !m.EchoesReasoning() || msg.Reasoning == "" || m.thinking == nil {
		return m.EchoesReasoning() && msg.Reasoning != "" && m.own(msg)
	}
	return m.carries(msg) && lastEvent(msg) > m.reach.after && !(msg.Stripped && m.thinking.Bound)
}

// Binds reports whether the thinking of a message goes back, and would not where something in front of it changed.
func (m *Meter) Binds(msg *projection.Message) bool {
	return m.binds() && m.Thinks(msg)
}

func (m *Meter) binds() bool { return m.thinking != nil && m.thinking.Bound }

// BoundTokens is how many calibrated tokens of thinking go with whatever changes in front of them.
func (m Meter) BoundTokens() float64 {
	if !m.binds() {
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
		if seg == projection.Reasoning && !m.options.EchoLoop && !m.Thinks(&messages[i]) {
			thought = EstimateOf(&s, seg)
			continue
		}
		sent += EstimateOf(&s, seg)
	}
	return sent, thought
}
