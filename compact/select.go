package compact

import (
	"slices"

	"plimsoll/conversation"
)

// What is reduced by default (COMPACTION section 5), chosen from a view:
//
//   - Results become stubs but for the newest tokens and results, the current
//     turn while it is small, the first turn's up to a bound, those of exempt
//     tools, and what recall brought back in this turn or the one before.
//   - Arguments go with them for tools that say so; users' words never.
//   - A summary covers the oldest units that none covers yet, as few as reach the
//     target, and stops before what is protected.

const (
	// maskWindowShare bounds the newest results that stay, and the current turn
	// that is left alone, as a share of the window.
	maskWindowShare = 0.25
	// firstTextTokens is the longest first message that a band leaves standing.
	firstTextTokens = 2000
	// bandShare is how long a band's summary is expected to be, as a share of
	// what it covers, and bandMost the longest expected, in tokens.
	bandShare = 0.15
	bandMost  = 4000
)

// candidate is a result, or a call's arguments, that could be hidden.
type candidate struct {
	message int // index into the view
	item    conversation.MaskItem
	tokens  float64
	result  bool
	short   bool // not worth hiding, but it counts among the newest
}

// MaskItems chooses what a mask would hide now, oldest first. Tokens are the
// meter's.
func MaskItems(v View, r Rules, m Meter) []conversation.MaskItem {
	if !r.Mask.Enabled {
		return nil
	}
	s := &selection{view: v, rules: r, meter: m, window: float64(m.Window().Tokens)}
	s.rests = s.resting()
	return s.items()
}

type selection struct {
	view   View
	rules  Rules
	meter  Meter
	window float64
	rests  map[string]bool // calls of recall whose results rest
}

// items walks from the newest message back.
func (s *selection) items() []conversation.MaskItem {
	keep := float64(s.rules.Mask.KeepTokens)
	current, spare := s.currentTurn()
	if s.window > 0 {
		keep = min(keep, maskWindowShare*s.window)
	}
	var found []candidate
	results, newest := 0, 0.0
	for i := len(s.view.Messages) - 1; i >= 0; i-- {
		for _, c := range s.candidates(i) {
			if c.result {
				results++
			}
			newest += c.tokens
			young := results <= s.rules.Mask.KeepResults || newest <= keep
			if young || c.short || spare && s.view.Messages[i].Turn == current {
				continue
			}
			found = append(found, c)
		}
	}
	slices.Reverse(found)
	return s.pastFirstTurn(found)
}

// currentTurn is the newest turn, and whether it is small enough to be left
// alone.
func (s *selection) currentTurn() (turn int, spare bool) {
	messages := s.view.Messages
	if len(messages) == 0 {
		return 0, true
	}
	turn = messages[len(messages)-1].Turn
	tokens := 0.0
	for i := len(messages) - 1; i >= 0 && messages[i].Turn == turn; i-- {
		tokens += s.meter.Weigh(messages[i].After())
	}
	return turn, s.window == 0 || tokens < maskWindowShare*s.window
}

// pastFirstTurn leaves the first turn's results out, up to the bound.
func (s *selection) pastFirstTurn(found []candidate) []conversation.MaskItem {
	var items []conversation.MaskItem
	first, left := s.firstTurn(), float64(s.rules.Mask.FirstTurnTokens)
	for _, c := range found {
		if s.view.Messages[c.message].Turn == first && c.tokens <= left {
			left -= c.tokens
			continue
		}
		items = append(items, c.item)
	}
	return items
}

// firstTurn is the turn of the first message.
func (s *selection) firstTurn() int {
	if len(s.view.Messages) == 0 {
		return 0
	}
	return s.view.Messages[0].Turn
}

// candidates are the parts of a message that could be hidden.
func (s *selection) candidates(i int) []candidate {
	m := &s.view.Messages[i]
	if m.State == StatePinned || m.State == StateSummarised || m.State == StateDropped {
		return nil
	}
	switch m.Role {
	case RoleTool:
		rule := s.rules.Tools[m.Tool]
		if m.State == StateMasked || rule.Exempt && rule.Response != KeepStrip || rule.Response == KeepWhole || s.rests[m.CallID] {
			return nil
		}
		c := candidate{message: i, tokens: s.meter.Weigh(m.Size), result: true,
			item: conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult}}
		c.short = m.Size.Chars() < s.rules.Mask.MinChars
		return []candidate{c}
	case RoleAssistant:
		return s.arguments(i, m)
	}
	return nil
}

// arguments are the calls of a reply whose arguments could be hidden.
func (s *selection) arguments(i int, m *Message) []candidate {
	var out []candidate
	for _, call := range m.Calls {
		rule := s.rules.Tools[call.Name]
		if rule.Request != KeepStrip || len(call.Arguments) <= len(emptyArguments) ||
			call.Size.Chars() < s.rules.Mask.MinChars {
			continue
		}
		out = append(out, candidate{message: i, tokens: s.meter.Weigh(call.Size),
			item: conversation.MaskItem{Event: m.Events[0], Part: conversation.PartArguments, Call: call.ID}})
	}
	slices.Reverse(out)
	return out
}

// resting are the calls of recall in the newest two turns: what they brought
// back is not hidden again at once.
func (s *selection) resting() map[string]bool {
	calls := map[string]bool{}
	current, _ := s.currentTurn()
	for i := range s.view.Messages {
		m := &s.view.Messages[i]
		if m.Turn < current-1 {
			continue
		}
		for _, c := range m.Calls {
			if c.Name == conversation.ToolRecall {
				calls[c.ID] = true
			}
		}
	}
	return calls
}

// unitAt is the messages of the unit that begins at index i of a view: a reply
// with its results, or one message alone. end is the index behind it.
func unitAt(messages []Message, i int) (end int) {
	end = i + 1
	if len(messages[i].Calls) == 0 {
		return end
	}
	for end < len(messages) && messages[end].Role == RoleTool {
		end++
	}
	return end
}

// BandSpans chooses the events that the next summary covers: the oldest units
// which none covers yet, as few as bring a request under target tokens, never
// into the newest protected tokens, the newest message of the user or the last
// unit. It is empty if nothing may be covered.
func BandSpans(v View, m Meter, target, protected float64) []conversation.Span {
	messages := v.Messages
	end := protectedFrom(messages, m, protected)
	used := float64(m.WithView(v).estimatedTokens())
	span := conversation.Span{}
	covered := 0.0
	for i := firstToCover(messages, m); i < end; {
		next := unitAt(messages, i)
		if next > end || covered > 0 && used-covered+min(bandShare*covered, bandMost) <= target {
			break
		}
		for _, msg := range messages[i:next] {
			if msg.State == StateSummarised || msg.State == StateDropped || msg.State == StatePinned {
				continue
			}
			covered += m.Weigh(msg.After()) + FramingTokens
			if span.First == 0 {
				span.First = msg.Events[0]
			}
			span.Last = max(span.Last, msg.Events[len(msg.Events)-1])
		}
		i = next
	}
	if span.First == 0 {
		return nil
	}
	return []conversation.Span{span}
}

// firstToCover is the index of the first message that may be covered: not the
// user's first, unless it is long.
func firstToCover(messages []Message, m Meter) int {
	if len(messages) > 0 && messages[0].Role == RoleUser && messages[0].State == StateVerbatim &&
		m.Weigh(messages[0].Size) <= firstTextTokens {
		return 1
	}
	return 0
}

// protectedFrom is the index of the first message that may not be covered,
// counted back from the newest by tokens; a unit is not split, and the newest
// message of the user and the last unit always stay.
func protectedFrom(messages []Message, m Meter, tokens float64) int {
	end := len(messages)
	if end == 0 {
		return 0
	}
	sum := 0.0
	for end > 0 {
		sum += m.Weigh(messages[end-1].After()) + FramingTokens
		if sum > tokens {
			break
		}
		end--
	}
	last := len(messages) - 1
	for last > 0 && messages[last].Role == RoleTool {
		last--
	}
	end = min(end, last)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == RoleUser && (messages[i].State == StateVerbatim || messages[i].State == StatePinned) {
			return min(end, i)
		}
	}
	return end
}

// DropSpans chooses the oldest units to leave out so that a request comes under
// target tokens: not the user's first message, the newest one, pins or the last
// unit. It is empty if nothing may go.
func DropSpans(v View, m Meter, target float64) []conversation.Span {
	messages := v.Messages
	end := protectedFrom(messages, m, 0)
	left := float64(m.WithView(v).estimatedTokens())
	var spans []conversation.Span
	for i := firstToCover(messages, m); i < end && left > target; {
		next := unitAt(messages, i)
		if next > end {
			break
		}
		for _, msg := range messages[i:next] {
			if msg.State == StatePinned || msg.State == StateSummarised || msg.State == StateDropped {
				continue
			}
			left -= m.Weigh(msg.After()) + FramingTokens
			spans = append(spans, conversation.Span{First: msg.Events[0], Last: msg.Events[len(msg.Events)-1]})
		}
		i = next
	}
	return mergedSpans(spans)
}

// mergedSpans joins neighbouring spans. Between two of them may lie events that
// are never sent.
func mergedSpans(spans []conversation.Span) []conversation.Span {
	var out []conversation.Span
	for _, s := range spans {
		if n := len(out); n > 0 && (s.First <= out[n-1].Last || s.First-1 == out[n-1].Last) {
			out[n-1].Last = max(out[n-1].Last, s.Last)
			continue
		}
		out = append(out, s)
	}
	return out
}
