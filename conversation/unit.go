package conversation

// Unit is a run of events that is never split: a user message, or an assistant
// message with all its calls and their results. Events that are neither sent
// nor answered (usage, notices, overlays) belong to no unit.
type Unit struct {
	Turn   int
	Events []int // indices into the log, ascending
	Open   bool  // a call of it has no result yet
}

// Units groups events. It is total: a result whose call is unknown is a unit
// of its own, so nothing disappears.
func Units(events []Event) []Unit {
	var units []Unit
	owner := map[string]int{} // call id -> unit
	missing := map[int]int{}  // unit -> calls without result
	answered := map[string]bool{}
	for i, e := range events {
		switch b := e.Body.(type) {
		case UserMessage:
			units = append(units, Unit{Turn: e.Turn, Events: []int{i}})
		case AssistantMessage:
			u := len(units)
			units = append(units, Unit{Turn: e.Turn, Events: []int{i}})
			for _, c := range b.Calls {
				owner[c.ID] = u
				missing[u]++
				delete(answered, c.ID)
			}
		case ToolResult:
			u, ok := owner[b.CallID]
			if !ok {
				units = append(units, Unit{Turn: e.Turn, Events: []int{i}})
				continue
			}
			units[u].Events = append(units[u].Events, i)
			if !answered[b.CallID] {
				answered[b.CallID] = true
				missing[u]--
			}
		}
	}
	for u, n := range missing {
		units[u].Open = n > 0
	}
	return units
}
