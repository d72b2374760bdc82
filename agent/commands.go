package agent

import (
	"context"
	"maps"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// What the user asks for besides messages is put into the inbox, like everything that is asked of the
// agent, and carried out by the goroutine that owns the conversation.

// Review takes a summary in that waits for the user, with the text he made of it,
// or gives it up. It does nothing where none waits any more. updates.Edited tells if the
// text cannot be taken; the summary then waits on.
func (a *Agent) Review(text string, accept bool) {
	a.inbox.put(func(context.Context) {
		j := a.compactor.job
		switch {
		case j == nil || j.state != stateInReview:
		case accept:
			a.compactor.accept(j, text)
		default:
			a.compactor.drop(j, errCancelled)
		}
	})
}

// Compact reduces what the model is sent: at once while idle, otherwise before
// the turn's next request. Compacted or CompactionFailed tells what came of it.
// A request that is carried out already is not carried out twice.
func (a *Agent) Compact(w edit.Request) {
	a.inbox.put(func(context.Context) {
		c := a.compactor
		if n := len(c.operations); n > 0 {
			if last := &c.operations[n-1]; last.what == edit.OpCompact && sameWish(c.rules, last.wish, w) {
				last.wish.Review = last.wish.Review || w.Review
				return
			}
		} else if c.job != nil {
			if c.job.serves(c.rules, w) {
				c.job.joined = conversation.SourceManual
				c.job.review = c.job.review || a.opts.Interactive && w.Review && !c.job.ended()
				return
			} // what replaces it has to be possible first
		}
		c.operations.add(operation{what: edit.OpCompact, wish: w})
	})
}

// UndoCompaction undoes the compaction with this epoch, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.put(func(context.Context) {
		if epoch == 0 && len(a.compactor.operations) == 0 { // what the user sees in force, not what is about to be
			if epoch = a.compactor.manual.newestEpoch(); epoch == 0 {
				a.updates.Put(updates.CompactionFailed{Err: unmade(edit.ErrNothingToUndo),
					Request: edit.Request{Source: conversation.SourceManual, Trigger: string(edit.OpUndo)}})
				return
			}
		}
		a.compactor.operations.add(operation{what: edit.OpUndo, epoch: epoch})
	})
}

// RedoCompaction redoes the compaction that was undone last, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.put(func(context.Context) { a.compactor.operations.add(operation{what: edit.OpRedo}) })
}

// Inspect answers with Inspected. Of several calls that wait the newest is
// answered.
func (a *Agent) Inspect() { a.inspector.look() }

// Preview works a request out on the messages so far and answers with Previewed.
// It changes nothing.
func (a *Agent) Preview(w edit.Request) {
	a.inbox.put(func(context.Context) {
		answer := updates.Previewed{Request: w, Now: a.meter.Reading()}
		pass, err := edit.NewProposal(a.log.Events(), a.rules, a.compactor.situation(), w)
		if err != nil {
			answer.Err = unmade(err)
		} else {
			answer.Preview, answer.Then = pass.Preview(), pass.Then()
			answer.CostNow, answer.PaysAfter = a.price(answer.Preview)
		}
		a.updates.Put(answer)
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
	a.inbox.put(func(context.Context) { a.compactor.operations.add(operation{what: edit.Op(what), events: events}) })
}

// Rewind undoes the turns from one on, negative for the newest; what the
// user said in the first of them comes back to the composer. A turn that runs is
// stopped before. Nothing is deleted.
func (a *Agent) Rewind(turn int) {
	a.inbox.put(func(context.Context) {
		if first, _ := a.compactor.manual.turnToRewind(turn, a.compactor.operations.restores()); first < 0 {
			a.updates.Put(updates.Failed{Err: noSuchTurn()})
			return
		}
		if a.inTurn {
			a.turn.cancel(errCancelled)
			a.display.status(updates.Status{Phase: updates.Stopping})
			a.queue.giveBack()
		}
		a.compactor.operations.add(operation{what: opRewind, turn: turn})
	})
}

// switchModel sends requests to another model from the next one on.
func (a *Agent) switchModel(ctx context.Context, m llm.Model, p llm.Provider) {
	if known, ok := a.windows.learned[m.CalibrationKey]; ok && m.CalibrationKey != "" {
		m.Calibration = known
	}
	a.compactor.writers.previous = a.compactor.writers.largerThan(m.Window)
	a.settings.model, a.settings.provider = m, p
	a.windows.outdated()
	a.compactor.schedule.rearmAt = 0 // it was reckoned by another window
	a.settings.choose()
	a.display.declare()
	a.meter = a.meter.WithModel(m.MeterOptions(a.rules)).WithPrompt(a.settings.promptSizes())
	a.compactor.dropStale()
	a.updates.Put(updates.ModelSwitched{Model: m})
	a.display.showMeter()
	// In a turn the next request records it, and before the first message
	// there is no conversation to record it in.
	if !a.inTurn && a.log.Len() > 0 {
		a.keepForLater(ctx, a.settings.modelChanged())
		a.compactor.replan = true // what is said need not fit into the new one
	}
}

// recordLimits records what became known late about the model, once a request
// to it is on record: otherwise the first request records it.
func (a *Agent) recordLimits(ctx context.Context) {
	if c := a.settings.modelChanged(); a.settings.blobs != nil && c != a.settings.changed {
		a.keepForLater(ctx, c)
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
	a.inbox.put(func(ctx context.Context) {
		overrides := map[string]string{}
		maps.Copy(overrides, a.settings.overrides) // the caller's map stays as it is
		maps.Copy(overrides, set)
		a.settings.overrides = overrides
		a.rules = rules
		a.meter = a.meter.WithRules(rules)
		a.compactor.schedule.refreshPast()
		a.compactor.dropStale()
		a.display.showMeter()
		if !a.inTurn {
			a.recordConfig(ctx)
		}
	})
}

// recordConfig records settings that are new, if there is a message.
func (a *Agent) recordConfig(ctx context.Context) {
	if set := a.settings.newOverrides(); len(set) > 0 && a.log.Len() > 0 {
		a.keepForLater(ctx, conversation.ConfigChanged{Set: set})
	}
}
