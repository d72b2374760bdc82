package conversation

import "slices"

// Unanswered reports whether the newest message has no whole reply yet, so that its request can be made again. Broken is
// a reply that broke off and has no calls, by its Seq: the same request leaves it out; 0 for none.
func Unanswered(events []Event) (broken uint64, yes bool) {
	gone := TakenBack(events)
	for i, e := range slices.Backward(events) {
		if gone != nil && gone[i] != 0 {
			continue
		}
		switch b := e.Body.(type) {
		case UserMessage, ToolResult:
			return broken, true
		case AssistantMessage:
			if b.Stop.Complete() || broken != 0 {
				return 0, false
			}
			broken = e.Seq
		}
	}
	return 0, false
}
