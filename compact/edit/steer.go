package edit

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Manual changes to single messages and turns are overlays like any other, each with an
// epoch of its own. Rules:
//
//   - The overlay names only the events it changes. A change without effect is refused
//     with a reason.
//   - Pins apply to whole units. An undone message must be redone before it is pinned.
//   - Rewound turns can be restored until the user sends the next message.

// PinOf returns the overlay that shows events in full, whatever other overlays cover
// them, or ends that: a Pin or an Unpin. It skips Seqs that are not messages of the log.
// The error says why nothing would change.
func PinOf(log []conversation.Event, events []uint64, pinned bool) (conversation.Body, error) {
	pins, rewound := projection.Pinned(log), conversation.RewoundBy(log)
	why := "choose one of your messages, a reply or a result"
	var chosen []uint64
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(events))) {
		i := conversation.IndexOf(log, seq)
		if i < 0 || !conversation.IsMessage(log[i].Body) {
			continue
		}
		undone := rewound != nil && rewound[i] != 0
		switch {
		case pinned && pins[log[i].Seq]:
			why = "this is already pinned"
		case pinned && undone:
			why = "this was undone; redo its turn first"
		case !pinned && !pins[log[i].Seq]:
			why = "this is not pinned"
		default:
			chosen = append(chosen, seq)
		}
	}
	switch {
	case pinned && chosen == nil:
		return nil, errors.New("nothing to pin: " + why)
	case chosen == nil:
		return nil, errors.New("nothing to unpin: " + why)
	case pinned:
		return conversation.Pin{Origin: conversation.Origin{Why: "pinned " + eventNames(chosen)}, Events: chosen}, nil
	}
	return conversation.Unpin{Origin: conversation.Origin{Why: "unpinned " + eventNames(chosen)}, Events: chosen}, nil
}

const maxNamedEvents = 3

func eventNames(events []uint64) string {
	if len(events) > maxNamedEvents {
		return numbers.Grouped(len(events)) + " messages"
	}
	names := make([]string, len(events))
	for i, seq := range events {
		names[i] = "e" + strconv.FormatUint(seq, 10)
	}
	return strings.Join(names, ", ")
}

// Restore returns the overlay that restores the turns that were rewound last.
func Restore(log []conversation.Event) (conversation.Revert, error) {
	rewind := -1
	for _, i := range conversation.OverlaysInForce(log) {
		if b, ok := log[i].Body.(conversation.Rewind); ok && b.Reply == 0 {
			rewind = i
		}
	}
	if rewind < 0 {
		return conversation.Revert{}, errors.New("no turns to redo: none were undone")
	}
	for _, e := range log[rewind+1:] {
		// None of these can be undone: the rewind is the newest.
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return conversation.Revert{}, errors.New("no turns to redo: a message was sent since; fork from the turn in the history")
		}
	}
	return conversation.Revert{Origin: conversation.Origin{Why: redoReason(log, rewind)}, Epoch: conversation.EpochOf(log[rewind])}, nil
}

func redoReason(log []conversation.Event, rewind int) string {
	var restored []conversation.Event
	for i, by := range conversation.RewoundBy(log) {
		if by == log[rewind].Seq {
			restored = append(restored, log[i])
		}
	}
	if len(restored) == 0 {
		return "redone"
	}
	return "redone: " + numbers.Turns(conversation.TurnRange(restored))
}
