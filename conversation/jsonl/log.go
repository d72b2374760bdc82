package jsonl

import "plimsoll/conversation"

// How a log becomes messages: the newest system prompt comes first, then every
// user message, reply and result in order, whatever overlays hide of them.
// Notices, settings and overlays stay behind. A result that was cut has its
// full text where that still gives the same cut.

// client is who recorded what Of returns.
const client = "plimsoll"

// Of returns a log as a document. texts gives the texts that events name;
// false for one that cannot be read.
func Of(events []conversation.Event, texts func(name string) (string, bool)) Document {
	d := Document{Meta: Meta{Client: client}}
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
			m.Role, m.Text, m.Reply = RoleAssistant, b.Text, replyOf(b, d.Meta.Model)
			if u, ok := usage[e.Seq]; ok {
				m.Reply.Usage = reported(u, b.Model)
			}
		case conversation.ToolResult:
			m.Role = RoleTool
			m.Text, m.Result = resultOf(e.Seq, b, texts)
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
			if b.For == conversation.ForReply {
				usage[b.Reply] = b
			}
		}
	}
	return system, usage
}

// replyOf is a reply in a file whose meta line names a model.
func replyOf(b conversation.AssistantMessage, model string) Reply {
	r := Reply{Reasoning: b.Reasoning, Calls: b.Calls, Stop: b.Stop, Error: b.Error, Extras: b.Extras}
	if b.Model != model {
		r.Model = b.Model
	}
	return r
}

// reported is a report as it stands with its reply.
func reported(u conversation.Usage, model string) *conversation.Usage {
	u.Reply = 0
	if u.Model == model {
		u.Model = ""
	}
	return &u
}

// resultOf is the text of a result and the rest of it.
func resultOf(seq uint64, b conversation.ToolResult, texts func(string) (string, bool)) (string, Result) {
	r := Result{CallID: b.CallID, Tool: b.Tool, Status: b.Status, Detail: b.Detail, Duration: b.Duration}
	if b.Total == 0 {
		if n := b.Size.Chars(); n > conversation.ResultMaxChars {
			r.Shown = n // it was not cut here, so it is not to be cut elsewhere
		}
		return b.Text, r
	}
	if n, ok := conversation.Shown(b.Text, b.Total); ok && n > 0 {
		if full, found := texts(b.Blob); found {
			if cutFrom(full, n, seq, b) {
				r.Shown = n
				return full, r
			}
		}
	}
	r.Total = b.Total
	return b.Text, r
}

// cutFrom reports whether a result is what the first n characters of its full text
// and a marker make.
func cutFrom(full string, n int, seq uint64, b conversation.ToolResult) bool {
	for _, recall := range []string{recallID(seq), ""} {
		for _, names := range []bool{false, true} {
			if shown, total := (conversation.ArrivalCap{Chars: n, Names: names}).Apply(full, recall); total == b.Total && shown == b.Text {
				return true
			}
		}
	}
	return false
}
