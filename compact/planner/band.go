package planner

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// This file chooses the units of a view that the next summary or drop covers. Rules:
//
//   - They are the oldest units without a summary, as few as bring the request to the
//     target.
//   - It never chooses the protected newest tokens, the newest user message, the last
//     unit, units with open calls, pins, or the first user message unless it is long.
//   - If the units before the newest user message are not enough, it continues with units
//     after it. The summary is then shown before that message.

const (
	// firstTextTokens is the longest first user message that is never covered.
	firstTextTokens = 2000
	// summaryShare is the expected length of a summary as a share of the covered tokens;
	// maxSummary limits it, in tokens.
	summaryShare = 0.15
	maxSummary   = 4000
)

// SummaryLimits limits the choice of the units that a summary covers.
type SummaryLimits struct {
	Target    float64 // tokens that the request should come under
	Protected float64 // newest tokens that stay
	// CoversFirst: cover even a short first user message (presets oneclaw and jcli).
	CoversFirst bool
}

func SpansToSummarise(v projection.View, m meter.Meter, rule SummaryLimits) []conversation.Span {
	messages := v.Messages
	m = m.WithView(v)
	over := float64(m.EstimatedTokens()) - rule.Target - m.BoundThinkingTokens()
	end := firstProtected(messages, m, rule.Protected)
	newest, first := newestUserMessage(messages), 0
	if !rule.CoversFirst {
		first = firstToCover(messages, m)
	}
	older := oldestUncovered(messages, m, first, min(end, newest), over)
	if older.savesAtLeast(over) || newest+1 >= end {
		return older.spans
	}
	return append(older.spans, oldestUncovered(messages, m, newest+1, end, over-older.savedTokens()).spans...)
}

// coverage are the units that a summary covers, and their tokens.
type coverage struct {
	spans  []conversation.Span
	tokens float64
}

func (b coverage) savedTokens() float64 { return b.tokens - min(summaryShare*b.tokens, maxSummary) }

func (b coverage) savesAtLeast(tokens float64) bool { return b.tokens > 0 && b.savedTokens() >= tokens }

// oldestUncovered chooses units between two message indices, until a summary of them saves
// so many tokens. It leaves out earlier summaries.
func oldestUncovered(messages []projection.Message, m meter.Meter, from, to int, tokens float64) coverage {
	var b coverage
	var s spanBuilder
	for i := from; i < to && !b.savesAtLeast(tokens); {
		next := projection.UnitEnd(messages, i)
		if next > to {
			break
		}
		open := hasOpenCall(messages[i:next])
		for k := range messages[i:next] {
			switch msg := &messages[i+k]; {
			case msg.State == projection.StateDropped, msg.State == projection.StatePinned:
			case msg.State == projection.StateSummarised, open:
				s.endSpan()
			default:
				s.addMessage(msg)
				b.tokens += m.TextTokens(msg.After()) + m.MessageOverhead()
			}
		}
		i = next
	}
	b.spans = s.built
	return b
}

// DropSpans returns the oldest units to drop so that a request comes under target tokens.
// It is empty if nothing may be dropped. The user's first message stays.
func DropSpans(v projection.View, m meter.Meter, target float64) []conversation.Span {
	return dropSpans(v, m, target, firstToDrop(v.Messages))
}

func dropSpans(v projection.View, m meter.Meter, target float64, from int) []conversation.Span {
	messages := v.Messages
	end, newest := firstProtected(messages, m, 0), newestUserMessage(messages)
	m = m.WithView(v)
	left := float64(m.EstimatedTokens())
	var s spanBuilder
	for i := from; i < end && left > target; {
		next := projection.UnitEnd(messages, i)
		if next > end {
			break
		}
		open := hasOpenCall(messages[i:next])
		for k := range messages[i:next] {
			msg := &messages[i+k]
			switch {
			case i+k == newest, open, msg.State == projection.StatePinned, msg.State == projection.StateSummarised, msg.State == projection.StateDropped:
				s.endSpan()
			default:
				if len(s.built) == 0 {
					left -= m.BoundThinkingTokens()
				}
				s.addMessage(msg)
				left -= m.TextTokens(msg.After()) + m.MessageOverhead()
			}
		}
		i = next
	}
	return s.built
}

// spanBuilder turns messages of a view into spans of events. The events between two neighbouring
// messages of a view are never sent, so one span may contain them.
type spanBuilder struct {
	built       []conversation.Span
	extendsLast bool // the next message extends the last span
}

func (s *spanBuilder) addMessage(m *projection.Message) {
	first, last := m.Events[0], m.Events[len(m.Events)-1]
	if s.extendsLast {
		s.built[len(s.built)-1].Last = last
		return
	}
	s.built, s.extendsLast = append(s.built, conversation.Span{First: first, Last: last}), true
}

func (s *spanBuilder) endSpan() { s.extendsLast = false }

// hasOpenCall reports whether a call of a unit has no result. No overlay covers such a unit.
func hasOpenCall(unit []projection.Message) bool {
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

// firstProtected returns the index of the first protected message. The protected ones are
// the newest messages with so many tokens, and at least the last unit.
func firstProtected(messages []projection.Message, m meter.Meter, tokens float64) int {
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

// newestUserMessage returns the index of the newest user message that no overlay replaces, or
// the number of messages without one.
func newestUserMessage(messages []projection.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) {
			return i
		}
	}
	return len(messages)
}
