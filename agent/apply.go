package agent

import (
	"context"
	"errors"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// A summary is taken in between two requests, if it still fits what the model is
// shown; whatever came of it is on record with what it cost.

// errTooLittle says that a summary did not make enough room.
var errTooLittle = errors.New("it would save too little")

// applySummary takes in a summary that is written, or records that none is.
func (c *compactor) applySummary(ctx context.Context) {
	j := c.job
	j.look()
	if j.state == stateReady && c.isStale(j) {
		j.end(errOvertaken)
	}
	if j.state == stateReady && c.waitsForStep(j) {
		c.keepPrepared(ctx, j)
		c.makeDueStep(ctx)
		return
	}
	c.finish(ctx, j)
}

// usageOf is what the requests of a job cost, for the log.
func (c *compactor) usageOf(ctx context.Context, j *job) []conversation.Body {
	var spent []conversation.Body
	for _, s := range j.writer.spent {
		spent = append(spent, c.windows.usage(s.request, s.reply, 0)...)
	}
	if n := j.writer.learned; n > 0 && j.writer.model.Name() == c.settings.model.Name() {
		c.windows.learnWindow(ctx, n)
	}
	return spent
}

// finish puts the summary of a job that ended in force, or records why it is not.
func (c *compactor) finish(ctx context.Context, j *job) {
	c.job = nil
	spent := c.usageOf(ctx, j)
	if j.state == stateReady {
		if err := c.commitJob(ctx, j, spent); err != nil {
			j.end(err)
		}
	}
	if j.state == stateApplied {
		c.previous = nil
		return
	}
	c.giveUp(ctx, j, spent)
	if j.state != stateFailed {
		return
	}
	if j.writer.former {
		c.previous = nil // the one in use is asked next
	}
	if j.plan != nil && j.plan.Drops {
		c.applyLadder(ctx, j.plan.Trigger, false) // ONE
	}
}

// commitJob puts a summary in force, with the masks of its plan.
func (c *compactor) commitJob(ctx context.Context, j *job, spent []conversation.Body) error {
	pass, err := c.rebase(j, &j.pass)
	if err != nil {
		return err
	}
	w := j.wish
	if j.joined == conversation.SourceManual {
		w.Source = j.joined // who joined it is told like who asked for it
	}
	if e := c.commit(ctx, &pass, w, spent, j); e != nil {
		return e
	}
	return nil
}

// rebase is a pass with the text of a job on the log as it is now, with the masks of
// its plan. The error says why it does not count.
func (c *compactor) rebase(j *job, pass *compact.Pass) (compact.Pass, error) {
	var masks []conversation.Body
	if j.plan != nil {
		masks = j.plan.Masks
	}
	now, err := pass.Onto(c.log.Events(), c.situation(), masks...)
	if err == nil && j.plan != nil && j.plan.Trigger == compact.TriggerLoadLine && !now.Progresses() {
		err = errTooLittle
	}
	return now, err
}

// isStale reports whether the conversation went over a summary: overlays lie on it
// that are no notes, or it has to fit into less.
func (c *compactor) isStale(j *job) bool {
	then, now := j.basis.window, c.settings.model.Window
	return !compact.Stands(c.log.Events(), j.basis.revision, j.basis.spans) || then.Known() && now.Known() && now.Tokens < then.Tokens
}

// dropStale stops a summary that would be stale, or for which there is no
// reason any more: it is paid for no further.
func (c *compactor) dropStale() {
	j, rules := c.job, c.rules
	c.dropPrepared(errOvertaken, c.isStale)
	if !rules.Evicts() || !rules.ActsByItself() {
		c.dropPrepared(errNeedless, everyJob)
	}
	if !c.writing() {
		return
	}
	r := c.meter.Reading()
	switch {
	case c.isStale(j):
		c.drop(j, errOvertaken)
	case j.state == stateInReview: // it is paid for, and the user reads it
	case j.asked():
	case !rules.ActsByItself(), !rules.Asks() && c.waitsForStep(j):
		c.drop(j, errNeedless)
	case c.waitsForStep(j) && !j.blocking && (c.log.Revision() != j.basis.revision || r.NearsLoadLine()): // the next step wants it
	case rules.Preset.Design().Absolute: // its threshold is no share of the window
	case r.LoadLine == 0 && j.wish.Trigger != compact.TriggerOverflow, r.LoadLine > 0 && r.Used <= r.LoadLine:
		c.drop(j, errNeedless)
	}
}

// isLastTry reports whether a request that waited for a summary does without another
// one: it failed, the user stopped it, or it is the request's own and was not enough.
func (j *job) isLastTry(own *job) bool {
	if j == nil {
		return false
	}
	switch j.state {
	case stateFailed, stateCancelled:
		return true
	case stateStale:
		return false
	}
	return j == own
}

// giveUp records and tells why a summary is not in force.
func (c *compactor) giveUp(ctx context.Context, j *job, spent []conversation.Body) {
	e, outcome := ended(j.cause, j.writer.limit)
	took := c.opts.Now().Sub(j.writer.began)
	if j.writer.took > 0 {
		took = j.writer.took // without the user's reading
	}
	c.opts.Logger.Info("compaction", "outcome", outcome, "source", j.wish.Source, "trigger", j.wish.Trigger, "preset", j.writer.preset,
		"profile", j.pass.Profile, "class", e.Class, "status", e.Status, "requests", len(j.writer.spent), "duration", took)
	if name := j.writer.preset.Design().SummaryLog; name != "" && outcome == conversation.OutcomeFailed {
		c.opts.Logger.Error(name + " failed: " + string(e.Class)) // the message may quote the conversation
	}
	attempt := conversation.Attempt{
		Source: j.wish.Source, Trigger: j.wish.Trigger, Preset: string(j.writer.preset), Profile: j.pass.Profile,
		Outcome: outcome, Why: e.Message, Before: c.meter.EstimatedTokens(), Duration: took.Milliseconds(),
	}
	if errors.Is(j.cause, context.Canceled) {
		attempt.Before = 0 // the program ended: the next one may try at once
	}
	if len(j.writer.spent) > 0 { // otherwise no model is to blame
		attempt.Model = j.writer.model.Name()
	}
	c.fail(ctx, attempt, spent...)
	c.rearm()
	if j.joined == conversation.SourceManual {
		j.wish.Source = j.joined
	}
	c.updates.Put(CompactionFailed{Err: e, Wish: j.wish})
}
