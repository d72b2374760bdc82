package conversation

import (
	"slices"
	"time"
)

// The overlays that one compaction commits are an epoch: they come into force
// together, break the cached prefix once, and are undone together.

// Epoch is one compaction as the log has it.
type Epoch struct {
	ID         uint64 // Seq of its first overlay
	Turn       int    // at which it was made
	Time       time.Time
	Origin     Origin
	Overlays   []Event // caps, masks, summaries and drops, in order
	InForce    bool
	RevertedBy uint64 // epoch of the revert that undid it, 0 while it is in force
}

// Epochs lists the compactions of a log, oldest first, undone ones included. Pins,
// rewinds and reverts are not compactions.
func Epochs(log []Event) []Epoch {
	force := map[uint64]bool{}
	for _, i := range OverlaysInForce(log) {
		force[log[i].Seq] = true
	}
	var list []Epoch
	at := map[uint64]int{}
	for _, e := range log {
		if !e.Body.Kind().Reduces() {
			continue
		}
		made, _ := OriginOf(e.Body)
		id := EpochOf(e)
		i, known := at[id]
		if !known {
			i = len(list)
			at[id] = i
			list = append(list, Epoch{ID: id, Turn: e.Turn, Time: e.Time, Origin: made})
		}
		list[i].Overlays = append(list[i].Overlays, e)
		list[i].InForce = list[i].InForce || force[e.Seq]
	}
	reverts := RevertsInForce(log)
	for i := range list {
		if !list[i].InForce {
			list[i].RevertedBy = revertingEpoch(log, reverts, &list[i])
		}
	}
	return list
}

// revertingEpoch is the epoch of the newest of some reverts that undid an epoch, or one
// of its overlays; 0 without one.
func revertingEpoch(log []Event, reverts []int, e *Epoch) uint64 {
	for _, i := range slices.Backward(reverts) {
		b, _ := log[i].Body.(Revert) // by the list
		if b.Epoch == e.ID || b.Epoch == 0 && slices.ContainsFunc(e.Overlays, func(o Event) bool { return o.Seq == b.Event }) {
			return EpochOf(log[i])
		}
	}
	return 0
}

// IsManualMask reports whether an epoch is what the user masked event by event: it says
// nothing of how far the conversation is compacted, nor of when to compact next. A
// compaction that the user asks for has a profile.
func (e Epoch) IsManualMask() bool {
	return e.Origin.Source == SourceManual && e.Origin.Profile == "" && !slices.ContainsFunc(e.Overlays, func(o Event) bool {
		_, ok := o.Body.(Mask)
		return !ok
	})
}

// NextEvents are the events that bodies would be behind a log, at a time. Overlays
// become one epoch, and keep what else is recorded of them.
func NextEvents(log []Event, at time.Time, bodies ...Body) []Event {
	next, turn := uint64(1), 0
	if n := len(log); n > 0 {
		next, turn = log[n-1].Seq+1, log[n-1].Turn
	}
	out := make([]Event, len(bodies))
	for i, b := range bodies {
		made, _ := OriginOf(b) // zero for what is no overlay
		made.Epoch = next
		out[i] = Event{Seq: next + uint64(i), Turn: turn, Time: at, Body: WithOrigin(b, made)}
	}
	return out
}

// Extend is a log with bodies behind it, as [NextEvents] makes them. The argument is
// not changed.
func Extend(log []Event, at time.Time, bodies ...Body) []Event {
	return append(log[:len(log):len(log)], NextEvents(log, at, bodies...)...)
}

// CombineIntoEpoch makes overlays one epoch: made, with the profile and the reason that one
// of them has, and with the estimated tokens of a request before all of them and
// after.
func CombineIntoEpoch(bodies []Body, made Origin, before, after int) []Body {
	for _, b := range bodies {
		if own, _ := OriginOf(b); own.Why != "" {
			made.Profile, made.Why = own.Profile, own.Why
		}
	}
	made.Before, made.After = before, after
	return AssignEpoch(bodies, made.Epoch, made)
}

// AssignEpoch makes bodies one epoch that begins at seq.
func AssignEpoch(bodies []Body, seq uint64, made Origin) []Body {
	made.Epoch = seq
	out := make([]Body, len(bodies))
	for i, b := range bodies {
		out[i] = WithOrigin(b, made)
	}
	return out
}
