package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
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
	Type, Timestamp string
	Payload         struct {
		Type, Role, Model, Name, Message, ID                              string
		CallID                                                            string `json:"call_id"`
		Content, Summary, Arguments, Input, Action, Output, Tools, Source json.RawMessage
		Item                                                              part
		Instructions                                                      part `json:"base_instructions"`
		Info                                                              struct {
			Last map[string]int `json:"last_token_usage"`
		}
	}
}

func (c *codex) add(raw []byte) error {
	var l codexLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	p, at, meta := &l.Payload, timeOf(l.Timestamp), &c.session.Document.Meta
	switch l.Type {
	case "session_meta":
		if len(c.messages()) == 0 {
			c.session.ID, meta.Created, c.session.SubAgent = p.ID, at, bytes.Contains(p.Source, []byte(`"subagent"`))
			c.user(jsonl.RoleSystem, content{text: p.Instructions.Text}, at)
		}
	case "turn_context":
		meta.Model = p.Model
	case "response_item":
		c.item(&l, at)
	case "event_msg":
		switch {
		case p.Type == "token_count" && c.open >= 0:
			last := p.Info.Last
			c.reply(at).Reply.Usage = usage(last["input_tokens"], last["cached_input_tokens"], 0, last["output_tokens"])
			c.open = -1
		case meta.Title == "" && (p.Type == "user_message" || p.Item.Type == "UserMessage"):
			meta.Title = conversation.OneLine(p.Message+textOf(p.Item.Content), maxTitle)
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
			c.user(jsonl.RoleUser, contentOf(p.Content), at)
		default:
			c.user(jsonl.RoleSystem, contentOf(p.Content), at)
		}
	case "reasoning":
		if text := cmp.Or(textOf(p.Summary), textOf(p.Content)); text != "" {
			join(&c.next(at).Reply.Reasoning, text)
		}
	case "custom_tool_call":
		input, _ := conversation.EncodeJSON(map[string]json.RawMessage{"input": p.Input}) // p.Input is JSON
		c.call(c.reply(at), p.CallID, p.Name, arguments(input))
	case "function_call", "local_shell_call", "tool_search_call":
		name := cmp.Or(p.Name, strings.TrimSuffix(p.Type, "_call"))
		c.call(c.reply(at), p.CallID, name, arguments(append(p.Arguments, p.Action...)))
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		c.answered = true
		out := output(p.Output)
		if p.Tools != nil {
			out = content{text: arguments(p.Tools)}
		}
		c.result(p.CallID, out, false, at)
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

// output returns what a result has: a content, or an object with one.
func output(raw json.RawMessage) content {
	var object struct{ Content json.RawMessage }
	if json.Unmarshal(raw, &object) == nil && object.Content != nil {
		raw = object.Content
	}
	return contentOf(raw)
}
