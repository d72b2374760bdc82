package foreign

import (
	"cmp"
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
	Type, Timestamp, CustomTitle, AITitle, SessionID         string
	ParentUUID                                               *string
	IsSidechain, IsMeta, IsCompactSummary, IsAPIErrorMessage bool
	Attachment                                               struct {
		Type   string
		Prompt json.RawMessage
	}
	Message struct {
		ID, Model string
		Content   json.RawMessage
		Usage     map[string]int
	}
}

func (c *claude) add(raw []byte) error {
	var l claudeLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta := &c.session.Document.Meta
	switch l.Type {
	case "custom-title":
		meta.Title = l.CustomTitle
	case "ai-title":
		meta.Title = cmp.Or(meta.Title, l.AITitle)
	case "user", "assistant", "attachment":
		switch {
		case l.IsSidechain:
			c.session.leftOut["line of sub-agents"]++
		case l.IsMeta || l.IsAPIErrorMessage || l.Message.Model == "<synthetic>":
			c.session.leftOut["line that Claude Code inserted"]++
		case l.Type == "user":
			c.session.ID = l.SessionID // of the newest line: older versions copied those of a session that they resumed
			c.user(&l)
		case l.Type == "assistant":
			c.assistant(&l)
		case l.Attachment.Type == "queued_command": // typed while the model worked
			c.builder.user(jsonl.RoleUser, contentOf(l.Attachment.Prompt), timeOf(l.Timestamp))
		}
	}
	return nil
}

func (c *claude) user(l *claudeLine) {
	at, typed, answers := timeOf(l.Timestamp), content{}, false
	for _, p := range partsOf(l.Message.Content) {
		if p.Type == "tool_result" {
			c.result(p.ToolUseID, contentOf(p.Content), p.IsError, at)
			answers = true
		} else {
			typed.add(&p)
		}
	}
	if typed.text == "" && typed.images == nil {
		return
	}
	if l.IsCompactSummary {
		typed.text = summaryHeading + typed.text
	}
	if l.ParentUUID != nil && !answers {
		if index, ok := c.prompts[*l.ParentUUID]; ok && index <= len(c.messages()) {
			c.cutTo(index)
		}
		c.prompts[*l.ParentUUID] = len(c.messages())
	}
	c.builder.user(jsonl.RoleUser, typed, at)
}

func (c *claude) assistant(l *claudeLine) {
	index, ok := c.replies[l.Message.ID]
	if c.open = index; !ok || l.Message.ID == "" || index >= len(c.messages()) {
		c.open = -1
	}
	m := c.reply(timeOf(l.Timestamp))
	c.replies[l.Message.ID] = c.open
	c.session.Document.Meta.Model = l.Message.Model
	if u := l.Message.Usage; u != nil {
		written, cached := u["cache_creation_input_tokens"], u["cache_read_input_tokens"]
		m.Reply.Usage = usage(u["input_tokens"]+cached+written, cached, written, u["output_tokens"])
	}
	c.parts(m, partsOf(l.Message.Content))
}
