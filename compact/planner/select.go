package planner

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// This file chooses what to mask in a view. Rules:
//
//   - Results become stubs, except the newest ones (by tokens and by number), those of the
//     current turn while it is small, those of the first turn up to a limit, those of
//     exempt tools, and those of recall in this turn and the one before.
//   - Arguments of old calls are masked for tools whose rule says so; user messages never.

type candidate struct {
	message  int // index into the view
	item     conversation.MaskItem
	tokens   float64
	isResult bool
	isShort  bool // too short to mask, but it counts among the newest
}

// MaskItems returns the items to mask now, oldest first. Tokens are those of the meter.
// With relaxed it masks in the first and the current turn, too.
func MaskItems(v *projection.View, r *preset.Rules, m meter.Meter, relaxed bool) []conversation.MaskItem {
	if !r.Mask.Enabled {
		return nil
	}
	s := &selection{view: v, rules: r, meter: m, window: float64(m.Window().Tokens), relaxed: relaxed}
	s.recalls = s.recentRecalls()
	return s.items()
}

type selection struct {
	view    *projection.View
	rules   *preset.Rules
	meter   meter.Meter
	window  float64
	relaxed bool
	recalls map[string]int // turns of the recent calls of recall, by call id
}

func (s *selection) items() []conversation.MaskItem {
	keep := float64(s.rules.Mask.KeepTokens)
	if s.window > 0 {
		keep = min(keep, s.rules.Planner.ResultRatio*s.window)
	}
	current, isSmall := s.currentTurn()
	var found []candidate
	pointers := NewPointers()
	results, newest := 0, 0.0
	for i := len(s.view.Messages) - 1; i >= 0; i-- {
		m := &s.view.Messages[i]
		inSmallTurn := isSmall && !s.relaxed && m.Turn == current
		if m.Repeats != 0 {
			results++
			newest += s.meter.TextTokens(m.Size)
			pointers.Add(m, inSmallTurn || s.neverMasks(m) || results <= s.rules.Mask.KeepResults || newest <= keep)
			continue
		}
		for _, c := range s.candidates(i) {
			if c.isResult {
				results++
			}
			newest += c.tokens
			recent := results <= s.rules.Mask.KeepResults || newest <= keep
			if recent || c.isShort || inSmallTurn || c.isResult && pointers.needed[c.item.Event] {
				continue
			}
			found = append(found, c)
		}
	}
	slices.Reverse(found)
	found = slices.DeleteFunc(found, func(c candidate) bool {
		return c.isResult && !pointers.StubsAreShorter(c.item.Event, s.view.Messages[c.message].Size.Length(), s.rules.Mask.Preview)
	})
	return pointers.WithPointers(s.withoutFirstTurn(found))
}

// currentTurn returns the newest turn, and whether it is so small that it is not masked.
func (s *selection) currentTurn() (turn int, isSmall bool) {
	messages := s.view.Messages
	if len(messages) == 0 {
		return 0, true
	}
	turn = messages[len(messages)-1].Turn
	tokens, most := 0.0, s.rules.Planner.ResultRatio*s.window
	for i := len(messages) - 1; i >= 0 && messages[i].Turn == turn && s.window > 0 && tokens < most; i-- {
		tokens += s.meter.TextTokens(messages[i].After())
	}
	return turn, s.window == 0 || tokens < most
}

// withoutFirstTurn returns the items of candidates without those of the first turn that are
// within its limit.
func (s *selection) withoutFirstTurn(found []candidate) []conversation.MaskItem {
	var items []conversation.MaskItem
	left := float64(s.rules.Mask.FirstTurnTokens)
	if s.relaxed {
		left = 0
	}
	for _, c := range found {
		if s.view.Messages[c.message].Turn == s.view.Messages[0].Turn && c.tokens <= left {
			left -= c.tokens
			continue
		}
		items = append(items, c.item)
	}
	return items
}

func (s *selection) candidates(i int) []candidate {
	m := &s.view.Messages[i]
	if m.State == projection.StatePinned || m.State == projection.StateSummarised || m.State == projection.StateDropped {
		return nil
	}
	switch m.Role {
	case projection.RoleTool:
		if m.State == projection.StateMasked || s.neverMasks(m) {
			return nil
		}
		return []candidate{{message: i, tokens: s.meter.TextTokens(m.Size), isResult: true, isShort: m.Size.Length() < s.rules.Mask.MinChars,
			item: conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult}}}
	case projection.RoleAssistant:
		return s.argumentCandidates(i, m)
	}
	return nil
}

func (s *selection) neverMasks(m *projection.Message) bool {
	return s.rules.Tools[m.Tool].KeepsResults() || s.isRecalled(m)
}

func (s *selection) argumentCandidates(i int, m *projection.Message) []candidate {
	var out []candidate
	for _, call := range m.Calls {
		rule := s.rules.Tools[call.Name]
		if rule.Request != preset.HintStrip || len(call.Arguments) <= len(projection.EmptyArguments) ||
			call.Size.Chars() < s.rules.Mask.MinChars {
			continue
		}
		out = append(out, candidate{message: i, tokens: s.meter.TextTokens(call.Size),
			item: conversation.MaskItem{Event: m.Events[0], Part: conversation.PartArguments, Call: call.ID}})
	}
	slices.Reverse(out)
	return out
}

// recentRecalls returns the calls of recall in the newest two turns with their turn: the
// results that they returned are not masked again at once.
func (s *selection) recentRecalls() map[string]int {
	calls := map[string]int{}
	current, _ := s.currentTurn()
	for i := range s.view.Messages {
		m := &s.view.Messages[i]
		if m.Turn < current-1 {
			continue
		}
		for _, c := range m.Calls {
			if _, known := calls[c.ID]; c.Name == conversation.ToolRecall && !known {
				calls[c.ID] = m.Turn
			}
		}
	}
	return calls
}

// isRecalled reports whether a result answers a recent call of recall. Some servers give all
// calls the same id, so it also compares the turns.
func (s *selection) isRecalled(m *projection.Message) bool {
	turn, ok := s.recalls[m.CallID]
	return ok && m.Turn >= turn
}
