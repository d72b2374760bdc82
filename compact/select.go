package compact

import (
	"slices"

	"plimsoll/conversation"
)

// What is reduced by default, chosen from a view:
//
//   - Results become stubs but for the newest tokens and results, the current
//     turn while it is small, the first turn's up to a bound, those of exempt
//     tools, and what recall brought back in this turn or the one before.
//   - Arguments go with them for tools that say so; users' words never.

// maskWindowShare bounds the newest results that stay, and the current turn
// that is left alone, as a share of the window.
const maskWindowShare = 0.25

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
func MaskItems(v View, r Rules, m Meter) []conversation.MaskItem { return maskItems(v, r, m, false) }

// maskItems is MaskItems; relaxed, neither the first turn nor the current one
// is spared.
func maskItems(v View, r Rules, m Meter, relaxed bool) []conversation.MaskItem {
	if !r.Mask.Enabled {
		return nil
	}
	s := &selection{view: v, rules: r, meter: m, window: float64(m.Window().Tokens), relaxed: relaxed}
	s.rests = s.resting()
	return s.items()
}

type selection struct {
	view    View
	rules   Rules
	meter   Meter
	window  float64
	relaxed bool
	rests   map[string]bool // calls of recall whose results rest
}

// items walks from the newest message back.
func (s *selection) items() []conversation.MaskItem {
	keep := float64(s.rules.Mask.KeepTokens)
	current, spare := s.currentTurn()
	if s.window > 0 {
		keep = min(keep, maskWindowShare*s.window)
	}
	var found []candidate
	alike := pointers{held: map[uint64]bool{}, from: map[uint64][]conversation.MaskItem{}}
	results, newest := 0, 0.0
	for i := len(s.view.Messages) - 1; i >= 0; i-- {
		m := &s.view.Messages[i]
		spared := spare && !s.relaxed && m.Turn == current
		if m.Repeats != 0 {
			results++
			newest += s.meter.Weigh(m.Size)
			alike.see(m, spared || s.stays(m) || results <= s.rules.Mask.KeepResults || newest <= keep)
			continue
		}
		for _, c := range s.candidates(i) {
			if c.result {
				results++
			}
			newest += c.tokens
			young := results <= s.rules.Mask.KeepResults || newest <= keep
			if young || c.short || spared || c.result && alike.held[c.item.Event] {
				continue
			}
			found = append(found, c)
		}
	}
	slices.Reverse(found)
	return alike.with(s.pastFirstTurn(found))
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
	if s.relaxed {
		left = 0
	}
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

// stays reports whether a result is never hidden by its age.
func (s *selection) stays(m *Message) bool {
	rule := s.rules.Tools[m.Tool]
	return rule.Exempt || rule.Response == KeepWhole || s.rests[m.CallID]
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
