package jsonl

import "plimsoll/conversation"

// How a log becomes messages: the newest system prompt comes first, then every
// user message, reply and result in order, whatever overlays hide of them.
// Notices, settings and overlays stay behind. A result that was cut has its
// full text where that can be read.

// Of returns a log as a document. texts gives the texts that events name;
// false for one that cannot be read.
func Of(events []conversation.Event, texts func(name string) (string, bool)) Document {
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

// gather takes in what a file says about a log as a whole, and returns the name
// of the newest system prompt and the reports by reply.
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
