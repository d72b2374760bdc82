package history

import (
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Which events have a row, and how much air is before it. A reply that only calls is not told twice: its results name the
// calls, and say what it was given when they are expanded. Lines of one kind stand close together, texts apart.

// lightCalls is up to how many characters the calls of a reply are told by their results alone: heavier ones have a row
// with their tokens.
const lightCalls = 1200

// onlyCalls is how many of the rows behind one tell all that is to be seen of it, 0 where it needs a row of its own.
func (b *book) onlyCalls(at int) int {
	r := &b.rows[at]
	reply, ok := b.Log[r.Event].Body.(conversation.AssistantMessage)
	n := len(reply.Calls)
	if !ok || n == 0 || at+n >= len(b.rows) || strings.TrimSpace(reply.Text) != "" || reply.Error != "" {
		return 0
	}
	if reply.Stop != "" && reply.Stop != conversation.StopEnd && reply.Stop != conversation.StopCalls {
		return 0
	}
	if r.Before.Chars() > lightCalls || b.ownText(r) {
		return 0
	}
	for i, c := range reply.Calls {
		result, ok := b.Log[b.rows[at+1+i].Event].Body.(conversation.ToolResult)
		if !ok || result.CallID != c.ID {
			return 0
		}
	}
	return n
}

// layGaps spaces the rows.
func (b *book) layGaps() {
	for i := range b.items {
		it := &b.items[i]
		switch {
		case i == 0:
		case it.begins:
			it.gap = 2
		case b.class(*it) == classCall && b.class(b.items[i-1]) == classText && !b.isUsers(b.items[i-1]): // of the reply above
		case b.class(*it) == classText || b.class(*it) != b.class(b.items[i-1]):
			it.gap = 1
		}
	}
}

// class is which rows stand close together.
type class int

const (
	classText class = iota // what was said, each apart
	classCall
	classEvent
)

func (b *book) class(it item) class {
	switch it.kind {
	case kindEvent:
		return classEvent
	case kindSaid:
		if _, result := b.Log[b.rows[it.at].Event].Body.(conversation.ToolResult); result {
			return classCall
		}
	case kindMessage:
		if b.messages[it.at].Role == projection.RoleTool {
			return classCall
		}
	}
	return classText
}
