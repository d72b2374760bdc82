package jsonl

import "plimsoll/conversation"

// How a log becomes messages: the newest system prompt first, then every user message, reply and tool result in order, even
// if an overlay hides it. Notices, settings and overlays are left out. A shortened result gets its full text if that can
// be read.

// FromLog returns a log as a document. texts returns a stored text by the name that an event has for it, false if it cannot be
// read.
func FromLog(events []conversation.Event, texts func(name string) (string, bool)) Document {
	var d Document
	system, usage := d.Meta.gather(events)
	if text, ok := texts(system); ok && text != "" {
		d.Messages = append(d.Messages, Message{Role: RoleSystem, Text: text, Time: d.Meta.Created})
	}
	for _, e := range events {
		m := Message{Time: e.Time}
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			m.Role, m.Text = RoleUser, b.Text
		case conversation.AssistantMessage:
			m.Role, m.Text, m.Reply = RoleAssistant, b.Text, Reply{Reasoning: b.Reasoning, Calls: b.Calls, Stop: b.Stop}
			if u, ok := usage[e.Seq]; ok {
				m.Reply.Usage = &u
			}
		case conversation.ToolResult:
			m.Role, m.Text, m.Result = RoleTool, b.Text, Result{CallID: b.CallID, Tool: b.Tool, Status: b.Status}
			if full, ok := texts(b.Blob); ok && b.Total > 0 {
				m.Text = full
			}
		default:
			continue
		}
		d.Messages = append(d.Messages, m)
	}
	return d
}

// gather sets the metadata from a log. It returns the name of the newest system prompt, and the usage of each reply.
func (m *Meta) gather(events []conversation.Event) (system string, usage map[uint64]conversation.Usage) {
	usage = map[uint64]conversation.Usage{}
	if len(events) > 0 {
		m.Created = events[0].Time
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			system = b.System
		case conversation.Renamed:
			m.Title = b.Title
		case conversation.AssistantMessage:
			if b.Model != "" {
				m.Model = b.Model
			}
		case conversation.Usage:
			if b.Purpose == conversation.PurposeReply {
				usage[b.Reply] = b
			}
		}
	}
	return system, usage
}
