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

// stay is why something stays as it is shown; the greatest says most.
type stay int

const (
	stayWords  stay = iota // it is no result
	stayHidden             // it is not shown in full
	stayShort              // a stub is no shorter
	stayPinned
)

// String says what to do.
func (s stay) String() string {
	switch s {
	case stayHidden:
		return "the result is no longer sent in full"
	case stayShort:
		return "the result is too short to be worth masking"
	case stayPinned:
		return "the result is pinned; unpin it first"
	}
	return "choose a tool result; messages are never masked"
}

// MaskByHand is the overlay that shows stubs in place of the results of events: a
// reply stands for the results of its calls. V is the view of the log. The error
// wraps ErrNothingToMask and says what to do.
func MaskByHand(r preset.Rules, log []conversation.Event, v projection.View, events []uint64) (conversation.Body, error) {
	h := handMask{log: log, preview: r.Mask.Preview, shown: map[uint64]*projection.Message{}}
	h.alike = planner.NewPointers()
	for k := range v.Messages {
		m := &v.Messages[k]
		switch {
		case m.Role != projection.RoleTool || len(m.Events) == 0:
		case m.Repeats != 0:
			h.alike.See(m, false)
		default:
			h.shown[m.Events[0]] = m
		}
	}
	for _, i := range h.results(events) {
		h.choose(i)
	}
	if len(h.items) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNothingToMask, h.stays)
	}
	mask := planner.MaskOf(r, h.alike.With(h.items))
	mask.Style = preset.OwnStyle
	if after := projection.Project(conversation.Extend(log, time.Time{}, mask)); viewChars(after) >= viewChars(v) {
		return nil, fmt.Errorf("%w: %s", ErrNothingToMask, stayShort)
	}
	return mask, nil
}

// viewChars is the code points of what a view sends, reasoning aside.
func viewChars(v projection.View) int {
	n := 0
	for seg, size := range v.Sizes.Text {
		if projection.Segment(seg) != projection.Reasoning {
			n += size.Chars()
		}
	}
	return n
}

// handMask is a mask by hand while it is chosen.
type handMask struct {
	log     []conversation.Event
	preview int                            // code points at each end of a stub
	shown   map[uint64]*projection.Message // results that stand for themselves
	alike   planner.Pointers
	items   []conversation.MaskItem
	stays   stay
}

// results are where the results of events stand in the log, ascending.
func (h *handMask) results(events []uint64) []int {
	wanted := make(map[int]bool, len(events))
	replies := false
	for _, seq := range events {
		i := conversation.IndexOf(h.log, seq)
		if i < 0 {
			continue
		}
		wanted[i] = true
		_, reply := h.log[i].Body.(conversation.AssistantMessage)
		replies = replies || reply
	}
	if replies {
		for _, u := range conversation.Units(h.log) {
			if wanted[u.Events[0]] {
				for _, i := range u.Events {
					wanted[i] = true
				}
			}
		}
	}
	var found []int
	for i := range h.log {
		if _, ok := h.log[i].Body.(conversation.ToolResult); ok && wanted[i] {
			found = append(found, i)
		}
	}
	return found
}

// choose takes a result into the mask, or notes why it stays.
func (h *handMask) choose(i int) {
	m := h.shown[h.log[i].Seq]
	switch {
	case m != nil && m.State == projection.StatePinned:
		h.stays = max(h.stays, stayPinned)
	case m == nil || m.State != projection.StateVerbatim && m.State != projection.StateCapped:
		h.stays = max(h.stays, stayHidden)
	case !h.shortens(i, m):
		h.stays = max(h.stays, stayShort)
	default:
		h.items = append(h.items, conversation.MaskItem{Event: h.log[i].Seq, Part: conversation.PartResult})
	}
}

// shortens reports whether a stub is shorter than what a message shows, with those
// that point to it.
func (h *handMask) shortens(i int, m *projection.Message) bool {
	text := projection.StubOf(h.log, i, h.preview)
	return text != "" && conversation.Measure(text).Chars() < m.Size.Chars() &&
		h.alike.Gains(h.log[i].Seq, m.Size.Chars(), h.preview)
}
