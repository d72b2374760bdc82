package history

import (
	"strings"

	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The keys that do something with a row. Nothing is changed here: each is an action for the parent, or a word on why it
// cannot be.

type (
	// Wanted asks for the request whose usage is this event, to be answered with
	// Request.
	Wanted struct{ Event uint64 }

	// Whole shows all of a result that was cut when it arrived.
	Whole struct{ Event uint64 }

	// Copy puts a text on the clipboard. What names it in a word or two.
	Copy struct{ Text, What string }

	// Fork continues in a copy of the conversation that holds the events before one.
	Fork struct{ Before uint64 }

	// Resend rewinds a turn and all that follows it, and returns its message for editing.
	Resend struct{ Turn int }

	// Note is what the history tells the reader in a line of its own, until the next
	// key; Bad says that something did not work.
	Note struct {
		Text string
		Bad  bool
	}
)

// say tells the reader something, no says that a key does nothing here and why.
func say(text string) pane.Action { return Note{Text: plain.Line(text)} }
func no(text string) pane.Action  { return Note{Text: plain.Line(text), Bad: true} }

// Why nothing can be done with some rows.
const (
	noMessage = "this is no message"
	wasUndone = "it was undone: redo it first"
)

func (b *book) pin(it item) pane.Action {
	r := b.row(it)
	switch {
	case r == nil:
		return no(noMessage)
	case b.takenBack(r):
		return no(wasUndone)
	}
	return pane.Pin{Events: b.seqs(b.unit(r.Event)), Pinned: r.State != projection.StatePinned}
}

func (b *book) mask(it item) pane.Action {
	r := b.row(it)
	switch {
	case r == nil:
		return no(noMessage)
	case b.takenBack(r):
		return no(wasUndone)
	case r.State != projection.StateVerbatim && r.State != projection.StateCapped:
		return no("it is already " + stateWord(r.State, r.Why))
	}
	var results []uint64
	switch b.Log[r.Event].Body.(type) {
	case conversation.ToolResult:
		results = []uint64{b.Log[r.Event].Seq}
	case conversation.AssistantMessage:
		results = b.results(b.unit(r.Event))
	}
	if len(results) == 0 {
		return no("only tool results can be masked")
	}
	return pane.Mask{Events: results}
}

// undo undoes the compaction that shaped a row, or that a line is about.
func (b *book) undo(it item) pane.Action {
	overlay := uint64(0)
	switch it.kind {
	case kindEvent:
		overlay = b.Log[it.at].Seq
	case kindSaid:
		overlay = b.rows[it.at].Overlay
	case kindMessage:
		overlay = b.messages[it.at].Overlay
	}
	if i := b.index(overlay); overlay != 0 && i >= 0 {
		return b.undoOf(i)
	}
	return no("no compaction changed this: it is sent in full")
}

// undoOf undoes the compaction that an overlay belongs to, if it belongs to one.
func (b *book) undoOf(i int) pane.Action {
	body := b.Log[i].Body
	if again, ok := body.(conversation.Revert); ok {
		if at := b.index(again.Redoes); again.Redoes != 0 && at >= 0 && at < i {
			return b.undoOf(at)
		}
	}
	_, rewind := body.(conversation.Rewind)
	switch {
	case rewind:
		return no("this is no compaction: redo restores the turns")
	case !compacts(body):
		return no("this is no compaction")
	case b.undone(i):
		return no("this compaction is already undone")
	}
	return pane.Undo{Epoch: conversation.EpochOf(b.Log[i])}
}

// redo redoes a compaction; where a rewind hides a row, it restores the row's turns.
func (b *book) redo(it item) pane.Action {
	if r := b.row(it); r != nil && b.takenBack(r) {
		return pane.Restore{}
	}
	if it.kind == kindEvent {
		if _, ok := b.Log[it.at].Body.(conversation.Rewind); ok && !b.undone(it.at) {
			return pane.Restore{}
		}
	}
	return pane.Redo{}
}

// resend rewinds turns, from that of a row on. It asks first: a second press in a row does it, so it gets the note that
// stood there.
func (m *Model) resend(it item) pane.Action {
	b := m.book
	if r := b.row(it); r != nil && b.takenBack(r) {
		return no(wasUndone)
	}
	turn := 0
	switch e := b.event(it); {
	case it.kind == kindMessage:
		turn = b.messages[it.at].Turn
	case e == nil:
		return no(noMessage)
	default:
		turn = e.Turn
	}
	if b.turn(turn) < 0 {
		return no("no message of yours starts this turn")
	}
	last := turn
	for i := range b.rows {
		if r := &b.rows[i]; !b.takenBack(r) {
			last = max(last, b.Log[r.Event].Turn)
		}
	}
	question := say(m.keys.Resend.Help().Key + " again undoes " + edit.Range{From: turn, To: last}.String() + " and returns the message to the composer")
	if question != m.was {
		return question
	}
	return Resend{Turn: turn}
}

// fork continues behind the unit under the cursor; on a message of the user before it.
func (b *book) fork(it item) pane.Action {
	e := b.event(it)
	if e == nil {
		return no(noMessage)
	}
	at := b.index(e.Seq)
	if it.kind == kindMessage { // it may stand for several
		events := b.messages[it.at].Events
		at = max(at, b.index(events[len(events)-1]))
	}
	if _, users := e.Body.(conversation.UserMessage); users && b.Log[at].Seq == e.Seq {
		return Fork{Before: e.Seq}
	}
	unit := b.unit(at)
	behind := max(at, unit[len(unit)-1]) + 1
	for behind < len(b.Log) && b.Log[behind].Body.Kind() == conversation.KindUsage {
		behind++ // what a reply cost goes with it
	}
	return Fork{Before: b.Log[behind-1].Seq + 1}
}

// copy copies the text of a row.
func (m *Model) copy(it item) pane.Action {
	what, text := m.book.text(it)
	return Copy{Text: text, What: what}
}

// text is all of a row as it is in the log, without marks, wraps and folds, and what it is. In a request, and where there is
// no original, it is what was sent.
func (b *book) text(it item) (what, text string) {
	switch it.kind {
	case kindEvent:
		return "the line", b.words(it.at)
	case kindPrompt, kindTools:
		return b.request.instructions(it.kind)
	case kindMessage:
		msg := &b.messages[it.at]
		if b.request != nil || len(msg.Events) != 1 || b.event(it) == nil {
			return "the message as it is sent", withCalls(msg.Text, msg.Calls)
		}
	}
	switch body := b.event(it).Body.(type) {
	case conversation.AssistantMessage:
		return "the reply", withCalls(body.Text, body.Calls)
	case conversation.ToolResult:
		return "the result", body.Text
	case conversation.UserMessage:
		return "the message", body.Text
	}
	return "the message", ""
}

// withCalls is a text and the calls behind it.
func withCalls(text string, calls []conversation.ToolCall) string {
	if len(calls) == 0 {
		return text
	}
	parts := make([]string, 0, len(calls)+1)
	if text != "" {
		parts = append(parts, text)
	}
	for _, call := range calls {
		parts = append(parts, call.Name+" "+call.Arguments)
	}
	return strings.Join(parts, "\n")
}

// why says in a line why a row looks as it does: what happened to it, and which overlay did it, when, and for whom.
func (d *drawer) why(it item) string {
	b := d.book
	switch it.kind {
	case kindSaid:
		r := &b.rows[it.at]
		switch {
		case b.takenBack(r):
			return "undone with its turn" + d.by(r.Overlay)
		case isPart(r) && b.side == sideBoth:
			return partOf(r) + d.by(r.Overlay)
		}
		return because(r.State, r.Why) + d.by(r.Overlay)
	case kindEvent:
		switch e := &b.Log[it.at]; {
		case compacts(e.Body) && !b.undone(it.at):
			return "compaction active"
		case compacts(e.Body):
			return "compaction undone: it hides nothing"
		}
		return b.words(it.at)
	case kindMessage:
		msg := &b.messages[it.at]
		if len(msg.Events) == 0 {
			return "added by Plimsoll: " + orElse(plain.Line(msg.Why), "it makes the request valid")
		}
		return because(msg.State, msg.Why) + d.by(msg.Overlay)
	case kindPrompt:
		return "the system prompt: rebuilt for every request, never compacted"
	}
	return "the tools that the model could call"
}

// because explains a state.
func because(state projection.State, why string) string {
	word := stateWord(state, why)
	switch why = plain.Line(why); {
	case state == projection.StateVerbatim:
		return orElse(why, "sent in full")
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

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// by names the overlay that shaped a row.
func (d *drawer) by(overlay uint64) string {
	i := d.book.index(overlay)
	if overlay == 0 || i < 0 {
		return ""
	}
	e := d.book.Log[i]
	made, _ := conversation.OriginOf(e.Body)
	text := " · " + eventName(conversation.EpochOf(e)) + " at " + clock(e.Time, d.zone) + by(made)
	if made.Source == conversation.SourceManual {
		text += " by hand"
	}
	if made.Trigger != "" && made.Trigger != "command" {
		text += " (" + plain.Line(made.Trigger) + ")"
	}
	return text
}
