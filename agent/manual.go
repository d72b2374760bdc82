package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What the user does by hand to single messages and turns is one overlay with an
// epoch of its own, made where a compaction would be: at once while idle, otherwise
// before the turn's next request. Rules:
//
//   - Turns come back between two turns only, as they go: a request under way was
//     made of what went before. The turn is not stopped for it.
//   - A summary that is being written is then no longer about what the model is
//     shown, whichever messages the overlay names: it is given up as overtaken.
//   - It says nothing of when a compaction is welcome: neither the planner nor the
//     model waits for longer because of it.
//   - Where the overlay cannot be stored nothing is in force and nothing waits to be.

// opRestore brings turns back.
const opRestore = compact.Deed(SteerRestore)

// Pin keeps events as they were said, whatever else covers them, or ends that.
// Steered tells what came of it.
func (a *Agent) Pin(events []uint64, pinned bool) {
	what := SteerUnpin
	if pinned {
		what = SteerPin
	}
	a.orderSteer(what, events)
}

// Mask shows stubs in place of the results of events. It is a compaction like any
// other, which can be taken back. Steered tells what came of it.
func (a *Agent) Mask(events []uint64) { a.orderSteer(SteerMask, events) }

// RestoreTurns brings the turns back that were taken back last: at once while
// idle, otherwise when the running turn has ended. Steered tells what came of it.
func (a *Agent) RestoreTurns() { a.orderSteer(SteerRestore, nil) }

func (a *Agent) orderSteer(what Steer, events []uint64) {
	events = slices.Clone(events)
	a.inbox.put(func(context.Context) { a.compactor.operations.add(operation{what: compact.Deed(what), events: events}) })
}

// steer does by hand what an operation says.
func (c *compactor) steer(ctx context.Context, d operation) {
	told := Steered{What: Steer(d.what), Events: d.events}
	if made, err := c.manual.overlay(ctx, d); err != nil {
		told.Err = err
	} else {
		told.Before, told.After = made.Before, made.After
		c.dropStale()
	}
	c.opts.Logger.Info("steered", "what", told.What, "events", len(told.Events), "failed", told.Err != nil, "before", told.Before, "after", told.After)
	c.updates.Put(told)
}

// manualEdits works out, on the log as it is, what the user does by hand.
type manualEdits struct{ *journal }

// overlay puts the overlay of an operation in force.
func (e *manualEdits) overlay(ctx context.Context, d operation) (made conversation.Made, failure *Error) {
	if err := e.flush(ctx); err != nil {
		return made, err
	}
	bodies, err := e.bodies(d)
	if err != nil {
		return made, &Error{Class: BadRequest, Message: err.Error(), Hint: nothingChanged, Err: err}
	}
	if _, err := e.append(ctx, bodies...); err != nil {
		return made, &Error{
			Class: NotSaved, Message: "it could not be saved and is not in force: " + cause(err).Error(),
			Hint: "check the disk and the data folder, then try again", Err: err,
		}
	}
	made, _ = conversation.MadeOf(bodies[0]) // bodies makes overlays
	return made, nil
}

// bodies works an operation out on the log as it is. The error is one of package compact.
func (e *manualEdits) bodies(d operation) ([]conversation.Body, error) {
	log, rules := e.log.Events(), e.rules
	made := conversation.Made{Source: conversation.SourceManual, Trigger: "command", Preset: string(rules.Preset)}
	var body conversation.Body
	var err error
	switch Steer(d.what) {
	case SteerMask:
		return e.mask(d.events, made)
	case SteerRestore:
		body, err = compact.Restore(log)
	default:
		body, err = compact.PinOf(log, d.events, Steer(d.what) == SteerPin)
	}
	if err != nil {
		return nil, err
	}
	own, _ := conversation.MadeOf(body) // zero where it says nothing
	made.Why = own.Why
	then := append(log, conversation.Following(log, e.opts.Now(), body)...)
	made.Before, made.After = e.meter.EstimatedTokens(), e.meter.WithView(compact.Project(then)).EstimatedTokens()
	return conversation.Stamp([]conversation.Body{body}, e.nextSeq(), made), nil
}

// mask is a pass that hides results.
func (e *manualEdits) mask(events []uint64, made conversation.Made) ([]conversation.Body, error) {
	log, rules := e.log.Events(), e.rules
	mask, err := rules.MaskByHand(log, e.view, events)
	if err != nil {
		return nil, err
	}
	pass, err := compact.NewOverlayPass(log, rules, e.situation(), made, mask)
	if errors.Is(err, compact.ErrNothingToGain) {
		err = fmt.Errorf("%w: the stub would be no shorter than what it hides", compact.ErrNothingToGain)
	}
	if err != nil {
		return nil, err
	}
	return pass.Bodies(e.nextSeq()), nil
}

// newestEpoch is the newest compaction in force, 0 without one.
func (e *manualEdits) newestEpoch() uint64 {
	newest := uint64(0)
	for _, e := range conversation.Epochs(e.log.Events()) {
		if e.InForce {
			newest = e.ID
		}
	}
	return newest
}

// turnToRewind is the first turn that a rewind takes back, and what the user
// said there; -1 if there is none. With back turns that were taken back count as
// well: they are about to be there again.
func (e *manualEdits) turnToRewind(turn int, back bool) (first int, text string) {
	events := e.log.Events()
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

// Taking a compaction back, and bringing it back, is one more overlay with an
// epoch of its own. It costs no request, but it breaks the cached prefix like
// any other.

// revert takes the compaction of an operation back, or brings one back.
func (c *compactor) revert(ctx context.Context, d operation) {
	w := compact.Wish{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	now := compact.Situation{Meter: c.meter, Now: c.opts.Now()}
	r, err := compact.NewReversal(c.log.Events(), c.rules, now,
		compact.ReversalWish{Redo: d.what == compact.DeedRedo, Epoch: d.epoch}, c.nextSeq())
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := c.append(ctx, r.Body); err != nil {
		c.records.refuse(ctx, w, notMade(err))
		return
	}
	done := Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: compact.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.opts.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.planner.rearm()
	c.dropReverted()
	c.updates.Put(done)
}

// dropReverted gives up the summaries that are being written or wait: the view is no
// longer what they were made for.
func (c *compactor) dropReverted() {
	if c.writing() {
		c.drop(c.job, errReverted)
	}
	c.prepared.drop(errReverted, everyJob)
}
