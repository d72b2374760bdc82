package transcript

import (
	"slices"

	"plimsoll/conversation"
)

// calls are the tool calls that are shown.
type calls struct {
	byID    map[string]*toolItem // the newest of each
	running []*toolItem
}

func newCalls() calls { return calls{byID: map[string]*toolItem{}} }

// find is the call with an id, nil if it was never made.
func (c *calls) find(id string) *toolItem { return c.byID[id] }

// start notes that a call runs. It is false for one that is over or not there.
func (c *calls) start(id, title string) bool {
	t := c.find(id)
	if t == nil || t.state == callDone {
		return false
	}
	t.start(title)
	c.running = append(c.running, t)
	return true
}

// finish gives a call its result.
func (c *calls) finish(result conversation.ToolResult) {
	t := c.find(result.CallID)
	t.finish(result)
	c.running = slices.DeleteFunc(c.running, func(other *toolItem) bool { return other == t })
}
