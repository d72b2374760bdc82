package conversation

import "slices"

// EpochOf is the epoch of an overlay: the one it was made in, or its own Seq
// where it says nothing. 0 for events that are no overlays.
func EpochOf(e Event) uint64 {
	made, ok := MadeOf(e.Body)
	if ok && made.Epoch == 0 {
		return e.Seq
	}
	return made.Epoch
}

// InForce lists the overlays of a log that are in force, as indices into events,
// ascending: those that no later revert undoes, alone or with their epoch. A
// revert counts only while it is in force itself; reverts are not listed.
func InForce(events []Event) []int {
	overlays, _ := split(events)
	return overlays
}

// RevertsInForce lists the reverts of a log that are in force, as indices into
// events, ascending.
func RevertsInForce(events []Event) []int {
	_, reverts := split(events)
	return reverts
}

// split finds what is in force, from the end: whether an overlay is depends only
// on what comes after it.
func split(events []Event) (overlays, reverts []int) {
	epochs, singles := map[uint64]bool{}, map[uint64]bool{}
	for i, e := range slices.Backward(events) {
		if !e.Body.Kind().Overlay() {
			continue
		}
		if _, ok := MadeOf(e.Body); !ok || singles[e.Seq] || epochs[EpochOf(e)] {
			continue
		}
		b, ok := e.Body.(Revert)
		if !ok {
			overlays = append(overlays, i)
			continue
		}
		reverts = append(reverts, i)
		if b.Epoch != 0 {
			epochs[b.Epoch] = true
		} else {
			singles[b.Event] = true
		}
	}
	slices.Reverse(overlays)
	slices.Reverse(reverts)
	return overlays, reverts
}

// TakenBack tells by index which rewind in force took an event back, by its Seq,
// 0 for none; nil if there is no rewind in force. A unit goes with the turn it
// began in, and only messages before the rewind go.
func TakenBack(events []Event) []uint64 {
	var gone []uint64
	var units []Unit
	for _, at := range InForce(events) {
		b, ok := events[at].Body.(Rewind)
		if !ok {
			continue
		}
		if gone == nil {
			gone, units = make([]uint64, len(events)), Units(events)
		}
		for _, u := range units {
			if !b.Takes(u.Turn, events[u.Events[0]].Seq) {
				continue
			}
			for _, i := range u.Events {
				if i < at && gone[i] == 0 {
					gone[i] = events[at].Seq
				}
			}
		}
	}
	return gone
}
