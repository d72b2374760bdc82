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

// The commands of the user, except for messages. Like all commands they go into the inbox, and the goroutine that
// owns the conversation runs them.

// Review accepts the summary in review with the user's text, or discards it. It does nothing if no summary is in review.
// updates.Edited reports a text that is not acceptable; the summary then stays in review.
func (a *Agent) Review(text string, accept bool) {
	a.inbox.Put(func(context.Context) { a.compactor.Review(text, accept) })
}

// Compact compacts the conversation: at once while idle, otherwise before the next request of the turn. Compacted
// or CompactionFailed reports the result. A request that equals the one being carried out joins it.
func (a *Agent) Compact(request edit.Request) {
	a.inbox.Put(func(context.Context) { a.compactor.Compact(request) })
}

// UndoCompaction undoes the compaction of an epoch, 0 for the newest in force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.Put(func(context.Context) { a.compactor.Undo(epoch) })
}

// RedoCompaction redoes the compaction that was undone last, unless another one was committed since.
func (a *Agent) RedoCompaction() {
	a.inbox.Put(func(context.Context) { a.compactor.Redo() })
}

// Inspect publishes Inspected. Of several calls that wait, only the newest is answered.
func (a *Agent) Inspect() { a.inspector.inspect() }

// BreakdownBy computes the breakdown of the context and the forecast under other rules. If the size of w is known, it
// uses w as the window. It waits for the owner of the conversation, and ends with ctx.
func (a *Agent) BreakdownBy(ctx context.Context, rules preset.Rules, w meter.Window) (inspect.Breakdown, error) {
	compute, err := ask(ctx, a, func() func() inspect.Breakdown { return a.compactor.Breakdown(rules, w) })
	if err != nil {
		return inspect.Breakdown{}, err
	}
	return compute(), nil
}

// Preview computes a compaction without committing it, and publishes Previewed.
func (a *Agent) Preview(request edit.Request) {
	a.inbox.Put(func(context.Context) {
		answer := updates.Previewed{Request: request, Now: a.journal.Reading()}
		proposal, err := a.compactor.Preview(request)
		if err != nil {
			answer.Err = err
		} else {
			answer.Preview, answer.Then = proposal.Preview(), proposal.ReadingAfter()
			answer.CostNow, answer.PaysAfter = a.journal.Price(answer.Preview)
		}
		a.journal.Publish(answer)
	})
}

// Pin pins events, so that the model is shown them in full even if overlays cover them, or unpins them. updates.Edited
// reports the result.
func (a *Agent) Pin(events []uint64, pinned bool) {
	what := updates.EditUnpin
	if pinned {
		what = updates.EditPin
	}
	a.requestEdit(what, events)
}

// Mask replaces the tool results of events by stubs: a compaction, which can be undone. updates.Edited reports the
// result.
func (a *Agent) Mask(events []uint64) { a.requestEdit(updates.EditMask, events) }

// RestoreTurns restores the turns that were rewound last: at once while idle, otherwise when the running turn has
// ended. updates.Edited reports the result.
func (a *Agent) RestoreTurns() { a.requestEdit(updates.EditRestore, nil) }

func (a *Agent) requestEdit(what updates.Edit, events []uint64) {
	events = slices.Clone(events)
	a.inbox.Put(func(context.Context) { a.compactor.Edit(what, events) })
}

// Rewind undoes a turn and all later ones, negative for the newest turn, and returns the message of the first of them
// to the composer. It stops a running turn. Nothing is deleted.
func (a *Agent) Rewind(turn int) {
	a.inbox.Put(func(context.Context) {
		if !a.compactor.CanRewind(turn) {
			return
		}
		if a.journal.InTurn {
			a.turn.cancel(compactor.ErrCancelled)
			a.display.status(updates.Status{Phase: updates.Stopping})
			a.queue.returnToComposer()
		}
		a.compactor.Rewind(turn)
	})
}

// switchModel makes the next requests go to another model.
func (a *Agent) switchModel(ctx context.Context, m llm.Model, p llm.Provider) {
	a.useModel(m, p, false)
	if a.turn != nil {
		a.turn.chosenModel = nil // the end of the turn keeps the new model
	}
	// In a turn the next request records the model. Before the first message nothing is stored: that message records
	// it.
	if !a.journal.InTurn && a.journal.Len() > 0 {
		if c, isNew := a.journal.ModelRecord(); isNew { // a change of the API key alone is not recorded
			a.journal.AppendWhenIdle(ctx, c)
		}
		a.compactor.Replan() // the conversation may not fit into its window
	}
}

// useModel makes the next requests go to a model, or those of this turn only, and publishes the switch.
func (a *Agent) useModel(m llm.Model, p llm.Provider, oneTurn bool) {
	if known, ok := a.windows.calibrations[m.CalibrationKey]; ok && m.CalibrationKey != "" {
		m.Calibration = known
	}
	a.compactor.RememberModel(m.Window)
	a.journal.UseModel(m, p, oneTurn)
	a.windows.storeServerWindow()
	a.display.storeTools()
	a.compactor.ModelChanged()
	a.journal.Publish(updates.ModelSwitched{Model: m})
	a.display.showMeter()
}

// recordLimits stores the limits of the model if they became known after its first request. Before that request it does
// nothing: the request itself stores them.
func (a *Agent) recordLimits(ctx context.Context) {
	if c, isNew := a.journal.ModelRecord(); isNew && a.journal.PromptStored() {
		a.journal.AppendWhenIdle(ctx, c)
	}
}

// A change of settings is an event, so that the log has the rules of each compaction.

// Configure changes settings of this conversation: set has the changed ones, by dotted key with the value in YAML
// form, and rules is the result of all of them. They are recorded at once while idle, otherwise with the next request
// of the turn or at its end. In a conversation without messages they are recorded with the first message.
func (a *Agent) Configure(set map[string]string, rules preset.Rules) {
	set = maps.Clone(set)
	a.inbox.Put(func(ctx context.Context) {
		a.journal.UseRules(set, rules)
		a.compactor.RulesChanged()
		a.display.showMeter()
		if !a.journal.InTurn {
			a.journal.StoreOverrides(ctx)
		}
	})
}
