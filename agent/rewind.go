package agent

import (
	"context"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// opRewind takes turns back.
const opRewind compact.Deed = "rewind"

// Rewind takes the turns from one on back, negative for the newest; what the
// user said in the first of them comes back to the composer. A turn that runs is
// stopped before. Nothing is deleted.
func (a *Agent) Rewind(turn int) {
	a.inbox.put(func(context.Context) {
		if first, _ := a.compactor.turnToRewind(turn, a.compactor.restores()); first < 0 {
			a.updates.Put(Failed{Err: noSuchTurn()})
			return
		}
		if a.inTurn {
			a.turn.cancel(errCancelled)
			a.display.status(Status{Phase: Stopping})
			a.queue.giveBack()
		}
		a.compactor.enqueue(operation{what: opRewind, turn: turn})
	})
}

// restores reports whether turns that were taken back are about to come back.
func (c *compactor) restores() bool {
	return slices.ContainsFunc(c.operations, func(d operation) bool { return d.what == opRestore })
}

// rewind takes turns back, between two turns.
func (c *compactor) rewind(ctx context.Context, turn int) {
	if err := c.flush(ctx); err != nil {
		c.updates.Put(Failed{Err: err})
		return
	}
	first, text := c.turnToRewind(turn, false)
	if first < 0 {
		c.updates.Put(Failed{Err: noSuchTurn()})
		return
	}
	made := conversation.Made{Epoch: c.nextSeq(), Source: conversation.SourceManual, Trigger: string(opRewind)}
	if _, err := c.append(ctx, conversation.Rewind{Made: made, Turn: first}); err != nil {
		c.updates.Put(Failed{Err: AsError(err)})
		return
	}
	c.dropReverted()
	c.queue.giveBack(text)
}

func noSuchTurn() *Error {
	return &Error{
		Class: BadRequest, Message: "there is no such turn to take back", Hint: "turns are counted from 0, as plimsoll print shows them",
	}
}

// turnToRewind is the first turn that a rewind takes back, and what the user
// said there; -1 if there is none. With back turns that were taken back count as
// well: they are about to be there again.
func (c *compactor) turnToRewind(turn int, back bool) (first int, text string) {
	events := c.log.Events()
	var gone []uint64
	if !back {
		gone = conversation.TakenBack(events)
	}
	first = -1
	for i, e := range events {
		m, said := e.Body.(conversation.UserMessage)
		if !said || gone != nil && gone[i] != 0 {
			continue
		}
		if turn < 0 || e.Turn == turn {
			first, text = e.Turn, m.Text
		}
	}
	return first, text
}
