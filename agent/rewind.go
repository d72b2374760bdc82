package agent

import (
	"context"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// deedRewind takes turns back.
const deedRewind compact.Deed = "rewind"

// Rewind takes the turns from one on back, negative for the newest; what the
// user said in the first of them comes back to the composer. A turn that runs is
// stopped before. Nothing is deleted.
func (a *Agent) Rewind(turn int) {
	a.inbox.put(func(context.Context) {
		if first, _ := a.turnToRewind(turn, a.restores()); first < 0 {
			a.updates.Put(Failed{Err: noSuchTurn()})
			return
		}
		if a.turn != nil {
			a.turn.cancel(errCancelled)
			a.status(Status{Phase: Stopping})
			a.giveBack()
		}
		a.order(deed{what: deedRewind, turn: turn})
	})
}

// restores reports whether turns that were taken back are about to come back.
func (a *Agent) restores() bool {
	return slices.ContainsFunc(a.compaction.deeds, func(d deed) bool { return d.what == deedRestore })
}

// rewind takes turns back, between two turns.
func (a *Agent) rewind(ctx context.Context, turn int) {
	if err := a.flush(ctx); err != nil {
		a.updates.Put(Failed{Err: err})
		return
	}
	first, text := a.turnToRewind(turn, false)
	if first < 0 {
		a.updates.Put(Failed{Err: noSuchTurn()})
		return
	}
	made := conversation.Made{Epoch: a.nextSeq(), Source: conversation.SourceManual, Trigger: string(deedRewind)}
	if _, err := a.append(ctx, conversation.Rewind{Made: made, Turn: first}); err != nil {
		a.updates.Put(Failed{Err: AsError(err)})
		return
	}
	a.dropReverted()
	a.giveBack(text)
}

func noSuchTurn() *Error {
	return &Error{
		Class: BadRequest, Message: "there is no such turn to take back", Hint: "turns are counted from 0, as plimsoll print shows them",
	}
}

// turnToRewind is the first turn that a rewind takes back, and what the user
// said there; -1 if there is none. With back turns that were taken back count as
// well: they are about to be there again.
func (a *Agent) turnToRewind(turn int, back bool) (first int, text string) {
	events := a.log.Events()
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
