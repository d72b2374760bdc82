package conversation

import "slices"

// InForce lists the overlays of a log that are in force, as indices into events,
// ascending: those that no later revert takes back, alone or with their epoch. A
// revert counts only while it is in force itself; reverts are not listed.
func InForce(events []Event) []int {
	var list []int
	epochs, singles := map[uint64]bool{}, map[uint64]bool{}
	for i, e := range slices.Backward(events) {
		made, ok := MadeOf(e.Body)
		if !ok || singles[e.Seq] || epochs[made.Epoch] {
			continue
		}
		b, ok := e.Body.(Revert)
		switch {
		case !ok:
			list = append(list, i)
		case b.Epoch != 0:
			epochs[b.Epoch] = true
		default:
			singles[b.Event] = true
		}
	}
	slices.Reverse(list)
	return list
}
