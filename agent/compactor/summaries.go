package compactor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// A summary is applied between two requests, if the view is still the one that it was written from. The log always
// gets the outcome and the usage.

// applySummary applies the summary of the ended job, keeps it for the next eviction, or records why it is discarded.
func (c *Compactor) applySummary(ctx context.Context) {
	j := c.job
	j.poll()
	if j.state == stateReady && j.isOvertaken(c.journal) {
		j.end(errOvertaken)
	}
	if j.state == stateReady && j.waitsForEviction(c.journal.Rules()) {
		c.keepPrepared(ctx, j)
		c.evictIfDue(ctx)
		return
	}
	c.finish(ctx, j)
}

// finish commits the summary of an ended job, or records why it is discarded. It removes the job.
func (c *Compactor) finish(ctx context.Context, j *job) {
	c.job = nil
	usage := c.usageOf(ctx, j)
	if j.state == stateReady {
		if err := c.commitJob(ctx, j, usage); err != nil {
			j.end(err)
		}
	}
	if j.state == stateApplied {
		c.writers.previous = nil
		return
	}
	c.recordGivenUp(ctx, j, usage)
	if j.state != stateFailed {
		return
	}
	if j.writer.isPreviousModel {
		c.writers.previous = nil // the current model is asked next
	}
	if j.plan != nil && j.plan.Drops {
		c.ApplyLadder(ctx, j.plan.Trigger, false) // OneClaw
	}
}

// commitJob commits a summary, with the masks of its plan.
func (c *Compactor) commitJob(ctx context.Context, j *job, usage []conversation.Body) error {
	proposal, err := j.rebase(c.journal, &j.proposal)
	if err != nil {
		return err
	}
	request := j.request
	if j.joinedBy == conversation.SourceManual {
		request.Source = j.joinedBy // a user who joined the job gets the notices of a manual compaction
	}
	if e := c.commit(ctx, &proposal, request, usage, j); e != nil {
		return e
	}
	return nil
}

// With review, a written summary waits for the user before it is applied. Rules:
//
//   - Until the decision, the summary counts as one that is being written: the conversation goes on, another request
//     joins or replaces it, and a change of the view makes it stale. A request that does not fit waits for the user;
//     Esc then discards the summary, and ApplyLadder reduces the request.
//   - The time of the review does not count for the limit and the duration of the summary.
//   - The edited text must have an acceptable length. If not, the user sees why and goes on editing.

// acceptReview accepts a summary with the user's text. Whether an unchanged text saves enough is checked when it is
// applied, as for any summary.
func (c *Compactor) acceptReview(j *job, text string) {
	proposal, err := j.proposal.WithText(text)
	evicted := j.waitsForEviction(c.journal.Rules()) && c.journal.Revision() != j.basis.revision // the next eviction checks the savings
	if err == nil && proposal.Edited() && !evicted {
		_, err = j.rebase(c.journal, &proposal)
	}
	if err != nil {
		c.journal.Publish(updates.Edited{What: updates.EditReview, Err: reviewError(err)})
		return
	}
	j.proposal = proposal
	j.applyEvent(eventAccepted)
	c.journal.Publish(updates.Reviewed{})
}

// reviewError is why a text of the user was not accepted.
func reviewError(err error) *llm.Error {
	e := &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: "change the text, or discard the summary; nothing is applied yet", Err: err}
	switch {
	case errors.Is(err, summary.ErrEmpty):
		e.Message = "the summary has no text"
	case errors.Is(err, errTooLittle):
		e.Message = "the text is too long: with it the summary would save too little"
	}
	return e
}

// startJob begins to write the summary of a job. The error is an *llm.Error, one of a package in compact, or the cause
// of ctx's end; then there is no job.
func (c *Compactor) startJob(ctx context.Context, j *job) error {
	c.endCurrentJob(ctx)
	j.basis.window, j.writer = c.journal.Model().Window, c.writers.newWriter()
	if err := c.journal.RecordOverrides(ctx); err != nil {
		return err
	}
	if err := c.writers.prepare(ctx, j); err != nil {
		return err
	}
	if j.proposal.Job != nil && j.proposal.Job.Input == preset.InputView {
		// Its request has the prompt and the tools of the conversation, so the log must have them.
		if err := c.journal.RecordSettings(ctx); err != nil {
			return err
		}
		if err := c.writers.prepare(ctx, j); err != nil {
			return err
		}
	}
	j.basis.revision, j.basis.spans, j.done = c.journal.Revision(), j.proposal.Spans, make(chan struct{})
	jobCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	j.cancel, c.job = cancel, j
	if j.proposal.Job == nil { // the rules have changed, and no text is needed
		j.applyEvent(eventComplete)
		close(j.done)
		return nil
	}
	j.applyEvent(eventBegun)
	c.announceWriting(false)
	go func() {
		j.err = j.writer.write(jobCtx, &j.proposal)
		cancel(nil)
		close(j.done)
		c.inbox.Put(func(context.Context) { c.showForReview(j) }) // this also wakes await
	}()
	return nil
}

// awaitSummary waits for the summary that is being written, and applies it. It returns early if ctx ends, an operation is
// due, or needed becomes false.
func (c *Compactor) awaitSummary(ctx context.Context, needed func() bool) {
	j := c.job
	c.awaiting = true
	defer func() {
		c.awaiting = false
		c.announceReview()
	}()
	if c.loop.HasQueued() {
		c.loop.ShowQueued()
	}
	c.loop.ShowCompacting()
	c.announceWriting(true)
	c.announceReview()
	for !c.hasDueOperation() {
		if j.ended() {
			c.applySummary(ctx)
			return
		}
		select {
		case <-c.inbox.Wake: // the goroutine of the job wakes it when it ends
			c.inbox.Drain(ctx)
			if j.pending() && !needed() {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// endCurrentJob ends the current job, if there is one.
func (c *Compactor) endCurrentJob(ctx context.Context) {
	j := c.job
	if j == nil {
		return
	}
	if j.pending() {
		c.discard(j, errReplaced)
	}
	<-j.done // a discarded job ends at once
	c.applySummary(ctx)
}

// Under rules that evict, a request never waits for a summary. Rules:
//
//   - It is written in the background when the load line is near or passed, at most once until the conversation has
//     grown again. When no user is present none is prepared: another turn may never come.
//   - A written summary waits in memory for the eviction of the turns that it covers: summary and note are one
//     epoch. Its usage is recorded at once.
//   - At the hard line the note is committed alone. A summary that is ready later waits for the next eviction, so that
//     the cached prefix breaks once.
//   - An overlay on its events, other than a note, makes it stale. It is then discarded, as it is when the program
//     ends, and the log gets the outcome.

// keepPrepared keeps a written summary for the eviction of the turns that it covers.
func (c *Compactor) keepPrepared(ctx context.Context, j *job) {
	c.job = nil
	c.journal.Record(ctx, c.usageOf(ctx, j)...)
	c.prepared = append(c.prepared, j)
	c.journal.Logger.Info("compaction", "outcome", "prepared", "source", j.request.Source, "preset", j.writer.preset,
		"from_turn", j.writer.from, "to_turn", j.writer.to, "requests", len(j.writer.requests), "duration", j.writer.duration)
	c.journal.Publish(updates.Prepared{})
}

// evict makes an eviction, with the summaries that are prepared for it.
func (c *Compactor) evict(ctx context.Context, plan planner.Plan, origin conversation.Origin) {
	why := c.whyNoSummary(plan)
	if !c.evictWithSummaries(ctx, plan, origin) {
		origin.Why = why
		c.applyOverlays(ctx, origin, plan.WithoutSummary().Masks)
	}
}

// whyNoSummary is the reason why the note of an eviction has no summary, for the compaction log. It is "" for
// other plans.
func (c *Compactor) whyNoSummary(plan planner.Plan) string {
	if plan.Trigger != planner.TriggerLoadLine && plan.Trigger != planner.TriggerHardLine {
		return ""
	}
	failed := c.newestFailure()
	switch j := c.job; {
	case c.journal.Rules().Summary.When == preset.SummaryNever, c.journal.Rules().Summary.When == preset.SummaryByHand:
		return "no summary: compaction.summary.when is " + string(c.journal.Rules().Summary.When)
	case c.schedule.history.Exhausted(c.journal.Rules()):
		return fmt.Sprintf("no summary: %d requests failed, so no more are made", c.schedule.history.Failures)
	case j != nil && j.state == stateInReview:
		return "no summary: it was waiting for your review"
	case j != nil && j.pending():
		return "no summary: it was still being written"
	case len(c.prepared) > 0:
		return "no summary: the one that is ready covers other messages"
	case failed != 0:
		return fmt.Sprintf("no summary: see e%d", failed)
	}
	if c.journal.Rules().Summary.When == preset.SummaryAuto && !c.journal.Model().Sheet().Unpriced {
		return "no summary: it would cost more than the look-ups that it saves, or was not started in time"
	}
	return "no summary: none was started in time"
}

// newestFailure is the event of the newest failed summary since the newest compaction, 0 without one.
func (c *Compactor) newestFailure() uint64 {
	for _, e := range slices.Backward(c.journal.Events()) {
		switch b := e.Body.(type) {
		case conversation.Attempt:
			return e.Seq
		case conversation.Summary:
			if b.Policies == nil {
				return 0
			}
		}
	}
	return 0
}

// evictWithSummaries makes an eviction together with the prepared summaries that fit it. It reports false if none fits.
func (c *Compactor) evictWithSummaries(ctx context.Context, plan planner.Plan, origin conversation.Origin) bool {
	if len(c.prepared) == 0 {
		return false
	}
	if err := c.journal.Flush(ctx); err != nil {
		return false // the note fails for the same reason, and reports it
	}
	mayExtend := plan.Trigger != planner.TriggerCold
	propose := func(jobs []*job) (edit.Proposal, bool) {
		var proposals []*edit.Proposal
		for _, j := range jobs {
			proposals = append(proposals, &j.proposal)
		}
		proposal, err := edit.EvictWith(c.journal.Events(), c.journal.Rules(), c.journal.CompactionInputs(), origin, plan.Note, mayExtend, proposals...)
		hard := c.journal.Reading().HardLine
		staysAbove := plan.BlocksRequest && hard > 0 && proposal.Preview().After > hard
		return proposal, err == nil && proposal.SavesEnough() && !staysAbove
	}
	var fitting []*job
	for _, j := range c.prepared {
		if _, ok := propose([]*job{j}); ok && j.state == stateReady {
			fitting = append(fitting, j)
		}
	}
	if len(fitting) == 0 {
		return false
	}
	proposal, ok := propose(fitting)
	if !ok {
		return false
	}
	request := edit.Request{Source: origin.Source, Trigger: origin.Trigger}
	if err := c.commit(ctx, &proposal, request, nil, fitting...); err != nil {
		c.reportRefusal(ctx, request, err)
		return true
	}
	c.prepared = slices.DeleteFunc(c.prepared, func(j *job) bool { return j.state == stateApplied })
	c.writers.previous = nil
	return true
}

// evictIfDue makes the eviction that a prepared summary waits for, if it is due.
func (c *Compactor) evictIfDue(ctx context.Context) {
	if c.job != nil || len(c.prepared) == 0 || ctx.Err() != nil {
		return
	}
	moment := planner.MomentReply
	if c.journal.InTurn {
		moment = c.journal.Moment()
	}
	plan := c.plan(ctx, moment, false)
	if note, ok := plan.Note.(conversation.Summary); ok && c.hasPrepared(note.Spans) {
		c.evict(ctx, plan, c.originOf(plan.Trigger))
	}
}

// commitPrepared answers a request with the newest prepared summary, and reports whether it did. For the user, that
// summary must cover all messages in asked. The model names no messages, so any summary answers it.
func (c *Compactor) commitPrepared(ctx context.Context, request edit.Request, asked []conversation.Span) bool {
	list := c.prepared
	if len(list) == 0 {
		return false
	}
	j, unlimited := list[len(list)-1], request.From == nil && request.To == nil && request.KeepLast < 0
	switch {
	case j.state != stateReady, request.Focus != "", request.Review && c.journal.Interactive:
		return false
	case request.Source == conversation.SourceManual && !(unlimited && conversation.Disjoint(j.basis.spans).ContainsMessages(c.journal.Events(), asked)):
		return false
	}
	j.joinedBy = request.Source
	if err := c.commitJob(ctx, j, nil); err != nil {
		j.joinedBy = ""
		return false
	}
	c.prepared = list[:len(list)-1]
	return true
}
