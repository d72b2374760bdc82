package replay

import (
	"strings"
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// maxCallID is the longest id of a call that servers take.
const maxCallID = 64

// violations counts what a server would refuse in a request: the first message is the
// user's and the last one is not the model's own; every call is answered directly
// after it, in order and once; ids are unique and of the form that servers take;
// arguments are objects; nothing is empty, nothing is broken text. Hardening would
// hide a policy that parts calls from results, so what it had to repair in the view
// counts too. The first messages that were sent before are not read again.
func violations(view, messages []projection.Message, sent int) int {
	results, answers, made := 0, 0, 0 // results in the view; of them, those in the request; answers that hardening made up
	for i := range view {
		if view[i].Role == projection.RoleTool {
			results++
		}
	}
	for i := range messages {
		switch {
		case messages[i].Role != projection.RoleTool:
		case len(messages[i].Events) > 0:
			answers++
		default:
			made++
		}
	}
	faults := results - answers + made + misplaced(messages)
	for i := sent; i < len(messages); i++ {
		faults += textFaults(&messages[i])
	}
	return faults
}

// misplaced counts what stands in the wrong place.
func misplaced(messages []projection.Message) int {
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
	ids := map[string]bool{}
	for i := 0; i < n; i++ {
		m := &messages[i]
		switch m.Role {
		case projection.RoleUser, projection.RoleAssistant:
		default: // a result whose call is not directly before it, or another system message
			faults++
		}
		for _, call := range m.Calls {
			if ids[call.ID] || !validID(call.ID) {
				faults++
			}
			ids[call.ID] = true
			if i+1 < n && messages[i+1].Role == projection.RoleTool && messages[i+1].CallID == call.ID {
				i++
			} else {
				faults++
			}
		}
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
		if object(c.Arguments) != c.Arguments || !sendable(c.Arguments) {
			faults++
		}
	}
	return faults
}

func sendable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
