package compact

import "plimsoll/conversation"

// What the user does to single messages and turns by hand is an overlay like any
// other, with an epoch of its own.

// PinOf is the overlay that keeps events as they were said, whatever else covers
// them, or ends that.
func PinOf(log []conversation.Event, events []uint64, pinned bool) (conversation.Body, error) {
	return nil, nil
}

// MaskByHand is the overlay that shows stubs in place of the results of events.
func (r Rules) MaskByHand(log []conversation.Event, v View, events []uint64) (conversation.Body, error) {
	return nil, nil
}

// Restore is the overlay that brings the turns back which were taken back last.
func Restore(log []conversation.Event) (conversation.Revert, error) {
	return conversation.Revert{}, nil
}
