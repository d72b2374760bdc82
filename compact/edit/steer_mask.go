package edit

import (
	"errors"
	"fmt"
	"time"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What the user hides by hand. Rules:
//
//   - Only results of tools are hidden, by the words of Plimsoll's own stubs: they
//     never make a view longer, whatever the preset.
//   - What is pinned stays, and what is hidden already needs no further mask.
//   - Results that point to a hidden one go with it. Otherwise it would go on
//     standing in full for them.

// ErrNothingToMask says that no result would be hidden.
var ErrNothingToMask = errors.New("nothing to mask")

// MaskByHand is the overlay that shows stubs in place of the results of events: a
// reply stands for the results of its calls. V is the view of the log. The error
// wraps ErrNothingToMask and says what to do.
func MaskByHand(r preset.Rules, log []conversation.Event, v projection.View, events []uint64) (conversation.Body, error) {
	shown := map[uint64]*projection.Message{} // results that stand for themselves
	alike := planner.NewPointers()
	for k := range v.Messages {
		switch m := &v.Messages[k]; {
		case m.Role != projection.RoleTool || len(m.Events) == 0:
		case m.Repeats != 0:
			alike.See(m, false)
		default:
			shown[m.Events[0]] = m
		}
	}
	wanted := map[uint64]bool{}
	for _, seq := range events {
		wanted[seq] = true
	}
	for _, u := range conversation.Units(log) {
		for _, i := range u.Events {
			wanted[log[i].Seq] = wanted[log[i].Seq] || wanted[log[u.Events[0]].Seq]
		}
	}
	var items []conversation.MaskItem
	const tooShort = "the result is too short to be worth masking"
	why := "choose a tool result; messages are never masked"
	for i, e := range log {
		if _, ok := e.Body.(conversation.ToolResult); !ok || !wanted[e.Seq] {
			continue
		}
		switch m := shown[e.Seq]; {
		case m != nil && m.State == projection.StatePinned:
			why = "the result is pinned; unpin it first"
		case m == nil || m.State != projection.StateVerbatim && m.State != projection.StateCapped:
			why = "the result is no longer sent in full"
		default:
			stub, chars := projection.StubOf(log, i, r.Mask.Preview), m.Size.Chars()
			if stub == "" || conversation.Measure(stub).Chars() >= chars || !alike.Gains(e.Seq, chars, r.Mask.Preview) {
				why = tooShort
				continue
			}
			items = append(items, conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNothingToMask, why)
	}
	mask := planner.MaskOf(r, alike.With(items))
	mask.Style = preset.OwnStyle
	if after := projection.Project(conversation.Extend(log, time.Time{}, mask)); viewChars(after) >= viewChars(v) {
		return nil, fmt.Errorf("%w: %s", ErrNothingToMask, tooShort)
	}
	return mask, nil
}

func viewChars(v projection.View) int {
	return v.Sizes.Chars() - v.Sizes.Text[projection.Reasoning].Chars()
}
