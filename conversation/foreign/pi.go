package foreign

import (
	"encoding/json"

	"plimsoll/conversation/jsonl"
)

// pi, ~/.pi/agent/sessions/FOLDER/*.jsonl. Entries form a tree; the branch that ends with the last entry is read. A command
// that the user ran is a message, if the model saw it.

type pi struct {
	*builder
	parents map[string]string // of entries by id
	entries []string          // ids of the messages
	last    string
}

type piLine struct {
	Type, ID, ParentID, Timestamp, Name, ModelID string
	Content                                      json.RawMessage
	Message                                      struct {
		Role, Model, ToolCallID, ToolName, Command, Output string
		IsError, ExcludeFromContext                        bool
		Content                                            json.RawMessage
		Usage                                              map[string]int
	}
}

func (p *pi) add(raw []byte) error {
	var l piLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	at, m, meta := timeOf(l.Timestamp), &l.Message, &p.session.Document.Meta
	if l.Type == "session" {
		p.session.ID, meta.Created = l.ID, at
		return nil
	}
	p.parents[l.ID], p.last = l.ParentID, l.ID
	switch {
	case l.Type == "session_info":
		meta.Title = l.Name
	case l.Type == "custom_message":
		p.user(jsonl.RoleUser, contentOf(l.Content), at)
	case l.Type != "message":
	case m.Role == "user":
		p.user(jsonl.RoleUser, contentOf(m.Content), at)
	case m.Role == "bashExecution" && !m.ExcludeFromContext:
		p.user(jsonl.RoleUser, content{text: "Ran `" + m.Command + "`:\n\n" + m.Output}, at)
	case m.Role == "assistant":
		p.open = -1
		reply, u := p.reply(at), m.Usage
		reply.Reply.Usage = usage(u["input"]+u["cacheRead"]+u["cacheWrite"], u["cacheRead"], u["cacheWrite"], u["output"])
		p.parts(reply, partsOf(m.Content))
		meta.Model = m.Model
	case m.Role == "toolResult":
		p.tools[m.ToolCallID] = m.ToolName
		p.result(m.ToolCallID, contentOf(m.Content), m.IsError, at)
	}
	for len(p.entries) < len(p.messages()) {
		p.entries = append(p.entries, l.ID)
	}
	return nil
}

// keepBranch leaves out the messages that are not on the way from the last entry to the first one.
func (p *pi) keepBranch() {
	kept := map[string]bool{"": true} // version 1 has no ids
	for id := p.last; !kept[id]; id = p.parents[id] {
		kept[id] = true
	}
	all := p.messages()
	p.session.Document.Messages = nil
	for i, id := range p.entries {
		if kept[id] {
			p.session.Document.Messages = append(p.session.Document.Messages, all[i])
		} else {
			p.session.leftOut["message of other branches"]++
		}
	}
}
