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
	if j.state == stateReady && j.overtaken(c.journal) {
		j.end(errOvertaken)
	}
	if j.state == stateReady && j.waitsForStep(c.rules) {
		c.keepPrepared(ctx, j)
		c.makeDueStep(ctx)
		return
	}
	c.finish(ctx, j)
}

// finish puts the summary of a job that ended in force, or records why it is not.
func (c *compactor) finish(ctx context.Context, j *job) {
	c.job = nil
	spent := c.records.usageOf(ctx, j)
	if j.state == stateReady {
		if err := c.commitJob(ctx, j, spent); err != nil {
			j.end(err)
		}
	}
	if j.state == stateApplied {
		c.writers.previous = nil
		return
	}
	c.records.giveUp(ctx, j, spent)
	if j.state != stateFailed {
		return
	}
	if j.writer.former {
		c.writers.previous = nil // the one in use is asked next
	}
	if j.plan != nil && j.plan.Drops {
		c.applyLadder(ctx, j.plan.Trigger, false) // ONE
	}
}

// commitJob puts a summary in force, with the masks of its plan.
func (c *compactor) commitJob(ctx context.Context, j *job, spent []conversation.Body) error {
	pass, err := j.rebase(c.journal, &j.pass)
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

// dropStale stops a summary that would be stale, or for which there is no
// reason any more: it is paid for no further.
func (c *compactor) dropStale() {
	j, rules := c.job, c.rules
	c.prepared.drop(errOvertaken, func(j *job) bool { return j.overtaken(c.journal) })
	if !rules.Evicts() || !rules.ActsByItself() {
		c.prepared.drop(errNeedless, everyJob)
	}
	if !c.writing() {
		return
	}
	r := c.meter.Reading()
	switch {
	case j.overtaken(c.journal):
		c.drop(j, errOvertaken)
	case j.state == stateInReview: // it is paid for, and the user reads it
	case j.asked():
	case !rules.ActsByItself(), !rules.Asks() && j.waitsForStep(c.rules):
		c.drop(j, errNeedless)
	case j.waitsForStep(c.rules) && !j.blocking && (c.log.Revision() != j.basis.revision || r.NearsLoadLine()): // the next step wants it
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

// overtaken reports whether the conversation went over a summary: overlays lie on it
// that are no notes, or it has to fit into less.
func (j *job) overtaken(log *journal) bool {
	then, now := j.basis.window, log.settings.model.Window
	return !compact.Stands(log.log.Events(), j.basis.revision, j.basis.spans) || then.Known() && now.Known() && now.Tokens < then.Tokens
}

// rebase is a pass with the text of a job on the log as it is now, with the masks of
// its plan. The error says why it does not count.
func (j *job) rebase(log *journal, pass *compact.Pass) (compact.Pass, error) {
	var masks []conversation.Body
	if j.plan != nil {
		masks = j.plan.Masks
	}
	now, err := pass.Onto(log.log.Events(), log.situation(), masks...)
	if err == nil && j.plan != nil && j.plan.Trigger == compact.TriggerLoadLine && !now.Progresses() {
		err = errTooLittle
	}
	return now, err
}

// waitsForStep reports whether the text of a job waits for a step, in place of an epoch of
// its own.
func (j *job) waitsForStep(rules compact.Rules) bool {
	return j.plan != nil && (j.plan.Note != nil || j.plan.Prepare) && j.joined == "" && rules.Evicts()
}

// serves reports whether somebody who asks for w gets it from a summary: one that was
// asked for alike, or an automatic one where he asks for nothing in particular.
func (j *job) serves(rules compact.Rules, w compact.Wish) bool {
	if !j.state.open() {
		return false
	}
	if j.plan == nil {
		return sameWish(rules, j.wish, w)
	}
	return rules.Profiles[rules.ProfileOf(w)].Summarize && w.Focus == "" && w.From == nil && w.To == nil && w.KeepLast < 0
}

// Where the user wants to read a summary before it takes effect, it waits for him
// when it is written. Rules:
//
//   - Until he has decided, the summary is to everybody else one that is being
//     written: the conversation goes on beside it, another request joins or replaces
//     it, and what overtakes it ends it. A request that does not fit waits for him;
//     Esc then gives the summary up, and the request goes down the ladder.
//   - His reading takes no time of the summary's limit, and is no part of how long
//     it took.
//   - What he makes of the text has to count by its length. If it does not he is
//     told why and goes on editing.

// Review takes a summary in that waits for the user, with the text he made of it,
// or gives it up. It does nothing where none waits any more. Steered tells if the
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

// accept lets a summary be taken in with the user's text. Whether one that he left
// as it is saves enough is judged where all are, when it is taken in.
func (c *compactor) accept(j *job, text string) {
	pass, err := j.pass.WithText(text)
	evicted := j.waitsForStep(c.rules) && c.log.Revision() != j.basis.revision // by notes: the next step judges what it saves
	if err == nil && pass.Edited() && !evicted {
		_, err = j.rebase(c.journal, &pass)
	}
	if err != nil {
		c.updates.Put(Steered{What: SteerReview, Err: notTaken(err)})
		return
	}
	j.pass = pass
	j.on(eventAccepted)
	c.updates.Put(Reviewed{})
}

// notTaken is why a text of the user does not count.
func notTaken(err error) *Error {
	e := &Error{Class: BadRequest, Message: err.Error(), Hint: "change the text, or give the summary up: nothing is in force yet", Err: err}
	switch {
	case errors.Is(err, compact.ErrSummaryEmpty):
		e.Message = "the summary has no text"
	case errors.Is(err, errTooLittle):
		e.Message = "the text is too long: with it the summary would save too little"
	}
	return e
}

// showForReview shows a summary to the user if he wants to read it.
func (c *compactor) showForReview(j *job) {
	if c.job != j || j.ended() {
		return
	}
	j.on(eventShown)
	c.opts.Logger.Info("compaction", "outcome", "waits for the user", "source", j.wish.Source, "trigger", j.wish.Trigger, "duration", j.writer.took)
	c.announceReview()
}

// announceReview tells that a summary waits for the user, if one does.
func (c *compactor) announceReview() {
	j := c.job
	if j == nil || j.state != stateInReview {
		return
	}
	s, _ := j.pass.Written() // it is what waits
	c.updates.Put(Reviewing{
		Text: s.Text, Appendix: s.Appendix, Wish: j.wish, FromTurn: j.writer.from, ToTurn: j.writer.to, Covers: s.Covers, Held: c.held,
	})
}

// drop gives a summary up that is being written or waits for the user.
func (c *compactor) drop(j *job, cause error) {
	shown := j.state == stateInReview
	if j.end(cause); shown {
		c.updates.Put(Reviewed{})
	}
}
