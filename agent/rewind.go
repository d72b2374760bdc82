package agent

import (
	"context"

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
		if first, _ := a.compactor.manual.turnToRewind(turn, a.compactor.operations.restores()); first < 0 {
			a.updates.Put(Failed{Err: noSuchTurn()})
			return
		}
		if a.inTurn {
			a.turn.cancel(errCancelled)
			a.display.status(Status{Phase: Stopping})
			a.queue.giveBack()
		}
		a.compactor.operations.add(operation{what: opRewind, turn: turn})
	})
}

// rewind takes turns back, between two turns.
func (c *compactor) rewind(ctx context.Context, turn int) {
	if err := c.flush(ctx); err != nil {
		c.updates.Put(Failed{Err: err})
		return
	}
	first, text := c.manual.turnToRewind(turn, false)
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
