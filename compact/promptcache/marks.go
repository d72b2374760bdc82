package promptcache

import "plimsoll/compact/projection"

// MarkIndexes returns the indexes of the messages after which a request sets cache marks, ascending: at most three. One
// more mark belongs after tools and system prompt.
//
//   - the last: the next request begins with all of this one
//   - the one that the request before ended with, which is in front of the newest reply: a reply with many calls
//     alone can have more blocks than LookBack
//   - the last of what a compaction put in front: it stays when the rest is undone or compacted again
func MarkIndexes(messages []projection.Message) []int {
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
