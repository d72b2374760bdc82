package compact

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/conversation"
)

// The overlays that one pass commits are an epoch: they come into force
// together, break the cached prefix once, and are taken back together.

// ErrNothingToUndo says that no compaction is in force.
var ErrNothingToUndo = errors.New("there is no compaction to undo")

// ErrNothingToRedo says that no compaction was undone since the newest one.
var ErrNothingToRedo = errors.New("there is no undone compaction to bring back")

// Epoch is one pass of compaction as the log has it.
type Epoch struct {
	ID       uint64 // Seq of its first overlay
	Turn     int    // at which it was made
	Time     time.Time
	Made     conversation.Made
	Overlays []conversation.Event // caps, masks, summaries and drops, in order
	InForce  bool
	Reverted uint64 // epoch of the revert that took it back, 0 while it is in force
}

// Epochs lists the compactions of a log, oldest first, those that were taken
// back included. Pins, rewinds and reverts are none.
func Epochs(log []conversation.Event) []Epoch {
	force := map[uint64]bool{}
	for _, i := range conversation.InForce(log) {
		force[log[i].Seq] = true
	}
	var list []Epoch
	at := map[uint64]int{}
	for _, e := range log {
		if !compaction(e.Body) {
			continue
		}
		made, _ := conversation.MadeOf(e.Body)
		id := conversation.EpochOf(e)
		i, known := at[id]
		if !known {
			i = len(list)
			at[id] = i
			list = append(list, Epoch{ID: id, Turn: e.Turn, Time: e.Time, Made: made})
		}
		list[i].Overlays = append(list[i].Overlays, e)
		list[i].InForce = list[i].InForce || force[e.Seq]
	}
	reverts := conversation.RevertsInForce(log)
	for i := range list {
		if !list[i].InForce {
			list[i].Reverted = revertOf(log, reverts, &list[i])
		}
	}
	return list
}

// compaction reports whether a body is an overlay that reduces.
func compaction(b conversation.Body) bool {
	switch b.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		return true
	}
	return false
}

// revertOf is the epoch of the newest of some reverts that took an epoch, or
// one of its overlays, back; 0 without one.
func revertOf(log []conversation.Event, reverts []int, e *Epoch) uint64 {
	for _, i := range slices.Backward(reverts) {
		b, _ := log[i].Body.(conversation.Revert) // by the list
		if b.Epoch == e.ID || b.Epoch == 0 && slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool { return o.Seq == b.Event }) {
			return conversation.EpochOf(log[i])
		}
	}
	return 0
}

// byHand reports whether an epoch is what the user masked by hand: it says nothing
// of how far the conversation is compacted, nor of when a pass is welcome. Passes
// that the user asks for have a profile.
func byHand(e Epoch) bool {
	return e.Made.Source == conversation.SourceManual && e.Made.Profile == "" && !slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool {
		_, ok := o.Body.(conversation.Mask)
		return !ok
	})
}

// Undo is the overlay that takes an epoch back; 0 is the newest in force. The
// error wraps ErrNothingToUndo.
func Undo(log []conversation.Event, epoch uint64) (conversation.Revert, error) {
	var found *Epoch
	list := Epochs(log)
	for i := range list {
		if list[i].InForce && (epoch == 0 || list[i].ID == epoch) {
			found = &list[i]
		}
	}
	if found == nil {
		if epoch != 0 {
			return conversation.Revert{}, fmt.Errorf("%w: no compaction %d is in force", ErrNothingToUndo, epoch)
		}
		return conversation.Revert{}, ErrNothingToUndo
	}
	return conversation.Revert{Epoch: found.ID}, nil
}

// Redo is the overlay that brings the compaction back which was undone last.
// It is possible until another one is made. The error wraps ErrNothingToRedo.
func Redo(log []conversation.Event) (conversation.Revert, error) {
	var undone *Epoch
	newest := uint64(0)
	list := Epochs(log)
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
		return conversation.Revert{}, fmt.Errorf("%w: another compaction was made since", ErrNothingToRedo)
	}
	return conversation.Revert{Epoch: undone.Reverted, Redoes: undone.ID}, nil
}

// Following are the events that bodies would be behind a log, at a time: its
// overlays one epoch, their account otherwise as it is.
func Following(log []conversation.Event, at time.Time, bodies ...conversation.Body) []conversation.Event {
	next, turn := uint64(1), 0
	if n := len(log); n > 0 {
		next, turn = log[n-1].Seq+1, log[n-1].Turn
	}
	out := make([]conversation.Event, len(bodies))
	for i, b := range bodies {
		made, _ := conversation.MadeOf(b) // zero for what is no overlay
		made.Epoch = next
		out[i] = conversation.Event{Seq: next + uint64(i), Turn: turn, Time: at, Body: conversation.WithMade(b, made)}
	}
	return out
}

// behind is a log with bodies behind it, as [Following] has them. The log is not
// touched.
func behind(log []conversation.Event, at time.Time, bodies ...conversation.Body) []conversation.Event {
	return append(log[:len(log):len(log)], Following(log, at, bodies...)...)
}

// OneEpoch gives the overlays of one pass one account: made, with the profile and
// the reason that one of them has, and with the estimated tokens of a request
// before all of them and after.
func OneEpoch(bodies []conversation.Body, made conversation.Made, before, after int) []conversation.Body {
	for _, b := range bodies {
		if own, _ := conversation.MadeOf(b); own.Why != "" {
			made.Profile, made.Why = own.Profile, own.Why
		}
	}
	made.Before, made.After = before, after
	return Stamp(bodies, made.Epoch, made)
}

// Stamp makes bodies one epoch that begins at seq.
func Stamp(bodies []conversation.Body, seq uint64, made conversation.Made) []conversation.Body {
	made.Epoch = seq
	out := make([]conversation.Body, len(bodies))
	for i, b := range bodies {
		out[i] = conversation.WithMade(b, made)
	}
	return out
}
