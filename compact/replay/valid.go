package replay

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// A request is checked as a server would: the first message is the user's and
// the last one is not the model's own; every call is answered directly after it,
// in order and once; ids are unique and of the form that servers take; arguments
// are objects; nothing is empty, nothing is broken text. Hardening would hide a
// policy that parts calls from results, so what it had to repair counts too.

// maxCallID is the longest id of a call that servers take.
const maxCallID = 64

// checks is what is counted of a request as messages come to its end.
type checks struct {
	ids       map[string]bool // of calls
	results   int             // in the view
	answers   int             // of them, those in the request
	made      int             // answers that hardening made up
	misplaced int
}

// reset is for another request.
func (c *checks) reset() {
	clear(c.ids)
	*c = checks{ids: c.ids}
}

// add takes in more of a view, and the messages that were made of that. It begins
// with no result of a call that was added before.
func (c *checks) add(view, messages []projection.Message) {
	for i := range view {
		if view[i].Role == projection.RoleTool {
			c.results++
		}
	}
	for i := range messages {
		switch {
		case messages[i].Role != projection.RoleTool:
		case len(messages[i].Events) > 0:
			c.answers++
		default:
			c.made++
		}
	}
	if c.ids == nil {
		c.ids = make(map[string]bool, len(messages)/2)
	}
	c.order(messages)
}

// order counts what stands in the wrong place.
func (c *checks) order(messages []projection.Message) {
	n := len(messages)
	for i := 0; i < n; i++ {
		m := &messages[i]
		switch m.Role {
		case projection.RoleUser, projection.RoleAssistant:
		default: // a result whose call is not directly before it, or another system message
			c.misplaced++
		}
		for _, call := range m.Calls {
			if c.ids[call.ID] || !validID(call.ID) {
				c.misplaced++
			}
			c.ids[call.ID] = true
			if i+1 < n && messages[i+1].Role == projection.RoleTool && messages[i+1].CallID == call.ID {
				i++
			} else {
				c.misplaced++
			}
		}
	}
}

// violations counts what is wrong with the request that was added. The messages
// before checked were sent before, and their texts are not looked at again.
func (c *checks) violations(messages []projection.Message, checked int) int {
	n := c.results - c.answers + c.made + c.misplaced + ends(messages)
	for i := checked; i < len(messages); i++ {
		n += textFaults(&messages[i])
	}
	return n
}

// ends counts what is wrong with the first and the last message.
func ends(messages []projection.Message) int {
	n := len(messages)
	if n == 0 {
		return 1
	}
	faults := 0
	if messages[0].Role != projection.RoleUser {
		faults++
	}
	if messages[n-1].Role == projection.RoleAssistant {
		faults++
	}
	return faults
}

func validID(id string) bool {
	if id == "" || len(id) > maxCallID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// textFaults counts what is wrong with one message.
func textFaults(m *projection.Message) int {
	faults := 0
	if strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0 {
		faults++
	}
	if !sendable(m.Text) {
		faults++
	}
	for _, c := range m.Calls {
		if c.Name == "" || !sendable(c.Name) {
			faults++
		}
		if !strings.HasPrefix(strings.TrimSpace(c.Arguments), "{") || !json.Valid([]byte(c.Arguments)) || !sendable(c.Arguments) {
			faults++
		}
	}
	return faults
}

func sendable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
