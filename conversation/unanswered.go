package conversation

import "slices"

// NeedsReply reports whether the newest message has no whole reply yet, so that its request can be made again. Broken is
// a reply that broke off and has no calls, by its Seq: the same request leaves it out; 0 for none. What a command of the
// user's printed asks for no reply. A whole reply whose turn failed has paused: it goes back as it is.
func NeedsReply(events []Event) (broken uint64, yes bool) {
	gone, failed := RewoundBy(events), -1
	for i, e := range slices.Backward(events) {
		if gone != nil && gone[i] != 0 {
			continue
		}
		switch b := e.Body.(type) {
		case TurnFailed:
			failed = max(failed, e.Turn)
		case UserMessage:
			if _, _, ran := ParseCommandOutput(b.Text); !ran || broken != 0 || failed == e.Turn {
				return broken, true
			}
		case ToolResult:
			return broken, true
		case AssistantMessage:
			if b.Stop.IsComplete() {
				return broken, broken != 0 || failed == e.Turn
			}
			if broken != 0 {
				return 0, false
			}
			broken = e.Seq
		}
	}
	return 0, false
}
