package history

import (
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// changes are the keys that change the conversation. Nothing is changed here: each is an action for the parent, or a word
// on why it cannot be.
type changes struct{ explainer }

// sayNotSaid is said of rows on which nothing can be done.
const sayNotSaid = "this is no message"

// noRow says why a row is not a message.
func (c *changes) noRow(it item) pane.Action {
	if it.kind == kindMessage && len(c.book.messages[it.at].Events) > 1 {
		return say("this stands for several messages"+keyFor(c.keys.Open, "goes to the originals"), true)
	}
	return say(sayNotSaid, true)
}

func (c *changes) pin(it item) pane.Action {
	r := c.book.row(it)
	switch {
	case r == nil:
		return c.noRow(it)
	case c.book.takenBack(r):
		return say("it was undone"+c.way(c.keys.Redo, "redoes it"), true)
	}
	return pane.Pin{Events: c.book.seqs(c.book.unit(r.Event)), Pinned: r.State != projection.StatePinned}
}

func (c *changes) mask(it item) pane.Action {
	r := c.book.row(it)
	if r == nil {
		return c.noRow(it)
	}
	switch {
	case c.book.takenBack(r):
		return say("it was undone"+c.way(c.keys.Redo, "redoes it"), true)
	case r.State == projection.StatePinned:
		return say("it is pinned"+c.way(c.keys.Pin, "unpins it"), true)
	case r.State == projection.StateSummarised || r.State == projection.StateDropped:
		return say("it is already "+stateWord(r.State, r.Why)+c.way(c.keys.Undo, "undoes that"), true)
	}
	var results []uint64
	switch c.book.Log[r.Event].Body.(type) {
	case conversation.ToolResult:
		if r.State == projection.StateMasked {
			return say("it is already masked"+c.way(c.keys.Pin, "pins it in full")+c.way(c.keys.Undo, "undoes the whole compaction"), true)
		}
		results = []uint64{c.book.Log[r.Event].Seq}
	case conversation.AssistantMessage:
		results = c.book.results(c.book.unit(r.Event))
	}
	if len(results) == 0 {
		return say("only tool results can be masked", true)
	}
	return pane.Mask{Events: results}
}

// undo undoes the compaction that shaped a row, or that a line is about.
func (c *changes) undo(it item) pane.Action {
	overlay := uint64(0)
	switch it.kind {
	case kindEvent:
		overlay = c.book.Log[it.at].Seq
	case kindSaid:
		overlay = c.book.rows[it.at].Overlay
		if c.book.rows[it.at].State == projection.StatePinned {
			return say("you pinned it"+c.way(c.keys.Pin, "unpins it"), true)
		}
	case kindMessage:
		overlay = c.book.messages[it.at].Overlay
		if c.book.messages[it.at].State == projection.StatePinned {
			return say("you pinned it"+c.way(c.keys.Pin, "unpins it"), true)
		}
	}
	i := c.book.index(overlay)
	if overlay == 0 || i < 0 {
		return say("no compaction changed this: it is sent in full", true)
	}
	return c.undoOf(i)
}

// undoOf undoes the compaction that an overlay belongs to, if it belongs to one.
func (c *changes) undoOf(i int) pane.Action {
	switch b := c.book.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		if c.book.undone(i) {
			return say("this compaction is already undone"+c.way(c.keys.Redo, "redoes the last undone one"), true)
		}
		return pane.Undo{Epoch: conversation.EpochOf(c.book.Log[i])}
	case conversation.Rewind:
		if b.Reply != 0 {
			return say("a request was sent again here", true)
		}
		if c.book.undone(i) {
			return say("these turns are already redone", true)
		}
		return say("turns were undone here"+c.way(c.keys.Redo, "redoes them"), true)
	case conversation.Pin:
		return say("unpin the message itself"+c.way(c.keys.Pin, "unpins it there"), true)
	case conversation.Revert:
		if at := c.book.index(b.Redoes); b.Redoes != 0 && at >= 0 && at < i {
			return c.undoOf(at)
		}
		return say("something was undone here"+c.way(c.keys.Redo, "redoes the last undone compaction"), true)
	}
	return say("this is no compaction", true)
}

// redo redoes a compaction; where a rewind hides a row, it restores the row's turns.
func (c *changes) redo(it item) pane.Action {
	if r := c.book.row(it); r != nil && c.book.takenBack(r) {
		return pane.Restore{}
	}
	if it.kind == kindEvent {
		if _, ok := c.book.Log[it.at].Body.(conversation.Rewind); ok && !c.book.undone(it.at) {
			return pane.Restore{}
		}
	}
	return pane.Redo{}
}

// resend rewinds turns, from that of a row on. It asks first: a second press in a row
// does it, so it gets the note that stood there.
func (c *changes) resend(it item, note string) pane.Action {
	if r := c.book.row(it); r != nil && c.book.takenBack(r) {
		return say("this turn was undone"+c.way(c.keys.Redo, "redoes it"), true)
	}
	turn := 0
	switch e := c.book.event(it); {
	case it.kind == kindMessage:
		turn = c.book.messages[it.at].Turn
	case e == nil:
		return say(sayNotSaid, true)
	default:
		turn = e.Turn
	}
	if c.book.turn(turn) < 0 {
		return say("no message of yours starts this turn", true)
	}
	question := plain.Line(c.keys.Resend.Help().Key + " again undoes " + c.turnsFrom(turn).String() + " and returns the message to the composer")
	if note != question {
		return say(question, false)
	}
	return Resend{Turn: turn}
}

// turnsFrom is a turn and the later ones that are not rewound yet.
func (c *changes) turnsFrom(turn int) edit.Range {
	last := turn
	for i := range c.book.rows {
		if r := &c.book.rows[i]; !c.book.takenBack(r) {
			last = max(last, c.book.Log[r.Event].Turn)
		}
	}
	return edit.Range{From: turn, To: last}
}

// fork continues behind the unit under the cursor; on a message of the user before it.
func (c *changes) fork(it item) pane.Action {
	e := c.book.event(it)
	if e == nil {
		return say(sayNotSaid, true)
	}
	at := c.book.index(e.Seq)
	if it.kind == kindMessage { // it may stand for several
		events := c.book.messages[it.at].Events
		at = max(at, c.book.index(events[len(events)-1]))
	}
	if _, users := e.Body.(conversation.UserMessage); users && c.book.Log[at].Seq == e.Seq {
		return Fork{Before: e.Seq}
	}
	unit := c.book.unit(at)
	behind := max(at, unit[len(unit)-1]) + 1
	for behind < len(c.book.Log) && c.book.Log[behind].Body.Kind() == conversation.KindUsage {
		behind++ // what a reply cost goes with it
	}
	return Fork{Before: c.book.Log[behind-1].Seq + 1}
}
