package edit

import (
	"errors"
	"fmt"

	"plimsoll/conversation"
)

// An undo reverts an epoch, a redo the undo. Each is one more overlay.

// ErrNothingToUndo says that no compaction is in force.
var ErrNothingToUndo = errors.New("no compaction to undo")

// ErrNothingToRedo says that no compaction was undone since the newest one.
var ErrNothingToRedo = errors.New("no compaction to redo")

// Undo is the overlay that takes an epoch back; 0 is the newest in force. The
// error wraps ErrNothingToUndo.
func Undo(log []conversation.Event, epoch uint64) (conversation.Revert, error) {
	var found *conversation.Epoch
	list := conversation.Epochs(log)
	for i := range list {
		if list[i].InForce && (epoch == 0 || list[i].ID == epoch) {
			found = &list[i]
		}
	}
	if found == nil {
		if epoch != 0 {
			return conversation.Revert{}, fmt.Errorf("%w: compaction %d is not active", ErrNothingToUndo, epoch)
		}
		return conversation.Revert{}, ErrNothingToUndo
	}
	return conversation.Revert{Epoch: found.ID}, nil
}

// Redo is the overlay that brings the compaction back which was undone last.
// It is possible until another one is made. The error wraps ErrNothingToRedo.
func Redo(log []conversation.Event) (conversation.Revert, error) {
	var undone *conversation.Epoch
	newest := uint64(0)
	list := conversation.Epochs(log)
	for i := range list {
		if list[i].InForce {
			newest = max(newest, list[i].ID)
		}
		if list[i].Reverted != 0 && (undone == nil || list[i].Reverted > undone.Reverted) {
			undone = &list[i]
		}
	}
	switch {
	case undone == nil:
		return conversation.Revert{}, ErrNothingToRedo
	case newest > undone.Reverted:
		return conversation.Revert{}, fmt.Errorf("%w: another one ran since", ErrNothingToRedo)
	}
	return conversation.Revert{Epoch: undone.Reverted, Redoes: undone.ID}, nil
}
