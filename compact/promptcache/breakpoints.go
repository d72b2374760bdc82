package promptcache

import "plimsoll/compact/projection"

// BreakpointIndexes returns the indexes of the messages after which a request sets breakpoints, ascending: at most three. One
// more breakpoint belongs after tools and system prompt.
//
//   - the last message, because the next request begins with all of this one
//   - the last message of the previous request, which precedes the newest reply; a reply with many calls can
//     by itself have more than LookbackBlocks blocks
//   - the last of the summary messages at the start, which stay when later messages are compacted or an undo
//     changes them
func BreakpointIndexes(messages []projection.Message) []int {
	last := len(messages) - 1
	if last < 0 {
		return nil
	}
	breakpoints := []int{last}
	for i := last - 1; i > 0; i-- {
		if messages[i].Role == projection.RoleAssistant {
			breakpoints = append([]int{i - 1}, breakpoints...)
			break
		}
	}
	block := -1
	for i := range messages {
		if messages[i].Segment() != projection.Summary {
			break
		}
		block = i
	}
	if block >= 0 && block < breakpoints[0] && messages[block].Role != projection.RoleAssistant {
		breakpoints = append([]int{block}, breakpoints...)
	}
	return breakpoints
}
