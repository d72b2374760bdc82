package agent

import (
	"context"
	"maps"
	"slices"

	"plimsoll/agent/compactor"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
)

// What the user asks for besides messages is put into the inbox, like everything that is asked of the
// agent, and carried out by the goroutine that owns the conversation.

// Review takes a summary in that waits for the user, with the text he made of it,
// or gives it up. It does nothing where none waits any more. updates.Edited tells if the
// text cannot be taken; the summary then waits on.
func (a *Agent) Review(text string, accept bool) {
	a.inbox.Put(func(context.Context) { a.compactor.Review(text, accept) })
}

// Compact reduces what the model is sent: at once while idle, otherwise before
// the turn's next request. Compacted or CompactionFailed tells what came of it.
// A request that is carried out already is not carried out twice.
func (a *Agent) Compact(w edit.Request) {
	a.inbox.Put(func(context.Context) { a.compactor.Compact(w) })
}

// UndoCompaction undoes the compaction with this epoch, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.Put(func(context.Context) { a.compactor.Undo(epoch) })
}

// RedoCompaction redoes the last undone compaction, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.Put(func(context.Context) { a.compactor.Redo() })
}

// Inspect answers with Inspected. Of several calls that wait the newest is
// answered.
func (a *Agent) Inspect() { a.inspector.look() }

// Weigh tells how full the window is and what comes next by other rules, and in a window of
// another size if that is known. It waits for the owner of the conversation, and ends with ctx.
func (a *Agent) Weigh(ctx context.Context, rules preset.Rules, w meter.Window) (inspect.Breakdown, error) {
	taken := make(chan func() inspect.Breakdown, 1)
	a.inbox.Put(func(context.Context) { taken <- a.compactor.BreakdownBy(rules, w) })
	select {
	case account := <-taken:
		return account(), ctx.Err()
	case <-ctx.Done():
		return inspect.Breakdown{}, context.Cause(ctx)
	}
}

// Preview works a request out on the messages so far and answers with Previewed.
// It changes nothing.
func (a *Agent) Preview(w edit.Request) {
	a.inbox.Put(func(context.Context) {
		answer := updates.Previewed{Request: w, Now: a.journal.Reading()}
		proposal, err := a.compactor.Preview(w)
		if err != nil {
			answer.Err = err
		} else {
			answer.Preview, answer.Then = proposal.Preview(), proposal.ReadingAfter()
			answer.CostNow, answer.PaysAfter = a.journal.Price(answer.Preview)
		}
		a.journal.Publish(answer)
	})
}

// Pin keeps events as they were said, whatever else covers them, or ends that.
// updates.Edited tells what came of it.
func (a *Agent) Pin(events []uint64, pinned bool) {
	what := updates.EditUnpin
	if pinned {
		what = updates.EditPin
	}
	a.requestEdit(what, events)
}

// Mask shows stubs in place of the results of events. It is a compaction like any
// other, which can be undone. updates.Edited tells what came of it.
func (a *Agent) Mask(events []uint64) { a.requestEdit(updates.EditMask, events) }

// RestoreTurns restores the turns that were undone last: at once while
// idle, otherwise when the running turn has ended. updates.Edited tells what came of it.
func (a *Agent) RestoreTurns() { a.requestEdit(updates.EditRestore, nil) }

func (a *Agent) requestEdit(what updates.Edit, events []uint64) {
	events = slices.Clone(events)
	a.inbox.Put(func(context.Context) { a.compactor.Edit(what, events) })
}

// Rewind undoes the turns from one on, negative for the newest; what the
// user said in the first of them comes back to the composer. A turn that runs is
// stopped before. Nothing is deleted.
func (a *Agent) Rewind(turn int) {
	a.inbox.Put(func(context.Context) {
		if !a.compactor.CanRewind(turn) {
			return
		}
		if a.journal.InTurn() {
			a.turn.cancel(compactor.ErrCancelled)
			a.display.status(updates.Status{Phase: updates.Stopping})
			a.queue.giveBack()
		}
		a.compactor.Rewind(turn)
	})
}

// switchModel sends requests to another model from the next one on.
func (a *Agent) switchModel(ctx context.Context, m llm.Model, p llm.Provider) {
	a.useModel(m, p, false)
	if a.turn != nil {
		a.turn.chosen = nil // it is the one to stay with
	}
	// In a turn the next request records it, and before the first message
	// there is no conversation to record it in.
	if !a.journal.InTurn() && a.journal.Len() > 0 {
		if c, isNew := a.journal.ModelRecord(); isNew { // a new key is no other model
			a.journal.KeepForLater(ctx, c)
		}
		a.compactor.Replan() // the conversation need not fit into the new one
	}
}

// useModel sends requests to a model from the next one on, or for one turn, and tells so.
func (a *Agent) useModel(m llm.Model, p llm.Provider, oneTurn bool) {
	if known, ok := a.windows.learned[m.CalibrationKey]; ok && m.CalibrationKey != "" {
		m.Calibration = known
	}
	a.compactor.RememberModel(m.Window)
	a.journal.UseModel(m, p, oneTurn)
	a.windows.remember()
	a.display.declare()
	a.compactor.ModelChanged()
	a.journal.Publish(updates.ModelSwitched{Model: m})
	a.display.showMeter()
}

// recordLimits records what became known late about the model, once a request
// to it is on record: otherwise the first request records it.
func (a *Agent) recordLimits(ctx context.Context) {
	if c, isNew := a.journal.ModelRecord(); isNew && a.journal.PromptStored() {
		a.journal.KeepForLater(ctx, c)
	}
}

// Settings that change while the conversation goes on are events, so that a log
// says by what rules each compaction was made.

// Configure puts settings in force from here on: set is what is new, by dotted
// key with the value in YAML form, and rules is what all of them come to. It is
// recorded at once while idle, otherwise when the turn goes on or ends; before
// there is a message, with the first one.
func (a *Agent) Configure(set map[string]string, rules preset.Rules) {
	set = maps.Clone(set)
	a.inbox.Put(func(ctx context.Context) {
		a.journal.UseRules(set, rules)
		a.compactor.RulesChanged()
		a.display.showMeter()
		if !a.journal.InTurn() {
			a.journal.KeepConfig(ctx)
		}
	})
}
