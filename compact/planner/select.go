package planner

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What is reduced by default, chosen from a view:
//
//   - Results become stubs but for the newest tokens and results, the current
//     turn while it is small, the first turn's up to a bound, those of exempt
//     tools, and what recall showed in this turn or the one before.
//   - Arguments go with them for tools that say so; users' words never.

type candidate struct {
	message int // index into the view
	item    conversation.MaskItem
	tokens  float64
	result  bool
	short   bool // not worth hiding, but it counts among the newest
}

// MaskItems chooses what a mask would hide now, oldest first. Tokens are the meter's.
// Relaxed, it spares neither the first turn nor the current one.
func MaskItems(v *projection.View, r *preset.Rules, m meter.Meter, relaxed bool) []conversation.MaskItem {
	if !r.Mask.Enabled {
		return nil
	}
	s := &selection{view: v, rules: r, meter: m, window: float64(m.Window().Tokens), relaxed: relaxed}
	s.rests = s.resting()
	return s.items()
}

type selection struct {
	view    *projection.View
	rules   *preset.Rules
	meter   meter.Meter
	window  float64
	relaxed bool
	rests   map[string]int // calls of recall whose results rest, with their turn
}

func (s *selection) items() []conversation.MaskItem {
	keep := s.keep()
	current, spare := s.currentTurn()
	var found []candidate
	alike := NewPointers()
	results, newest := 0, 0.0
	for i := len(s.view.Messages) - 1; i >= 0; i-- {
		m := &s.view.Messages[i]
		spared := spare && !s.relaxed && m.Turn == current
		if m.Repeats != 0 {
			results++
			newest += s.meter.Weigh(m.Size)
			alike.See(m, spared || s.stays(m) || results <= s.rules.Mask.KeepResults || newest <= keep)
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
	found = slices.DeleteFunc(found, func(c candidate) bool {
		return c.result && !alike.Gains(c.item.Event, s.view.Messages[c.message].Size.Chars(), s.rules.Mask.Preview)
	})
	return alike.With(s.pastFirstTurn(found))
}

func (s *selection) keep() float64 {
	keep := float64(s.rules.Mask.KeepTokens)
	if s.window > 0 {
		keep = min(keep, s.rules.Planner.ResultRatio*s.window)
	}
	return keep
}

// currentTurn is the newest turn, and whether it is small enough to be left
// alone.
func (s *selection) currentTurn() (turn int, spare bool) {
	messages := s.view.Messages
	if len(messages) == 0 {
		return 0, true
	}
	turn = messages[len(messages)-1].Turn
	tokens, most := 0.0, s.rules.Planner.ResultRatio*s.window
	for i := len(messages) - 1; i >= 0 && messages[i].Turn == turn && s.window > 0 && tokens < most; i-- {
		tokens += s.meter.Weigh(messages[i].After())
	}
	return turn, s.window == 0 || tokens < most
}

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

func (s *selection) firstTurn() int {
	if len(s.view.Messages) == 0 {
		return 0
	}
	return s.view.Messages[0].Turn
}

func (s *selection) candidates(i int) []candidate {
	m := &s.view.Messages[i]
	if m.State == projection.StatePinned || m.State == projection.StateSummarised || m.State == projection.StateDropped {
		return nil
	}
	switch m.Role {
	case projection.RoleTool:
		rule := s.rules.Tools[m.Tool]
		if m.State == projection.StateMasked || rule.Stays() || s.isResting(m) {
			return nil
		}
		c := candidate{message: i, tokens: s.meter.Weigh(m.Size), result: true,
			item: conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult}}
		c.short = m.Size.Chars() < s.rules.Mask.MinChars
		return []candidate{c}
	case projection.RoleAssistant:
		return s.arguments(i, m)
	}
	return nil
}

// stays reports whether a result is never hidden by its age.
func (s *selection) stays(m *projection.Message) bool {
	return s.rules.Tools[m.Tool].Stays() || s.isResting(m)
}

func (s *selection) arguments(i int, m *projection.Message) []candidate {
	var out []candidate
	for _, call := range m.Calls {
		rule := s.rules.Tools[call.Name]
		if rule.Request != preset.KeepStrip || len(call.Arguments) <= len(projection.EmptyArguments) ||
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
func (s *selection) resting() map[string]int {
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

// isResting reports whether a result is of such a call. There are servers whose
// calls all have the same id: those of earlier turns are others.
func (s *selection) isResting(m *projection.Message) bool {
	turn, ok := s.rests[m.CallID]
	return ok && m.Turn >= turn
}
