package foreign

import (
	"encoding/json"

	"plimsoll/conversation/jsonl"
)

// Copilot CLI, ~/.copilot/session-state/SESSION/events.jsonl. A message of the user is what was typed, without what the
// client adds to it. Events of sub-agents are left out.

type copilot struct{ *builder }

type copilotLine struct {
	Type    string `json:"type"`
	Time    string `json:"timestamp"`
	AgentID string `json:"agentId"`
	Data    struct {
		Parent    string          `json:"parentToolCallId"`
		Model     string          `json:"model"`
		Selected  string          `json:"selectedModel"`
		Content   string          `json:"content"`
		Reasoning string          `json:"reasoningText"`
		CallID    string          `json:"toolCallId"`
		Success   bool            `json:"success"`
		Result    json.RawMessage `json:"result"`
		Calls     []struct {
			ID        string          `json:"toolCallId"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolRequests"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"data"`
}

func (c *copilot) add(raw []byte) error {
	var l copilotLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	d, at, meta := &l.Data, timeOf(l.Time), &c.session.Document.Meta
	if l.AgentID != "" || d.Parent != "" {
		c.session.leftOut["line of sub-agents"]++
		return nil
	}
	switch l.Type {
	case "session.start":
		meta.Created, meta.Model = at, d.Selected
	case "system.message":
		c.user(jsonl.RoleSystem, d.Content, at)
	case "user.message":
		c.user(jsonl.RoleUser, d.Content, at)
	case "assistant.message":
		c.open = -1
		m := c.reply(at)
		m.Text, m.Reply.Reasoning = d.Content, d.Reasoning
		if d.Model != "" {
			meta.Model = d.Model
		}
		for _, call := range d.Calls {
			c.call(m, call.ID, call.Name, arguments(call.Arguments))
		}
	case "tool.execution_complete":
		text := output(d.Result)
		join(&text, d.Error.Message)
		c.result(d.CallID, text, !d.Success, at)
	}
	return nil
}
