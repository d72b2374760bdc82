package planner

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Which units a summary or a drop takes next,
// chosen from a view:
//
//   - The oldest that none covers yet, as few as reach the target.
//   - Never the newest tokens that are protected, the newest message of the user,
//     the last unit, open ones, pins, or the first message of the user unless it is
//     long.
//   - Where the newest message of the user is in the way, what came after it is
//     covered as well if what came before is not enough. The text stands before.

const (
	// firstTextTokens is the longest first message that a band leaves standing.
	firstTextTokens = 2000
	// bandShare is how long a band's summary is expected to be, as a share of
	// what it covers, and bandMost the longest expected, in tokens.
	bandShare = 0.15
	bandMost  = 4000
)

// BandRule is what a band has to reach and to leave alone.
type BandRule struct {
	Target    float64 // tokens that a request should come under
	Protected float64 // newest tokens that stay
	// First covers the user's first message as well, also if it is short (ONE, JCL).
	First bool
}

// BandSpans chooses the events that the next summary covers. It is empty if
// nothing may be covered.
func BandSpans(v projection.View, m meter.Meter, rule BandRule) []conversation.Span {
	return bandOf(v, m, rule).spans
}

func bandOf(v projection.View, m meter.Meter, rule BandRule) band {
	messages := v.Messages
	m = m.WithView(v)
	over := float64(m.EstimatedTokens()) - rule.Target - m.BoundTokens()
	end := protectedFrom(messages, m, rule.Protected)
	newest, first := newestOfUser(messages), 0
	if !rule.First {
		first = firstToCover(messages, m)
	}
	b := takeBand(messages, m, first, min(end, newest), over)
	if b.reaches(over) || newest+1 >= end {
		return b
	}
	newer := takeBand(messages, m, newest+1, end, over-b.saves())
	return band{spans: append(b.spans, newer.spans...), tokens: b.tokens + newer.tokens}
}

// band is what a summary covers.
type band struct {
	spans  []conversation.Span
	tokens float64
}

func (b band) saves() float64 { return b.tokens - min(bandShare*b.tokens, bandMost) }

func (b band) reaches(tokens float64) bool { return b.tokens > 0 && b.saves() >= tokens }

// takeBand covers units from one message on up to another until that saves so
// many tokens. Earlier summaries within are left to themselves.
func takeBand(messages []projection.Message, m meter.Meter, from, to int, tokens float64) band {
	var b band
	var s spans
	for i := from; i < to && !b.reaches(tokens); {
		next := unitAt(messages, i)
		if next > to {
			break
		}
		open := isOpen(messages[i:next])
		for k := range messages[i:next] {
			switch msg := &messages[i+k]; {
			case msg.State == projection.StateDropped, msg.State == projection.StatePinned:
			case msg.State == projection.StateSummarised, open:
				s.end()
			default:
				s.take(msg)
				b.tokens += m.Weigh(msg.After()) + m.Framing()
			}
		}
		i = next
	}
	b.spans = s.taken
	return b
}

// DropSpans chooses the oldest units to leave out so that a request comes under
// target tokens. It is empty if nothing may go. The user's first text may not.
func DropSpans(v projection.View, m meter.Meter, target float64) []conversation.Span {
	return dropSpans(v, m, target, firstToDrop(v.Messages))
}

func dropSpans(v projection.View, m meter.Meter, target float64, from int) []conversation.Span {
	messages := v.Messages
	end, newest := protectedFrom(messages, m, 0), newestOfUser(messages)
	m = m.WithView(v)
	left := float64(m.EstimatedTokens())
	var s spans
	for i := from; i < end && left > target; {
		next := unitAt(messages, i)
		if next > end {
			break
		}
		open := isOpen(messages[i:next])
		for k := range messages[i:next] {
			msg := &messages[i+k]
			switch {
			case i+k == newest, open, msg.State == projection.StatePinned, msg.State == projection.StateSummarised, msg.State == projection.StateDropped:
				s.end()
			default:
				if len(s.taken) == 0 {
					left -= m.BoundTokens()
				}
				s.take(msg)
				left -= m.Weigh(msg.After()) + m.Framing()
			}
		}
		i = next
	}
	return s.taken
}

// spans collects messages of a view as spans of events. What lies between
// neighbours of a view is never sent.
type spans struct {
	taken []conversation.Span
	open  bool // the last one goes on
}

func (s *spans) take(m *projection.Message) {
	first, last := m.Events[0], m.Events[len(m.Events)-1]
	if s.open {
		s.taken[len(s.taken)-1].Last = last
		return
	}
	s.taken, s.open = append(s.taken, conversation.Span{First: first, Last: last}), true
}

func (s *spans) end() { s.open = false }

// unitAt is the messages of the unit that begins at index i of a view: a reply
// with its results, or one message alone. end is the index behind it.
func unitAt(messages []projection.Message, i int) (end int) {
	end = i + 1
	if len(messages[i].Calls) == 0 {
		return end
	}
	for end < len(messages) && messages[end].Role == projection.RoleTool {
		end++
	}
	return end
}

// isOpen reports whether a call of a unit has no result. No overlay takes such a
// unit, also where it is old and nothing will come any more.
func isOpen(unit []projection.Message) bool {
	return !conversation.AllAnswered(unit[0].Calls, len(unit)-1, func(i int) string { return unit[1+i].CallID })
}

// firstToDrop is the index of the first message that may be left out: not the
// user's first.
func firstToDrop(messages []projection.Message) int {
	if len(messages) > 0 && messages[0].Role == projection.RoleUser && messages[0].State == projection.StateVerbatim {
		return 1
	}
	return 0
}

// firstToCover is the index of the first message that may be covered: not the
// user's first, unless it is long.
func firstToCover(messages []projection.Message, m meter.Meter) int {
	if len(messages) > 0 && messages[0].Role == projection.RoleUser && messages[0].State == projection.StateVerbatim &&
		m.Weigh(messages[0].Size) <= firstTextTokens {
		return 1
	}
	return 0
}

// protectedFrom is the index of the first message that may not be covered
// because it is new: counted back from the newest by tokens, and at least the
// last unit.
func protectedFrom(messages []projection.Message, m meter.Meter, tokens float64) int {
	end := len(messages)
	for sum := 0.0; end > 0; end-- {
		sum += m.Weigh(messages[end-1].After()) + m.Framing()
		if sum > tokens {
			break
		}
	}
	last := len(messages) - 1
	for last > 0 && messages[last].Role == projection.RoleTool {
		last--
	}
	return max(min(end, last), 0)
}

// newestOfUser is the index of the newest message of the user that stands for
// itself; without one, behind the last.
func newestOfUser(messages []projection.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) {
			return i
		}
	}
	return len(messages)
}
