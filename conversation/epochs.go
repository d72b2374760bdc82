package conversation

import (
	"slices"
	"time"
)

// The overlays that one compaction commits are an epoch: they come into force
// together, break the cached prefix once, and are undone together.

// Epoch is one compaction that the log records.
type Epoch struct {
	ID         uint64 // Seq of its first overlay
	Turn       int    // in which it was committed
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
			list = append(list, Epoch{ID: id, Turn: e.Turn, Origin: made})
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

// revertingEpoch returns the epoch of the newest revert, of those at these indices, that
// undid the epoch e or one of its overlays; 0 without one.
func revertingEpoch(log []Event, reverts []int, e *Epoch) uint64 {
	for _, i := range slices.Backward(reverts) {
		b, _ := log[i].Body.(Revert) // reverts lists only these
		if b.Epoch == e.ID || b.Epoch == 0 && slices.ContainsFunc(e.Overlays, func(o Event) bool { return o.Seq == b.Event }) {
			return EpochOf(log[i])
		}
	}
	return 0
}

// IsManualMask reports whether the epoch is a set of events that the user masked one by
// one. Such an epoch does not count as the last compaction when the next one is
// planned. A whole compaction that the user asks for has a profile.
func (e Epoch) IsManualMask() bool {
	return e.Origin.Source == SourceManual && e.Origin.Profile == "" && !slices.ContainsFunc(e.Overlays, func(o Event) bool {
		_, ok := o.Body.(Mask)
		return !ok
	})
}

// NextEvents returns the events that would follow log if bodies were appended at that
// time. Overlays become one epoch; the rest of their origin is kept.
func NextEvents(log []Event, at time.Time, bodies ...Body) []Event {
	next, turn := uint64(1), 0
	if n := len(log); n > 0 {
		next, turn = log[n-1].Seq+1, log[n-1].Turn
	}
	out := make([]Event, len(bodies))
	for i, b := range bodies {
		origin, _ := OriginOf(b) // zero for other bodies
		origin.Epoch = next
		out[i] = Event{Seq: next + uint64(i), Turn: turn, Time: at, Body: WithOrigin(b, origin)}
	}
	return out
}

// Extend returns a copy of log with bodies appended, as [NextEvents] makes them. The
// argument is not changed.
func Extend(log []Event, at time.Time, bodies ...Body) []Event {
	return append(log[:len(log):len(log)], NextEvents(log, at, bodies...)...)
}

// CombineIntoEpoch gives all bodies one origin: origin, with the profile and the reason
// of the last body that has a reason, and with the estimated tokens of a request before
// all of them and after.
func CombineIntoEpoch(bodies []Body, origin Origin, before, after int) []Body {
	for _, b := range bodies {
		if own, _ := OriginOf(b); own.Why != "" {
			origin.Profile, origin.Why = own.Profile, own.Why
		}
	}
	origin.Before, origin.After = before, after
	return AssignEpoch(bodies, origin.Epoch, origin)
}

// AssignEpoch returns bodies with this origin, as the epoch that begins at seq.
func AssignEpoch(bodies []Body, seq uint64, origin Origin) []Body {
	origin.Epoch = seq
	out := make([]Body, len(bodies))
	for i, b := range bodies {
		out[i] = WithOrigin(b, origin)
	}
	return out
}
