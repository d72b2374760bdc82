package agent

import (
	"context"
	"errors"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Where rules evict, a summary never holds a request up. Rules:
//
//   - It is written beside the conversation while the load line nears, or from there
//     on, at most once until the conversation has grown again. Where no user is there
//     it is not prepared: nobody knows whether another turn comes.
//   - Written, it waits in memory for the step that evicts what it covers: text and
//     note are one epoch. What it cost is recorded at once.
//   - At the hard line the note alone is committed. A text that comes later waits for
//     the next step, so that the prefix breaks once.
//   - What is put over its events meanwhile, but for notes, makes it stale. It is then
//     dropped, and so it is when the program ends: the log says so.

// prepares reports whether a summary may be prepared.
func (a *Agent) prepares() bool {
	c := &a.compaction
	return a.opts.Interactive && a.beside() && c.job == nil &&
		(c.asked == 0 || a.meter.Reading().Used >= c.asked+c.rules.Rearm(a.meter.Window().Tokens))
}

// offered reports whether the text of a job waits for a step, in place of an epoch of
// its own.
func (a *Agent) offered(j *job) bool {
	return j.plan != nil && (j.plan.Note != nil || j.plan.Prepare) && !j.told && !j.wanted && a.compaction.rules.Evicts()
}

// offers reports whether a summary that is written covers some of spans.
func (a *Agent) offers(spans []conversation.Span) bool {
	return slices.ContainsFunc(a.compaction.prepared, func(j *job) bool { return j.stopped == nil && j.pass.Covers(spans) })
}

// offer keeps a summary that is written for the step that evicts what it covers.
func (a *Agent) offer(ctx context.Context, j *job) {
	c := &a.compaction
	c.job = nil
	if _, err := a.keep(ctx, a.spentOn(ctx, j)...); err != nil {
		a.updates.Put(Failed{Err: AsError(err)})
	}
	c.prepared = append(c.prepared, j)
	a.opts.Logger.Info("compaction", "outcome", "prepared", "source", j.wish.Source, "preset", j.preset,
		"from_turn", j.writer.from, "to_turn", j.writer.to, "requests", len(j.writer.spent), "duration", j.writer.took)
	a.updates.Put(Prepared{FromTurn: j.writer.from, ToTurn: j.writer.to})
}

// evict makes a step that evicts, with the summaries that are written for it.
func (a *Agent) evict(ctx context.Context, plan compact.Plan) {
	if !a.evictWith(ctx, plan) {
		a.overlay(ctx, a.made(plan.Trigger), plan.Alone().Masks)
	}
}

// evictWith makes a step that evicts with the summaries that are written for it, and
// reports whether it is made.
func (a *Agent) evictWith(ctx context.Context, plan compact.Plan) bool {
	if len(a.compaction.prepared) == 0 {
		return false
	}
	if err := a.flush(ctx); err != nil {
		return false // so is the note, and that is told
	}
	made, more := a.made(plan.Trigger), plan.Trigger != compact.TriggerCold
	step := func(jobs []*job) (compact.Pass, bool) {
		var passes []*compact.Pass
		for _, j := range jobs {
			passes = append(passes, &j.pass)
		}
		pass, err := compact.EvictWith(a.log.Events(), a.compaction.rules, a.situation(), made, plan.Note, more, passes...)
		return pass, err == nil && pass.Progresses() && !a.holds(plan, &pass)
	}
	var use []*job
	for _, j := range a.compaction.prepared {
		if _, ok := step([]*job{j}); ok && j.stopped == nil {
			use = append(use, j)
		}
	}
	if len(use) == 0 {
		return false
	}
	pass, ok := step(use)
	if !ok {
		return false
	}
	if err := a.commit(ctx, &pass, compact.Wish{Source: made.Source, Trigger: made.Trigger}, nil); err != nil {
		a.refuse(ctx, compact.Wish{Source: made.Source, Trigger: made.Trigger}, err)
		return true
	}
	a.compaction.prepared = slices.DeleteFunc(a.compaction.prepared, func(j *job) bool { return slices.Contains(use, j) })
	a.compaction.former = nil
	return true
}

// holds reports whether a request that has to get below the hard line would still be
// above it with a pass.
func (a *Agent) holds(plan compact.Plan, pass *compact.Pass) bool {
	hard := a.meter.Reading().HardLine
	return plan.Hold && hard > 0 && pass.Preview().After > hard
}

// takeUp makes the step that a summary which is written was waited for, if that is
// due.
func (a *Agent) takeUp(ctx context.Context) {
	if a.compaction.job != nil || len(a.compaction.prepared) == 0 || ctx.Err() != nil {
		return
	}
	moment := compact.MomentReply
	if a.turn != nil {
		moment = a.moment()
	}
	plan := a.plan(moment, false)
	if note, ok := plan.Note.(conversation.Summary); ok && a.offers(note.Spans) {
		a.evict(ctx, plan)
	}
}

// commitPrepared puts the newest summary that is written in force at once, for
// somebody who asked for one, and reports whether it is.
func (a *Agent) commitPrepared(ctx context.Context, w compact.Wish) bool {
	list := a.compaction.prepared
	if len(list) == 0 {
		return false
	}
	j := list[len(list)-1]
	if j.stopped != nil || w.Source == conversation.SourceManual && !j.joins(w, a.compaction.rules) || w.Focus != "" ||
		w.Review && a.opts.Interactive { // nobody has read it
		return false
	}
	j.told, j.wanted = w.Source == conversation.SourceManual, w.Source == conversation.SourceTool
	if err := a.commitJob(ctx, j, nil); err != nil {
		j.told, j.wanted = false, false
		return false
	}
	a.compaction.prepared = list[:len(list)-1]
	return true
}

// dropStale has summaries that are written no longer count, for a reason.
func (a *Agent) dropStale(why error, stale func(*job) bool) {
	for _, j := range a.compaction.prepared {
		if j.stopped == nil && stale(j) {
			j.stopped = why
		}
	}
}

// everyJob is any summary.
func everyJob(*job) bool { return true }

// sweep records the summaries that no longer count.
func (a *Agent) sweep(ctx context.Context) {
	for _, j := range a.stale() {
		a.giveUp(ctx, j, j.stopped, nil)
	}
	a.compaction.prepared = slices.DeleteFunc(a.compaction.prepared, func(j *job) bool { return j.stopped != nil })
}

// stale are the summaries that were written and no longer count.
func (a *Agent) stale() []*job {
	return slices.DeleteFunc(slices.Clone(a.compaction.prepared), func(j *job) bool { return j.stopped == nil })
}

// evictAsked makes room for the model, which asked for it where rules want no model
// to be asked.
func (a *Agent) evictAsked(ctx context.Context, w compact.Wish) {
	plan := a.compaction.rules.EvictNow(a.check(a.moment(), false), w.Trigger)
	if plan.Note == nil {
		a.refuse(ctx, w, unmade(compact.ErrNothingToGain))
		return
	}
	made := a.made(w.Trigger)
	made.Source = w.Source
	a.overlay(ctx, made, plan.Alone().Masks)
}

// errUnused is the cause for which a summary is dropped that no step came for.
var errUnused = errors.New("the program ended before a step came for it")
