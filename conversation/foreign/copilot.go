package foreign

import (
	"encoding/json"

	"plimsoll/conversation/jsonl"
)

// Copilot CLI, ~/.copilot/session-state/SESSION/events.jsonl. A message of the user is what was typed, without what the
// client adds to it. Events of sub-agents are left out.

type copilot struct{ *builder }

type copilotLine struct {
	Type, Timestamp, AgentID string
	Data                     struct {
		ParentToolCallID, Model, SelectedModel, Content, ReasoningText, ToolCallID, SessionID string
		Success                                                                               bool
		Result                                                                                json.RawMessage
		Error                                                                                 struct{ Message string }
		ToolRequests                                                                          []struct {
			ToolCallID, Name string
			Arguments        json.RawMessage
		}
	}
}

func (c *copilot) add(raw []byte) error {
	var l copilotLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	d, at, meta := &l.Data, timeOf(l.Timestamp), &c.session.Document.Meta
	if l.AgentID != "" || d.ParentToolCallID != "" {
		c.session.leftOut["line of sub-agents"]++
		return nil
	}
	switch l.Type {
	case "session.start":
		c.session.ID, meta.Created, meta.Model = d.SessionID, at, d.SelectedModel
	case "system.message":
		c.user(jsonl.RoleSystem, content{text: d.Content}, at)
	case "user.message":
		c.user(jsonl.RoleUser, content{text: d.Content}, at)
	case "assistant.message":
		c.open = -1
		m := c.reply(at)
		m.Text, m.Reply.Reasoning = d.Content, d.ReasoningText
		if d.Model != "" {
			meta.Model = d.Model
		}
		for _, call := range d.ToolRequests {
			c.call(m, call.ToolCallID, call.Name, arguments(call.Arguments))
		}
	case "tool.execution_complete":
		out := output(d.Result)
		join(&out.text, d.Error.Message)
		c.result(d.ToolCallID, out, !d.Success, at)
	}
	return nil
}
