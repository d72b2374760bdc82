package edit

import (
	"errors"
	"time"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Masks that the user requests for single messages. Rules:
//
//   - Only tool results are masked, with Plimsoll's own stubs, whatever the preset: these
//     never make a view longer.
//   - Pinned and already masked results are left out.
//   - Results that point to a masked one are masked too. Otherwise the projection would
//     show the masked one in full for them.

// ManualMask returns the overlay that shows stubs in place of the results of events: a
// reply means the results of its calls. v is the view of the log. The error says what to
// do.
func ManualMask(r preset.Rules, log []conversation.Event, v projection.View, events []uint64) (conversation.Body, error) {
	shown := map[uint64]*projection.Message{} // results that are shown themselves
	pointers := planner.NewPointers()
	for k := range v.Messages {
		switch m := &v.Messages[k]; {
		case m.Role != projection.RoleTool || len(m.Events) == 0:
		case m.Repeats != 0:
			pointers.Add(m, false)
		default:
			shown[m.Events[0]] = m
		}
	}
	chosen := map[uint64]bool{}
	for _, seq := range events {
		chosen[seq] = true
	}
	for _, u := range conversation.Units(log) {
		for _, i := range u.Events {
			chosen[log[i].Seq] = chosen[log[i].Seq] || chosen[log[u.Events[0]].Seq]
		}
	}
	var items []conversation.MaskItem
	const tooShort = "the result is too short to be worth masking"
	why := "choose a tool result; messages are never masked"
	for i, e := range log {
		if _, ok := e.Body.(conversation.ToolResult); !ok || !chosen[e.Seq] {
			continue
		}
		switch m := shown[e.Seq]; {
		case m != nil && m.State == projection.StatePinned:
			why = "the result is pinned; unpin it first"
		case m == nil || m.State != projection.StateVerbatim && m.State != projection.StateCapped:
			why = "the result is no longer sent in full"
		default:
			stub, chars := projection.StubOf(log, i, r.Mask.Preview), m.Size.Length()
			if stub == "" || conversation.Measure(stub).Chars() >= chars || !pointers.StubsAreShorter(e.Seq, chars, r.Mask.Preview) {
				why = tooShort
				continue
			}
			items = append(items, conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
		}
	}
	if len(items) == 0 {
		return nil, errors.New("nothing to mask: " + why)
	}
	mask := planner.MaskOf(r, pointers.WithPointers(items))
	mask.Style = preset.OwnStyle
	if after := projection.Project(conversation.Extend(log, time.Time{}, mask)); viewChars(after) >= viewChars(v) {
		return nil, errors.New("nothing to mask: " + tooShort)
	}
	return mask, nil
}

func viewChars(v projection.View) int {
	return v.Sizes.Length() - v.Sizes.Text[projection.Reasoning].Chars()
}
