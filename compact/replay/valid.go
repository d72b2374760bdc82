package replay

import (
	"strings"
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// countViolations counts the errors for which a server would refuse a request. The first message must be the user's, the last
// one must not be a reply. Each call must be followed by its result, in order and once. Ids must be unique, arguments must be
// objects, and messages must be valid text that is not empty. Results that hardening removes from the view or adds count too:
// they show that a policy separates calls from results. The texts of the first messages, as many as checked, are skipped.
func countViolations(view, messages []projection.Message, checked int) int {
	violations := countMisplaced(messages)
	for i := range view {
		if view[i].Role == projection.RoleTool {
			violations++ // taken back below if the request has it
		}
	}
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == projection.RoleTool && len(m.Events) > 0:
			violations--
		case m.Role == projection.RoleTool: // hardening added it
			violations++
		}
		if i >= checked && !isSendable(m) {
			violations++
		}
	}
	return violations
}

// countMisplaced counts messages and calls that violate the order, and ids that are used twice.
func countMisplaced(messages []projection.Message) int {
	n := len(messages)
	if n == 0 {
		return 1
	}
	violations := 0
	if messages[0].Role != projection.RoleUser {
		violations++
	}
	if messages[n-1].Role == projection.RoleAssistant {
		violations++
	}
	ids := map[string]bool{"": true}
	for i := 0; i < n; i++ {
		m := &messages[i]
		if m.Role != projection.RoleUser && m.Role != projection.RoleAssistant {
			violations++ // a result whose call is not directly before it, or another system message
		}
		for _, call := range m.Calls {
			if ids[call.ID] {
				violations++
			}
			ids[call.ID] = true
			if i+1 < n && messages[i+1].Role == projection.RoleTool && messages[i+1].CallID == call.ID {
				i++
			} else {
				violations++
			}
		}
	}
	return violations
}

// isSendable reports whether a message is not empty, is valid text, and has only calls with a name and an object as arguments.
func isSendable(m *projection.Message) bool {
	for _, c := range m.Calls {
		if c.Name == "" || object(c.Arguments) != c.Arguments {
			return false
		}
	}
	all := strings.Join(textsOf(m.Text, m.Calls), "")
	return strings.TrimSpace(all) != "" && utf8.ValidString(all) && strings.IndexByte(all, 0) < 0
}
