package conversation

import "slices"

// NeedsReply reports whether the newest message has no complete reply, so that its request can be repeated. broken is the
// Seq of an incomplete reply, which the repeated request leaves out; 0 without one. The output of a command that the user
// ran needs no reply. A complete reply in a failed turn needs a continuation: the repeated request includes it.
func NeedsReply(events []Event) (broken uint64, needed bool) {
	rewinds, failed := RewoundBy(events), -1
	for i, e := range slices.Backward(events) {
		if rewinds != nil && rewinds[i] != 0 {
			continue
		}
		switch b := e.Body.(type) {
		case TurnFailed:
			failed = max(failed, e.Turn)
		case UserMessage:
			if _, _, ran := ParseCommandOutput(b.Typed()); !ran || broken != 0 || failed == e.Turn {
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
