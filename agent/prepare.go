package agent

import (
	"context"
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

// keepPrepared keeps a summary that is written for the step that evicts what it covers.
func (c *compactor) keepPrepared(ctx context.Context, j *job) {
	c.job = nil
	if _, err := c.keep(ctx, c.records.usageOf(ctx, j)...); err != nil {
		c.updates.Put(Failed{Err: AsError(err)})
	}
	c.prepared = append(c.prepared, j)
	c.opts.Logger.Info("compaction", "outcome", "prepared", "source", j.wish.Source, "preset", j.writer.preset,
		"from_turn", j.writer.from, "to_turn", j.writer.to, "requests", len(j.writer.spent), "duration", j.writer.took)
	c.updates.Put(Prepared{FromTurn: j.writer.from, ToTurn: j.writer.to})
}

// evict makes a step that evicts, with the summaries that are written for it.
func (c *compactor) evict(ctx context.Context, plan compact.Plan) {
	if !c.evictWith(ctx, plan) {
		c.overlay(ctx, c.planner.made(plan.Trigger), plan.Alone().Masks)
	}
}

// evictWith makes a step that evicts with the summaries that are written for it, and
// reports whether it is made.
func (c *compactor) evictWith(ctx context.Context, plan compact.Plan) bool {
	if len(c.prepared) == 0 {
		return false
	}
	if err := c.flush(ctx); err != nil {
		return false // so is the note, and that is told
	}
	made, more := c.planner.made(plan.Trigger), plan.Trigger != compact.TriggerCold
	step := func(jobs []*job) (compact.Pass, bool) {
		var passes []*compact.Pass
		for _, j := range jobs {
			passes = append(passes, &j.pass)
		}
		pass, err := compact.EvictWith(c.log.Events(), c.rules, c.situation(), made, plan.Note, more, passes...)
		return pass, err == nil && pass.Progresses() && !c.planner.holds(plan, &pass)
	}
	var use []*job
	for _, j := range c.prepared {
		if _, ok := step([]*job{j}); ok && j.state == stateReady {
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
	if err := c.commit(ctx, &pass, compact.Wish{Source: made.Source, Trigger: made.Trigger}, nil, use...); err != nil {
		c.records.refuse(ctx, compact.Wish{Source: made.Source, Trigger: made.Trigger}, err)
		return true
	}
	c.prepared = slices.DeleteFunc(c.prepared, func(j *job) bool { return j.state == stateApplied })
	c.writers.previous = nil
	return true
}

// makeDueStep makes the step that a summary which is written was waited for, if that is
// due.
func (c *compactor) makeDueStep(ctx context.Context) {
	if c.job != nil || len(c.prepared) == 0 || ctx.Err() != nil {
		return
	}
	moment := compact.MomentReply
	if c.inTurn {
		moment = c.moment()
	}
	plan := c.planner.plan(moment, false)
	if note, ok := plan.Note.(conversation.Summary); ok && c.prepared.covers(note.Spans) {
		c.evict(ctx, plan)
	}
}

// commitPrepared puts the newest summary that is written in force at once, for
// somebody who asked for one, and reports whether it is. It has to cover all that
// the user asked for; the model asks for room only.
func (c *compactor) commitPrepared(ctx context.Context, w compact.Wish, asked []conversation.Span) bool {
	list := c.prepared
	if len(list) == 0 {
		return false
	}
	j := list[len(list)-1]
	if j.state != stateReady || w.Source == conversation.SourceManual && !(j.serves(c.rules, w) && c.coversMessages(j.basis.spans, asked)) || w.Focus != "" ||
		w.Review && c.opts.Interactive { // nobody has read it
		return false
	}
	j.joined = w.Source
	if err := c.commitJob(ctx, j, nil); err != nil {
		j.joined = ""
		return false
	}
	c.prepared = list[:len(list)-1]
	return true
}

// preparedSummaries are written and wait for a step, oldest first.
type preparedSummaries []*job

// covers reports whether a summary that still counts covers some of spans.
func (p preparedSummaries) covers(spans []conversation.Span) bool {
	return slices.ContainsFunc(p, func(j *job) bool { return j.state == stateReady && j.pass.Covers(spans) })
}

// drop has summaries no longer count, for a reason.
func (p preparedSummaries) drop(why error, stale func(*job) bool) {
	for _, j := range p {
		if stale(j) {
			j.end(why)
		}
	}
}

// stale are those that no longer count.
func (p preparedSummaries) stale() []*job {
	return slices.DeleteFunc(slices.Clone(p), func(j *job) bool { return j.state == stateReady })
}

// everyJob is any summary.
func everyJob(*job) bool { return true }

// recordStale records the summaries that no longer count.
func (c *compactor) recordStale(ctx context.Context) {
	for _, j := range c.prepared.stale() {
		c.records.giveUp(ctx, j, nil)
	}
	c.prepared = slices.DeleteFunc(c.prepared, func(j *job) bool { return j.state != stateReady })
}

// evictForModel makes room for the model, which asked for it where rules want no model
// to be asked.
func (c *compactor) evictForModel(ctx context.Context, w compact.Wish) {
	plan := c.rules.EvictNow(c.planner.check(c.moment(), false), w.Trigger)
	if plan.Note == nil {
		c.records.refuse(ctx, w, unmade(compact.ErrNothingToGain))
		return
	}
	made := c.planner.made(w.Trigger)
	made.Source = w.Source
	c.overlay(ctx, made, plan.Alone().Masks)
}
