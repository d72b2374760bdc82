package history

import (
	"cmp"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The keys that act on a row. They change nothing themselves: each returns an action for the parent, or a message that says why
// it is not possible.

type (
	// RebuildRequest asks for the request whose usage is this event. The parent answers with [Model.Request].
	RebuildRequest struct{ Event uint64 }

	// ShowWhole asks to show all of a result that was cut when it arrived.
	ShowWhole struct{ Event uint64 }

	// Fork asks for a copy of the conversation with the events before this one.
	Fork struct{ Before uint64 }

	// Resend asks to rewind to before a turn, and to return its message to the composer.
	Resend struct{ Turn int }
)

// note returns a message, and refusal one that says why a key does nothing here.
func note(text string) pane.Action    { return pane.Snackbar{Text: plain.Line(text)} }
func refusal(text string) pane.Action { return pane.Snackbar{Text: plain.Line(text), Failure: true} }

// Reasons of refusals.
const (
	noMessage = "this is no message"
	wasUndone = "it was undone: redo it first"
)

// rowInForce returns the row of an item's original, or why it cannot be changed.
func (d *document) rowInForce(it item) (*inspect.HistoryRow, pane.Action) {
	r := d.historyRow(it)
	switch {
	case r == nil:
		return nil, refusal(noMessage)
	case d.isRewound(r):
		return nil, refusal(wasUndone)
	}
	return r, nil
}

func (d *document) pin(it item) pane.Action {
	r, why := d.rowInForce(it)
	if r == nil {
		return why
	}
	var events []uint64
	for _, at := range d.unit(r.Event) {
		events = append(events, d.Log[at].Seq)
	}
	return pane.Pin{Events: events, Pinned: r.State != projection.StatePinned}
}

func (d *document) mask(it item) pane.Action {
	r, why := d.rowInForce(it)
	switch {
	case r == nil:
		return why
	case r.State != projection.StateVerbatim && r.State != projection.StateCapped:
		return refusal("it is already " + stateWord(r.State, r.Why))
	}
	events, results := []int{r.Event}, []uint64(nil)
	if _, reply := d.Log[r.Event].Body.(conversation.AssistantMessage); reply {
		events = d.unit(r.Event)
	}
	for _, i := range events {
		if _, ok := d.Log[i].Body.(conversation.ToolResult); ok {
			results = append(results, d.Log[i].Seq)
		}
	}
	if len(results) == 0 {
		return refusal("only tool results can be shortened")
	}
	return pane.Mask{Events: results}
}

// undo undoes the compaction that changed a row, or that the row shows.
func (d *document) undo(it item) pane.Action {
	overlay := uint64(0)
	switch it.kind {
	case kindEvent:
		overlay = d.Log[it.at].Seq
	case kindOriginal:
		overlay = d.rows[it.at].Overlay
	case kindMessage:
		overlay = d.messages[it.at].Overlay
	}
	if i := d.index(overlay); overlay != 0 && i >= 0 {
		return d.undoAt(i)
	}
	return refusal("no compaction changed this: it is sent in full")
}

// undoAt undoes the compaction to which the event at an index belongs.
func (d *document) undoAt(i int) pane.Action {
	body := d.Log[i].Body
	if again, ok := body.(conversation.Revert); ok {
		if at := d.index(again.Redoes); again.Redoes != 0 && at >= 0 && at < i {
			return d.undoAt(at)
		}
	}
	switch {
	case body.Kind() == conversation.KindRewind:
		return refusal("this is no compaction: redo restores the turns")
	case !isCompaction(body):
		return refusal("this is no compaction")
	case d.isUndone(i):
		return refusal("this compaction is already undone")
	}
	return pane.Undo{Epoch: conversation.EpochOf(d.Log[i])}
}

// redo redoes a compaction. In a row that a rewind hides, it restores the turns.
func (d *document) redo(it item) pane.Action {
	if r := d.historyRow(it); r != nil && d.isRewound(r) {
		return pane.Restore{}
	}
	if it.kind == kindEvent && d.Log[it.at].Body.Kind() == conversation.KindRewind && !d.isUndone(it.at) {
		return pane.Restore{}
	}
	return pane.Redo{}
}

// resend rewinds to before the turn of a row. The first press asks for confirmation; a second press right after it rewinds.
func (m *Model) resend(it item) pane.Action {
	d := m.document
	if r := d.historyRow(it); r != nil && d.isRewound(r) {
		return refusal(wasUndone)
	}
	turn := 0
	switch e := d.event(it); {
	case it.kind == kindMessage:
		turn = d.messages[it.at].Turn
	case e == nil:
		return refusal(noMessage)
	default:
		turn = e.Turn
	}
	if d.rowOfTurn(turn) < 0 {
		return refusal("no message of yours starts this turn")
	}
	last := turn
	for i := range d.rows {
		if r := &d.rows[i]; !d.isRewound(r) {
			last = max(last, d.Log[r.Event].Turn)
		}
	}
	question := m.keys.Resend.Help().Key + " again undoes " + pane.Turns(turn, last) + " and returns the message to the composer"
	if question != m.asked {
		m.asking = question
		return nil
	}
	return Resend{Turn: turn}
}

// fork forks after the unit with the cursor, or before it if that is a user message.
func (d *document) fork(it item) pane.Action {
	e := d.event(it)
	if e == nil {
		return refusal(noMessage)
	}
	at := d.index(e.Seq)
	if it.kind == kindMessage { // a summary replaces several events
		events := d.messages[it.at].Events
		at = max(at, d.index(events[len(events)-1]))
	}
	if _, users := e.Body.(conversation.UserMessage); users && d.Log[at].Seq == e.Seq {
		return Fork{Before: e.Seq}
	}
	unit := d.unit(at)
	end := max(at, unit[len(unit)-1]) + 1
	for end < len(d.Log) && d.Log[end].Body.Kind() == conversation.KindUsage {
		end++ // the usage of a reply belongs to it
	}
	return Fork{Before: d.Log[end-1].Seq + 1}
}

// textOf returns the whole text of a row as it is in the log, and what it is in a few words. In a request, and for a row without
// an original, it is the text that was sent.
func (d *document) textOf(it item) pane.Copy {
	switch it.kind {
	case kindEvent:
		return pane.Copy{What: "the line", Text: d.describe(it.at)}
	case kindPrompt, kindTools:
		what, text := d.request.instructions(it.kind)
		return pane.Copy{What: what, Text: text}
	case kindMessage:
		msg := &d.messages[it.at]
		if d.request != nil || len(msg.Events) != 1 || d.event(it) == nil {
			return pane.Copy{What: "the message as it is sent", Text: withCalls(msg.Text, msg.Calls)}
		}
	}
	switch body := d.event(it).Body.(type) {
	case conversation.AssistantMessage:
		return pane.Copy{What: "the reply", Text: withCalls(body.Text, body.Calls)}
	case conversation.ToolResult:
		return pane.Copy{What: "the result", Text: body.Text}
	case conversation.UserMessage:
		return pane.Copy{What: "the message", Text: body.Text}
	}
	return pane.Copy{What: "the message"}
}

func withCalls(text string, calls []conversation.ToolCall) string {
	for _, call := range calls {
		between := ""
		if text != "" {
			between = "\n"
		}
		text += between + call.Name + " " + call.Arguments
	}
	return text
}

// explainRow says in one line how a row is sent and why: which overlay changed it, when, and who caused that.
func (d *drawer) explainRow(it item) string {
	doc := d.document
	switch it.kind {
	case kindOriginal:
		r := &doc.rows[it.at]
		switch {
		case doc.isRewound(r):
			return "undone with its turn" + d.changedBy(r.Overlay)
		case isPart(r) && doc.side == sideBoth:
			return partOf(r) + d.changedBy(r.Overlay)
		}
		return explainState(r.State, r.Why) + d.changedBy(r.Overlay)
	case kindEvent: // its row says all
		return ""
	case kindMessage:
		msg := &doc.messages[it.at]
		if len(msg.Events) == 0 {
			return "added by Plimsoll: " + cmp.Or(plain.Line(msg.Why), "it makes the request valid")
		}
		return explainState(msg.State, msg.Why) + d.changedBy(msg.Overlay)
	case kindPrompt:
		return "the system prompt: rebuilt for every request, never compacted"
	}
	return "the tools that the model could call"
}

func explainState(state projection.State, why string) string {
	word := stateWord(state, why)
	switch why = plain.Line(pane.Reason(why)); {
	case state == projection.StateVerbatim:
		return cmp.Or(why, "sent in full")
	case state == projection.StatePinned:
		return "pinned: always sent in full"
	case state == projection.StateDropped && why == "":
		return "not sent, and nothing replaces it"
	case why == "":
		return word
	case strings.HasPrefix(why, word):
		return why
	}
	return word + ": " + why
}

// changedBy says which overlay changed a row, when, and who caused it.
func (d *drawer) changedBy(overlay uint64) string {
	i := d.document.index(overlay)
	if overlay == 0 || i < 0 {
		return ""
	}
	e := d.document.Log[i]
	origin, _ := conversation.OriginOf(e.Body)
	text := " · " + eventName(conversation.EpochOf(e)) + " at " + clock(e.Time, d.zone) + causedBy(origin)
	if origin.Source == conversation.SourceManual {
		text += " by you"
	}
	if origin.Trigger != "" && origin.Trigger != "command" {
		text += " (" + plain.Line(origin.Trigger) + ")"
	}
	return text
}
