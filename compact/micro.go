package compact

import (
	"plimsoll/conversation"
)

// J-CLI's first layer (JCL): of the results older than the newest few, those
// over a size become a line, exempt tools' stay. Its own example shows two of
// three results replaced while three are kept; the rule wins.

// MicroItems chooses what the layer hides in a view, oldest first. What points to
// a result goes with it, or would stand in full next.
func MicroItems(v View, r Rules) []conversation.MaskItem {
	var results []*Message
	for i := range v.Messages {
		if v.Messages[i].Role == RoleTool {
			results = append(results, &v.Messages[i])
		}
	}
	var items []conversation.MaskItem
	chosen := map[uint64]bool{}
	for i := 0; i < len(results)-max(r.Micro.KeepRecent, 0); i++ {
		m := results[i]
		hidden := len(m.Text) <= r.Micro.MinBytes || m.State == StateMasked || m.State == StatePinned
		if r.Tools[m.Tool].Exempt || hidden && !chosen[m.Repeats] {
			continue
		}
		chosen[m.Events[0]] = true
		items = append(items, conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult})
	}
	return items
}

// JSONTokens is J-CLI's count of a view: the length of its messages as JSON, in
// bytes, by four (JCL).
func JSONTokens(v View) int {
	bytes := 2
	for i := range v.Messages {
		bytes += jsonBytes(&v.Messages[i]) + 1
	}
	return bytes / int(CharsPerToken)
}

// jsonBytes is the length of one message as the chat wire has it.
func jsonBytes(m *Message) int {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	wire := struct {
		Role    Role   `json:"role"`
		Content string `json:"content"`
		Calls   []call `json:"tool_calls,omitempty"`
		CallID  string `json:"tool_call_id,omitempty"`
	}{Role: m.Role, Content: m.Text, CallID: m.CallID}
	for _, c := range m.Calls {
		wire.Calls = append(wire.Calls, call{c.ID, "function", function{c.Name, c.Arguments}})
	}
	// Texts and numbers always encode.
	data, _ := conversation.EncodeJSON(wire)
	return len(data)
}
