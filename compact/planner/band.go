package planner

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// This file chooses the units of a view that the next summary or drop covers. Rules:
//
//   - They are the oldest units without a summary, as few as reach the target. These
//     units are called a band.
//   - A band never covers the protected newest tokens, the newest user message, the last
//     unit, units with open calls, pins, or the first user message unless it is long.
//   - If the units before the newest user message are not enough, a band continues after
//     it. The summary then stands before that message.

const (
	// firstTextTokens is the longest first user message that a band leaves out.
	firstTextTokens = 2000
	// bandShare is the expected length of a band's summary, as a share of the covered
	// tokens, and bandMost the longest expected, in tokens.
	bandShare = 0.15
	bandMost  = 4000
)

// BandRule limits the choice of a band.
type BandRule struct {
	Target    float64 // tokens that the request should come under
	Protected float64 // newest tokens that stay
	// First says that the band covers the first user message even if it is short (ONE, JCL).
	First bool
}

// BandSpans returns the events that the next summary covers. It is empty if nothing may be
// covered.
func BandSpans(v projection.View, m meter.Meter, rule BandRule) []conversation.Span {
	return bandOf(v, m, rule).spans
}

func bandOf(v projection.View, m meter.Meter, rule BandRule) band {
	messages := v.Messages
	m = m.WithView(v)
	over := float64(m.EstimatedTokens()) - rule.Target - m.BoundThinkingTokens()
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

// band is a choice of units for a summary, and their tokens.
type band struct {
	spans  []conversation.Span
	tokens float64
}

func (b band) saves() float64 { return b.tokens - min(bandShare*b.tokens, bandMost) }

func (b band) reaches(tokens float64) bool { return b.tokens > 0 && b.saves() >= tokens }

// takeBand covers units from one message index up to another, until their summary saves
// so many tokens. It leaves out earlier summaries.
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
				s.add(msg)
				b.tokens += m.TextTokens(msg.After()) + m.MessageOverhead()
			}
		}
		i = next
	}
	b.spans = s.taken
	return b
}

// DropSpans returns the oldest units to drop so that a request comes under target tokens.
// It is empty if nothing may be dropped. The user's first message stays.
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
					left -= m.BoundThinkingTokens()
				}
				s.add(msg)
				left -= m.TextTokens(msg.After()) + m.MessageOverhead()
			}
		}
		i = next
	}
	return s.taken
}

// spans collects messages of a view as spans of events. Events between two neighbours of a
// view are never sent, so one span may contain them.
type spans struct {
	taken []conversation.Span
	open  bool // the next message extends the last span
}

func (s *spans) add(m *projection.Message) {
	first, last := m.Events[0], m.Events[len(m.Events)-1]
	if s.open {
		s.taken[len(s.taken)-1].Last = last
		return
	}
	s.taken, s.open = append(s.taken, conversation.Span{First: first, Last: last}), true
}

func (s *spans) end() { s.open = false }

// unitAt returns the index after the unit that begins at index i of a view: a reply with
// its results, or one message alone.
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

// isOpen reports whether a call of a unit has no result. No overlay covers such a unit.
func isOpen(unit []projection.Message) bool {
	return !conversation.AllAnswered(unit[0].Calls, len(unit)-1, func(i int) string { return unit[1+i].CallID })
}

// firstToDrop returns the index of the first message that may be dropped: not the
// user's first.
func firstToDrop(messages []projection.Message) int {
	if len(messages) > 0 && messages[0].Role == projection.RoleUser && messages[0].State == projection.StateVerbatim {
		return 1
	}
	return 0
}

// firstToCover returns the index of the first message that may be covered: not the
// user's first, unless it is long.
func firstToCover(messages []projection.Message, m meter.Meter) int {
	if len(messages) > 0 && messages[0].Role == projection.RoleUser && messages[0].State == projection.StateVerbatim &&
		m.TextTokens(messages[0].Size) <= firstTextTokens {
		return 1
	}
	return 0
}

// protectedFrom returns the index of the first protected message. The protected ones are
// the newest messages with so many tokens, and at least the last unit.
func protectedFrom(messages []projection.Message, m meter.Meter, tokens float64) int {
	end := len(messages)
	for sum := 0.0; end > 0; end-- {
		sum += m.TextTokens(messages[end-1].After()) + m.MessageOverhead()
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

// newestOfUser returns the index of the newest user message that no overlay replaces, or
// the number of messages without one.
func newestOfUser(messages []projection.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) {
			return i
		}
	}
	return len(messages)
}
