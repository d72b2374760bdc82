package foreign

import (
	"encoding/json"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

// Codex, ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl. Rules:
//   - The items of a reply have no common id: it ends at a message of the user, at the next text after a result, or where the
//     tokens of its request are counted.
//   - The items that were sent are read, not the events for the screen, which repeat them.
//   - Encrypted reasoning is left out.

type codex struct {
	*builder
	answered bool // a result stands after the open reply
}

type codexLine struct {
	Type    string `json:"type"`
	Time    string `json:"timestamp"`
	Payload struct {
		Type  string `json:"type"`
		Role  string `json:"role"`
		Model string `json:"model"` // of a turn

		Content   json.RawMessage `json:"content"`
		Summary   json.RawMessage `json:"summary"`
		Name      string          `json:"name"`
		CallID    string          `json:"call_id"`
		Arguments json.RawMessage `json:"arguments"`
		Input     json.RawMessage `json:"input"`
		Action    json.RawMessage `json:"action"`
		Output    json.RawMessage `json:"output"`
		Tools     json.RawMessage `json:"tools"`
		Message   string          `json:"message"`

		Instructions struct {
			Text string `json:"text"`
		} `json:"base_instructions"`
		Info struct {
			Last struct {
				Input  int `json:"input_tokens"`
				Cached int `json:"cached_input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"last_token_usage"`
		} `json:"info"`
	} `json:"payload"`
}

func (c *codex) add(raw []byte) error {
	var l codexLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	p, at, meta := &l.Payload, timeOf(l.Time), &c.session.Document.Meta
	switch l.Type {
	case "session_meta":
		if len(c.messages()) == 0 {
			meta.Created = at
			c.user(jsonl.RoleSystem, p.Instructions.Text, at)
		}
	case "turn_context":
		meta.Model = p.Model
	case "response_item":
		c.item(&l, at)
	case "event_msg":
		switch {
		case p.Type == "token_count" && c.open >= 0:
			last := p.Info.Last
			c.reply(at).Reply.Usage = usage(last.Input, last.Cached, 0, last.Output)
			c.open = -1
		case p.Type == "user_message" && meta.Title == "":
			meta.Title = conversation.OneLine(p.Message, maxTitle)
		}
	}
	return nil
}

func (c *codex) item(l *codexLine, at time.Time) {
	p := &l.Payload
	switch p.Type {
	case "message":
		switch p.Role {
		case "assistant":
			join(&c.next(at).Text, textOf(p.Content))
		case "user":
			c.user(jsonl.RoleUser, textOf(p.Content), at)
		default:
			c.user(jsonl.RoleSystem, textOf(p.Content), at)
		}
	case "reasoning":
		if text := textOf(p.Summary); text != "" {
			join(&c.next(at).Reply.Reasoning, text)
		} else if text = textOf(p.Content); text != "" {
			join(&c.next(at).Reply.Reasoning, text)
		}
	case "function_call":
		c.call(c.reply(at), p.CallID, p.Name, arguments(p.Arguments))
	case "custom_tool_call":
		input, _ := conversation.EncodeJSON(map[string]json.RawMessage{"input": p.Input}) // p.Input is JSON
		c.call(c.reply(at), p.CallID, p.Name, compact(input))
	case "local_shell_call":
		c.call(c.reply(at), p.CallID, "local_shell", compact(p.Action))
	case "tool_search_call":
		c.call(c.reply(at), p.CallID, "tool_search", arguments(p.Arguments))
	case "function_call_output", "custom_tool_call_output":
		c.answered = true
		c.result(p.CallID, output(p.Output), false, at)
	case "tool_search_output":
		c.answered = true
		c.result(p.CallID, compact(p.Tools), false, at)
	}
}

// next returns the open reply, or a new one if the open one has results already.
func (c *codex) next(at time.Time) *jsonl.Message {
	if c.answered {
		c.open = -1
	}
	c.answered = false
	return c.reply(at)
}

// arguments returns the arguments of a call, which are JSON or JSON in a text.
func arguments(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return compact(raw)
}

// output returns the text of a result: a content, or an object with one.
func output(raw json.RawMessage) string {
	var object struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &object) == nil && object.Content != nil {
		raw = object.Content
	}
	return textOf(raw)
}
