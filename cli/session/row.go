package session

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// row is a message in `print --json`.
type row struct {
	Role      projection.Role  `json:"role"`
	Content   string           `json:"content"`
	Reasoning string           `json:"reasoning_content,omitempty"`
	Calls     []rowCall        `json:"tool_calls,omitempty"`
	CallID    string           `json:"tool_call_id,omitempty"`
	Name      string           `json:"name,omitempty"`
	Events    []uint64         `json:"x_events"`
	Turn      int              `json:"x_turn"`
	State     projection.State `json:"x_state"`
	// Images are those that are sent before the content; their bytes are not written.
	Images []conversation.Image `json:"x_images,omitempty"`
}

type rowCall struct {
	ID       string      `json:"id"`
	Type     string      `json:"type"`
	Function rowFunction `json:"function"`
}

type rowFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// NewRow converts a message of the view.
func NewRow(m *projection.Message) row {
	r := row{Role: m.Role, Content: m.Text, Reasoning: m.Reasoning, CallID: m.CallID, Name: m.Tool,
		Events: m.Events, Turn: m.Turn, State: m.State, Images: m.Images}
	if r.Events == nil {
		r.Events = []uint64{}
	}
	if m.Role != projection.RoleTool {
		r.Name = ""
	}
	for _, c := range m.Calls {
		r.Calls = append(r.Calls, rowCall{c.ID, "function", rowFunction{c.Name, c.Arguments}})
	}
	return r
}
