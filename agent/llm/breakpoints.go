package llm

import "plimsoll/compact/projection"

// Some providers cache a prompt only up to marks in it, of which they take four, and look for an older mark at most 20
// blocks of content before each. One mark belongs behind tools and system prompt; these are the others.

// Breakpoints are the messages, by index and ascending, behind which marks of a cache go: at most three.
//
//   - the last: the next request begins with all of this one
//   - the one that the request before ended with, which is in front of the newest reply: a reply with many calls
//     alone can have more than 20 blocks
//   - the last of what a compaction put in front: it stays when the rest is undone or compacted again
func Breakpoints(messages []projection.Message) []int {
	last := len(messages) - 1
	if last < 0 {
		return nil
	}
	marks := []int{last}
	for i := last - 1; i > 0; i-- {
		if messages[i].Role == projection.RoleAssistant {
			marks = append([]int{i - 1}, marks...)
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
	if block >= 0 && block < marks[0] && messages[block].Role != projection.RoleAssistant {
		marks = append([]int{block}, marks...)
	}
	return marks
}
