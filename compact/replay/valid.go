package replay

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"plimsoll/compact"
)

// A request is checked as a server would: the first message is the user's and
// the last one is not the model's own; every call is answered directly after it,
// in order and once; ids are unique and of the form that servers take; arguments
// are objects; nothing is empty, nothing is broken text. Hardening would hide a
// policy that parts calls from results, so what it had to repair counts too.

// maxCallID is the longest id of a call that servers take.
const maxCallID = 64

// violations counts what is wrong with a request. The messages before checked
// were sent before, and their texts are not looked at again.
func violations(v compact.View, messages []compact.Message, checked int) int {
	n := repairs(v, messages) + order(messages)
	for i := checked; i < len(messages); i++ {
		n += textFaults(&messages[i])
	}
	return n
}

// repairs counts results that hardening left out and answers it made up.
func repairs(v compact.View, messages []compact.Message) int {
	results, answers, made := 0, 0, 0
	for i := range v.Messages {
		if v.Messages[i].Role == compact.RoleTool {
			results++
		}
	}
	for i := range messages {
		if messages[i].Role != compact.RoleTool {
			continue
		}
		if len(messages[i].Events) > 0 {
			answers++
		} else {
			made++
		}
	}
	return results - answers + made
}

// order counts what stands in the wrong place.
func order(messages []compact.Message) int {
	n := len(messages)
	if n == 0 {
		return 1
	}
	faults := 0
	if messages[0].Role != compact.RoleUser {
		faults++
	}
	if messages[n-1].Role == compact.RoleAssistant {
		faults++
	}
	ids := make(map[string]bool, n)
	for i := 0; i < n; i++ {
		m := &messages[i]
		switch m.Role {
		case compact.RoleUser, compact.RoleAssistant:
		default: // a result whose call is not directly before it, or another system message
			faults++
		}
		for _, c := range m.Calls {
			if ids[c.ID] || !validID(c.ID) {
				faults++
			}
			ids[c.ID] = true
			if i+1 < n && messages[i+1].Role == compact.RoleTool && messages[i+1].CallID == c.ID {
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
func textFaults(m *compact.Message) int {
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
