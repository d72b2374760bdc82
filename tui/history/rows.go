package history

import (
	"slices"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// Facts about a row: its event and unit, its tokens before and after, the call that a result answers, and the event to which
// Enter goes.

// callsBack is how many events are searched for the call of a result.
const callsBack = 400

// historyRow returns the row of an item's original: of the event, or of the only event of a message. It is nil for other items.
func (d *document) historyRow(it item) *inspect.HistoryRow {
	switch it.kind {
	case kindOriginal:
		return &d.rows[it.at]
	case kindMessage:
		if events := d.messages[it.at].Events; len(events) == 1 {
			at := d.index(events[0])
			i, ok := slices.BinarySearchFunc(d.rows, at, func(r inspect.HistoryRow, at int) int { return r.Event - at })
			if ok {
				return &d.rows[i]
			}
		}
	}
	return nil
}

// unit returns the unit of an event, as indices into the log.
func (d *document) unit(event int) []int {
	if d.units == nil {
		d.units = conversation.Units(d.Log)
	}
	for _, u := range d.units {
		if slices.Contains(u.Events, event) {
			return u.Events
		}
	}
	return []int{event}
}

func (d *document) isSentUnchanged(r *inspect.HistoryRow) bool {
	if r.Message < 0 || !r.ShowsMessage {
		return false
	}
	s := &d.View.Messages[r.Message]
	if len(s.Events) != 1 {
		return false
	}
	switch original := d.Log[r.Event].Body.(type) {
	case conversation.UserMessage:
		return s.Text == original.Text
	case conversation.ToolResult:
		return s.Text == original.Text
	case conversation.AssistantMessage:
		return withCalls(s.Text, s.Calls) == withCalls(original.Text, original.Calls)
	}
	return false
}

// isReplaced reports whether another text is sent in place of this row.
func (d *document) isReplaced(r *inspect.HistoryRow) bool {
	return r.Message >= 0 && r.ShowsMessage && !d.isSentUnchanged(r)
}

// change formats the tokens before and after, once if they are the same.
func change(before, after int) string {
	if before == after {
		return pane.Tokens(after)
	}
	return pane.Tokens(before) + " → " + pane.Tokens(after)
}

// tokensOf formats the tokens of a row before and after, "" if the text that replaces it is in another row.
func (d *document) tokensOf(r *inspect.HistoryRow) string {
	before := d.tokens(r.Before)
	switch {
	case r.Message < 0:
		return change(before, 0)
	case !r.ShowsMessage:
		return ""
	}
	parts := d.replacing(r.Message)
	if len(parts[0].Events) == 1 {
		return change(before, d.tokens(r.After))
	}
	var originals, sent conversation.Size
	for i := range parts {
		originals, sent = originals.Plus(parts[i].Before), sent.Plus(parts[i].After())
	}
	return change(d.tokens(originals), d.tokens(sent))
}

// subjectOf returns the subject of the call that a result answers, "" if it is not among the events just before it.
func (d *document) subjectOf(seq uint64, id string) string {
	at := d.index(seq)
	for i := at - 1; i >= 0 && i >= at-callsBack; i-- {
		reply, ok := d.Log[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID == id {
				return subject(c)
			}
		}
	}
	return ""
}

// role is the role of a message's row, "" for other rows.
func (d *document) role(it item) projection.Role {
	switch it.kind {
	case kindMessage:
		return d.messages[it.at].Role
	case kindOriginal:
		switch d.Log[d.rows[it.at].Event].Body.(type) {
		case conversation.UserMessage:
			return projection.RoleUser
		case conversation.ToolResult:
			return projection.RoleTool
		}
		return projection.RoleAssistant
	}
	return ""
}

// isCutResult reports whether a row is a result that was cut when it arrived.
func (d *document) isCutResult(it item) bool {
	e := d.event(it)
	if e == nil || d.request != nil {
		return false
	}
	r, ok := e.Body.(conversation.ToolResult)
	return ok && r.Total > 0
}

// enterTarget returns the event to which Enter goes from an expanded row: for a summary the first event that it replaces, for
// a pointer to a repeated result that result. It is 0 if there is none.
func (d *document) enterTarget(it item) uint64 {
	switch it.kind {
	case kindOriginal:
		if r := &d.rows[it.at]; r.Message >= 0 {
			return d.View.Messages[r.Message].Repeats
		}
	case kindMessage:
		msg := &d.messages[it.at]
		if msg.Repeats == 0 && msg.State == projection.StateSummarised && len(msg.Events) > 0 {
			return msg.Events[0]
		}
		return msg.Repeats
	case kindEvent:
		if s, ok := d.Log[it.at].Body.(conversation.Summary); ok {
			if i := d.rowOfTurn(s.FromTurn); i >= 0 {
				return d.Log[d.rows[i].Event].Seq
			}
		}
	}
	return 0
}
