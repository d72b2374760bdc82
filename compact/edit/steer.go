package edit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// What the user does to single messages and turns by hand is an overlay like any
// other, with an epoch of its own. Rules:
//
//   - It names only what it changes: what would do nothing is refused, with why.
//   - Pins are of whole units, as the projection has them. What was undone is
//     pinned only once it is redone.
//   - Turns come back as long as nothing was said in their place.

// ErrNothingToPin says that no message would be pinned.
var ErrNothingToPin = errors.New("nothing to pin")

// ErrNothingToUnpin says that no message is pinned.
var ErrNothingToUnpin = errors.New("nothing to unpin")

// ErrNothingToRestore says that no turns can be restored.
var ErrNothingToRestore = errors.New("no turns to redo")

// PinOf is the overlay that keeps events as they were said, whatever else covers
// them, or ends that: a Pin or an Unpin. Events that are not there or say nothing
// are passed over. The error wraps ErrNothingToPin or ErrNothingToUnpin.
func PinOf(log []conversation.Event, events []uint64, pinned bool) (conversation.Body, error) {
	held, rewound := projection.Pinned(log), conversation.RewoundBy(log)
	why := "choose one of your messages, a reply or a result"
	var chosen []uint64
	for _, seq := range ascending(events) {
		i := conversation.IndexOf(log, seq)
		if i < 0 || !conversation.IsMessage(log[i].Body) {
			continue
		}
		gone := rewound != nil && rewound[i] != 0
		switch {
		case pinned && held[log[i].Seq]:
			why = "this is already pinned"
		case pinned && gone:
			why = "this was undone; redo its turn first"
		case !pinned && !held[log[i].Seq]:
			why = "this is not pinned"
		default:
			chosen = append(chosen, seq)
		}
	}
	switch {
	case pinned && chosen == nil:
		return nil, fmt.Errorf("%w: %s", ErrNothingToPin, why)
	case chosen == nil:
		return nil, fmt.Errorf("%w: %s", ErrNothingToUnpin, why)
	case pinned:
		return conversation.Pin{Origin: conversation.Origin{Why: "pinned " + eventNames(chosen)}, Events: chosen}, nil
	}
	return conversation.Unpin{Origin: conversation.Origin{Why: "unpinned " + eventNames(chosen)}, Events: chosen}, nil
}

func ascending(events []uint64) []uint64 {
	out := slices.Clone(events)
	slices.Sort(out)
	return slices.Compact(out)
}

const mostNames = 3

func eventNames(events []uint64) string {
	if len(events) > mostNames {
		return numbers.Grouped(len(events)) + " messages"
	}
	names := make([]string, len(events))
	for i, seq := range events {
		names[i] = "e" + strconv.FormatUint(seq, 10)
	}
	return strings.Join(names, ", ")
}

// Restore is the overlay that restores the turns which were rewound last.
// The error wraps ErrNothingToRestore.
func Restore(log []conversation.Event) (conversation.Revert, error) {
	rewind := -1
	for _, i := range conversation.OverlaysInForce(log) {
		if b, ok := log[i].Body.(conversation.Rewind); ok && b.Reply == 0 {
			rewind = i
		}
	}
	if rewind < 0 {
		return conversation.Revert{}, fmt.Errorf("%w: none were undone", ErrNothingToRestore)
	}
	for _, e := range log[rewind+1:] {
		// None of these can be undone: the rewind is the newest.
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return conversation.Revert{}, fmt.Errorf("%w: a message was sent since; fork from the turn in the history", ErrNothingToRestore)
		}
	}
	return conversation.Revert{Origin: conversation.Origin{Why: broughtBack(log, rewind)}, Epoch: conversation.EpochOf(log[rewind])}, nil
}

func broughtBack(log []conversation.Event, rewind int) string {
	var back []conversation.Event
	for i, by := range conversation.RewoundBy(log) {
		if by == log[rewind].Seq {
			back = append(back, log[i])
		}
	}
	if len(back) == 0 {
		return "redone"
	}
	return "redone: " + numbers.Turns(conversation.TurnRange(back))
}
