package projection

import (
	"sort"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// MessageOf is an event as it was said, but for Events; false for events that are
// not sent.
func MessageOf(e *conversation.Event) (Message, bool) {
	m := Message{Turn: e.Turn, State: StateVerbatim}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.Role, m.Text, m.Size = RoleUser, b.Text, b.Size
	case conversation.AssistantMessage:
		m.Role, m.Text, m.Size = RoleAssistant, b.Text, b.Size
		m.Reasoning, m.ReasoningSize = b.Reasoning, b.ReasoningSize
		m.Calls, m.Extras, m.Model = b.Calls, b.Extras, b.Model
	case conversation.ToolResult:
		m.Role, m.Text, m.Size = RoleTool, b.Text, b.Size
		m.CallID, m.Tool, m.Failed = b.CallID, b.Tool, b.Status != conversation.ResultOK
		if b.Total > 0 {
			m.State = StateCapped
			m.Why = "cut on arrival: " + numbers.Grouped(b.Total) + " characters"
			m.Before = conversation.Size{ASCII: b.Total}
		}
	default:
		return Message{}, false
	}
	if m.State == StateVerbatim {
		m.Before = m.After()
	}
	return m, true
}

func (m *Message) whole() bool { return m.Overlay == 0 && m.Repeats == 0 }

// ShowsInFull reports whether the view shows a result with this very text, so
// that a pointer to it tells as much.
func (v *View) ShowsInFull(seq uint64, text string) bool {
	i := sort.Search(len(v.Messages), func(i int) bool { return v.Messages[i].Events[0] >= seq })
	if i == len(v.Messages) {
		return false
	}
	m := &v.Messages[i]
	return m.Role == RoleTool && m.Events[0] == seq && m.whole() && m.Text == text
}

func (v *View) add(m Message) {
	v.Messages = append(v.Messages, m)
	m.AddTo(&v.Sizes)
}
