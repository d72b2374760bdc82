package replay

import (
	"strings"
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// countViolations counts what a server would refuse in a request: the first message is the user's and the last one is not the
// model's own; every call is answered directly after it, in order and once; ids are unique; arguments are objects; nothing is
// empty, nothing is broken text. Hardening would hide a policy that parts calls from results, so what it had to repair in the
// view counts too. The first messages that were sent before are not read again.
func countViolations(view, messages []projection.Message, sent int) int {
	faults := countMisplaced(messages)
	for i := range view {
		if view[i].Role == projection.RoleTool {
			faults++ // unless the request has it
		}
	}
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == projection.RoleTool && len(m.Events) > 0:
			faults--
		case m.Role == projection.RoleTool: // hardening made it up
			faults++
		}
		if i >= sent && !isSendable(m) {
			faults++
		}
	}
	return faults
}

// countMisplaced counts what stands in the wrong place.
func countMisplaced(messages []projection.Message) int {
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
	ids := map[string]bool{"": true}
	for i := 0; i < n; i++ {
		m := &messages[i]
		if m.Role != projection.RoleUser && m.Role != projection.RoleAssistant {
			faults++ // a result whose call is not directly before it, or another system message
		}
		for _, call := range m.Calls {
			if ids[call.ID] {
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

// isSendable reports whether a message says something, in whole characters.
func isSendable(m *projection.Message) bool {
	texts := []string{m.Text}
	for _, c := range m.Calls {
		if c.Name == "" || object(c.Arguments) != c.Arguments {
			return false
		}
		texts = append(texts, c.Name, c.Arguments)
	}
	all := strings.Join(texts, "")
	return strings.TrimSpace(all) != "" && utf8.ValidString(all) && strings.IndexByte(all, 0) < 0
}
