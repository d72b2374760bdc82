package foreign

import (
	"encoding/json"

	"plimsoll/conversation/jsonl"
)

// Claude Code, ~/.claude/projects/FOLDER/SESSION.jsonl. Rules:
//   - A reply stands on several lines with the same message id, a part on each, and results can stand between them.
//   - Lines of sub-agents (isSidechain), and lines that the client inserted (isMeta) or wrote as a reply, are left out.
//   - A prompt with the parent of an earlier prompt replaces that and all after it: the user went back.
//   - The summary of a compaction is a message of the user; it gets a heading.

// summaryHeading is above the summary of a compaction.
const summaryHeading = "[Summary by Claude Code of the conversation so far]\n\n"

type claude struct {
	*builder
	replies map[string]int // index of the message by message id
	prompts map[string]int // index of the newest prompt by its parent's id
}

type claudeLine struct {
	Type       string  `json:"type"`
	Parent     *string `json:"parentUuid"`
	Sidechain  bool    `json:"isSidechain"`
	Meta       bool    `json:"isMeta"`
	Summary    bool    `json:"isCompactSummary"`
	APIError   bool    `json:"isApiErrorMessage"`
	Time       string  `json:"timestamp"`
	Title      string  `json:"customTitle"`
	AITitle    string  `json:"aiTitle"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
	} `json:"attachment"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input   int `json:"input_tokens"`
			Written int `json:"cache_creation_input_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Output  int `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

func (c *claude) add(raw []byte) error {
	var l claudeLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta := &c.session.Document.Meta
	switch l.Type {
	case "custom-title":
		meta.Title = l.Title
	case "ai-title":
		if meta.Title == "" {
			meta.Title = l.AITitle
		}
	case "user", "assistant", "attachment":
		switch {
		case l.Sidechain:
			c.session.leftOut["line of sub-agents"]++
		case l.Meta || l.APIError || l.Message.Model == "<synthetic>":
			c.session.leftOut["line that Claude Code inserted"]++
		case l.Type == "user":
			c.user(&l)
		case l.Type == "assistant":
			c.assistant(&l)
		case l.Attachment.Type == "queued_command": // typed while the model worked
			c.builder.user(jsonl.RoleUser, textOf(l.Attachment.Prompt), timeOf(l.Time))
		}
	}
	return nil
}

func (c *claude) user(l *claudeLine) {
	at, text := timeOf(l.Time), ""
	for _, p := range partsOf(l.Message.Content) {
		if p.Type == "tool_result" {
			c.result(p.ToolUseID, textOf(p.Content), p.IsError, at)
		} else {
			join(&text, p.shown())
		}
	}
	if text == "" {
		return
	}
	if l.Summary {
		text = summaryHeading + text
	}
	if l.Parent != nil {
		if index, ok := c.prompts[*l.Parent]; ok && index <= len(c.messages()) {
			c.cutTo(index)
		}
		c.prompts[*l.Parent] = len(c.messages())
	}
	c.builder.user(jsonl.RoleUser, text, at)
}

func (c *claude) assistant(l *claudeLine) {
	index, ok := c.replies[l.Message.ID]
	if c.open = index; !ok || l.Message.ID == "" || index >= len(c.messages()) {
		c.open = -1
	}
	m := c.reply(timeOf(l.Time))
	c.replies[l.Message.ID] = c.open
	c.session.Document.Meta.Model = l.Message.Model
	if u := l.Message.Usage; u.Output > 0 {
		m.Reply.Usage = usage(u.Input+u.Cached+u.Written, u.Cached, u.Written, u.Output)
	}
	for _, p := range partsOf(l.Message.Content) {
		switch p.Type {
		case "thinking":
			join(&m.Reply.Reasoning, p.Thinking)
		case "redacted_thinking":
		case "tool_use":
			c.call(m, p.ID, p.Name, compact(p.Input))
		default:
			join(&m.Text, p.shown())
		}
	}
}
