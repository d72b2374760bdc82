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

// A summary is taken in between two requests, if it still fits what the model is
// shown; whatever came of it is on record with what it cost.

// applySummary takes in a summary that is written, or records that none is.
func (c *Compactor) applySummary(ctx context.Context) {
	j := c.job
	j.look()
	if j.state == stateReady && j.overtaken(c.journal) {
		j.end(errOvertaken)
	}
	if j.state == stateReady && j.waitsForStep(c.journal.Rules()) {
		c.keepPrepared(ctx, j)
		c.makeDueStep(ctx)
		return
	}
	c.finish(ctx, j)
}

// finish puts the summary of a job that ended in force, or records why it is not.
func (c *Compactor) finish(ctx context.Context, j *job) {
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
	if j.writer.previous {
		c.writers.previous = nil // the one in use is asked next
	}
	if j.plan != nil && j.plan.Drops {
		c.ApplyLadder(ctx, j.plan.Trigger, false) // ONE
	}
}

// commitJob puts a summary in force, with the masks of its plan.
func (c *Compactor) commitJob(ctx context.Context, j *job, spent []conversation.Body) error {
	proposal, err := j.rebase(c.journal, &j.proposal)
	if err != nil {
		return err
	}
	w := j.request
	if j.joined == conversation.SourceManual {
		w.Source = j.joined // who joined it is told like who asked for it
	}
	if e := c.commit(ctx, &proposal, w, spent, j); e != nil {
		return e
	}
	return nil
}

// Where the user wants to review the summary before it is applied, it waits for him
// when it is written. Rules:
//
//   - Until he has decided, the summary is to everybody else one that is being
//     written: the conversation goes on meanwhile, another request joins or replaces
//     it, and what overtakes it ends it. A request that does not fit waits for him;
//     Esc then gives the summary up, and the request goes down the ladder.
//   - His reading takes no time of the summary's limit, and is no part of how long
//     it took.
//   - What he makes of the text has to count by its length. If it does not he is
//     told why and goes on editing.

// accept lets a summary be taken in with the user's text. Whether one that he left
// as it is saves enough is judged where all are, when it is taken in.
func (c *Compactor) accept(j *job, text string) {
	proposal, err := j.proposal.WithText(text)
	evicted := j.waitsForStep(c.journal.Rules()) && c.journal.Revision() != j.basis.revision // by notes: the next step judges what it saves
	if err == nil && proposal.Edited() && !evicted {
		_, err = j.rebase(c.journal, &proposal)
	}
	if err != nil {
		c.journal.Tell(updates.Edited{What: updates.EditReview, Err: notTaken(err)})
		return
	}
	j.proposal = proposal
	j.on(eventAccepted)
	c.journal.Tell(updates.Reviewed{})
}

// notTaken is why a text of the user does not count.
func notTaken(err error) *llm.Error {
	e := &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: "change the text, or discard the summary; nothing is applied yet", Err: err}
	switch {
	case errors.Is(err, summary.ErrEmpty):
		e.Message = "the summary has no text"
	case errors.Is(err, errTooLittle):
		e.Message = "the text is too long: with it the summary would save too little"
	}
	return e
}

// start has the text of a job written. The error is an *Error, one of package
// compact, or the cause of ctx's end; then there is no job.
func (c *Compactor) start(ctx context.Context, j *job) error {
	c.clear(ctx)
	j.basis.window, j.writer = c.journal.Model().Window, c.writers.newWriter()
	if err := c.journal.RecordOverrides(ctx); err != nil {
		return err
	}
	if err := c.writers.prepare(ctx, j); err != nil {
		return err
	}
	if j.proposal.Job != nil && j.proposal.Job.Input == preset.InputView {
		// Only this form carries the prompt and the tools, to the conversation's model.
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
	if j.proposal.Job == nil { // the rules were changed meanwhile
		j.on(eventComplete)
		close(j.done)
		return nil
	}
	j.on(eventBegun)
	c.announce(false)
	go func() {
		j.err = j.writer.write(jobCtx, &j.proposal)
		cancel(nil)
		close(j.done)
		c.inbox.Put(func(context.Context) { c.showForReview(j) }) // and whoever waits looks
	}()
	return nil
}

// await waits for the summary that is being written, and takes it in. It returns
// before that if ctx ends, something else is to be done first, or it is not needed
// any more.
func (c *Compactor) await(ctx context.Context, needed func() bool) {
	j := c.job
	c.held = true
	defer func() {
		c.held = false
		c.announceReview()
	}()
	if c.loop.Messages() {
		c.loop.ShowMessages()
	}
	c.loop.Compacting()
	c.announce(true)
	c.announceReview()
	for !c.operations.due(c.journal.InTurn()) {
		if j.ended() {
			c.applySummary(ctx)
			return
		}
		select {
		case <-c.inbox.Wake: // its goroutine puts something in when it ends
			c.inbox.Drain(ctx)
			if j.pending() && !needed() {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// clear ends the summary that is being written, if one is.
func (c *Compactor) clear(ctx context.Context) {
	j := c.job
	if j == nil {
		return
	}
	if j.pending() {
		c.drop(j, errReplaced)
	}
	<-j.done // it ends at once
	c.applySummary(ctx)
}

// Where rules evict, a summary never holds a request up. Rules:
//
//   - It is written in the background while the load line nears, or from there
//     on, at most once until the conversation has grown again. Where no user is there
//     it is not prepared: nobody knows whether another turn comes.
//   - Written, it waits in memory for the step that evicts what it covers: text and
//     note are one epoch. What it cost is recorded at once.
//   - At the hard line the note alone is committed. A text that comes later waits for
//     the next step, so that the prefix breaks once.
//   - What is put over its events meanwhile, but for notes, makes it stale. It is then
//     dropped, and so it is when the program ends: the log says so.

// keepPrepared keeps a summary that is written for the step that evicts what it covers.
func (c *Compactor) keepPrepared(ctx context.Context, j *job) {
	c.job = nil
	if _, err := c.journal.Keep(ctx, c.records.usageOf(ctx, j)...); err != nil {
		c.journal.Tell(updates.Failed{Err: llm.AsError(err)})
	}
	c.prepared = append(c.prepared, j)
	c.journal.Logger().Info("compaction", "outcome", "prepared", "source", j.request.Source, "preset", j.writer.preset,
		"from_turn", j.writer.from, "to_turn", j.writer.to, "requests", len(j.writer.spent), "duration", j.writer.took)
	c.journal.Tell(updates.Prepared{FromTurn: j.writer.from, ToTurn: j.writer.to})
}

// evict makes a step that evicts, with the summaries that are written for it.
func (c *Compactor) evict(ctx context.Context, plan planner.Plan, made conversation.Origin) {
	why := c.whyAlone(plan)
	if !c.evictWith(ctx, plan, made) {
		made.Why = why
		c.overlay(ctx, made, plan.WithoutSummary().Masks)
	}
}

// whyAlone is why the note of a step has no summary beside it, "" where none belongs to
// such a step. It is stored with the step, so that the ledger can say it later.
func (c *Compactor) whyAlone(plan planner.Plan) string {
	if plan.Trigger != planner.TriggerLoadLine && plan.Trigger != planner.TriggerHardLine {
		return ""
	}
	failed := c.newestFailure()
	switch j := c.job; {
	case c.journal.Rules().Summary.When == preset.SummaryNever, c.journal.Rules().Summary.When == preset.SummaryByHand:
		return "no summary: compaction.summary.when is " + string(c.journal.Rules().Summary.When)
	case c.schedule.past.Exhausted(c.journal.Rules()):
		return fmt.Sprintf("no summary: %d requests failed, so no more are made", c.schedule.past.Failures)
	case j != nil && j.state == stateInReview:
		return "no summary: it was waiting for your review"
	case j != nil && j.pending():
		return "no summary: it was still being written"
	case len(c.prepared) > 0:
		return "no summary: the one that is ready covers other messages"
	case failed != 0:
		return fmt.Sprintf("no summary: see e%d", failed)
	}
	return "no summary: none was started in time"
}

// newestFailure is the event of the newest summary that did not come about since the
// newest compaction, 0 if there is none.
func (c *Compactor) newestFailure() uint64 {
	log := c.journal.Events()
	for i := len(log) - 1; i >= 0; i-- {
		switch b := log[i].Body.(type) {
		case conversation.Attempt:
			return log[i].Seq
		case conversation.Summary:
			if b.Policies == nil {
				return 0
			}
		}
	}
	return 0
}

// evictWith makes a step that evicts with the summaries that are written for it, and
// reports whether it is made.
func (c *Compactor) evictWith(ctx context.Context, plan planner.Plan, made conversation.Origin) bool {
	if len(c.prepared) == 0 {
		return false
	}
	if err := c.journal.Flush(ctx); err != nil {
		return false // so is the note, and that is told
	}
	more := plan.Trigger != planner.TriggerCold
	step := func(jobs []*job) (edit.Proposal, bool) {
		var proposals []*edit.Proposal
		for _, j := range jobs {
			proposals = append(proposals, &j.proposal)
		}
		proposal, err := edit.EvictWith(c.journal.Events(), c.journal.Rules(), c.journal.Situation(), made, plan.Note, more, proposals...)
		return proposal, err == nil && proposal.SavesEnough() && !c.schedule.holds(plan, &proposal)
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
	proposal, ok := step(use)
	if !ok {
		return false
	}
	w := edit.Request{Source: made.Source, Trigger: made.Trigger}
	if err := c.commit(ctx, &proposal, w, nil, use...); err != nil {
		c.records.refuse(ctx, w, err)
		return true
	}
	c.prepared = slices.DeleteFunc(c.prepared, func(j *job) bool { return j.state == stateApplied })
	c.writers.previous = nil
	return true
}

// makeDueStep makes the step that a summary which is written was waited for, if that is
// due.
func (c *Compactor) makeDueStep(ctx context.Context) {
	if c.job != nil || len(c.prepared) == 0 || ctx.Err() != nil {
		return
	}
	moment := planner.MomentReply
	if c.journal.InTurn() {
		moment = c.journal.Moment()
	}
	plan := c.schedule.plan(moment, false)
	if note, ok := plan.Note.(conversation.Summary); ok && c.prepared.covers(note.Spans) {
		c.evict(ctx, plan, c.made(plan.Trigger))
	}
}

// commitPrepared applies the newest prepared summary at once, for a request, and reports whether it does. The user gets
// it only if it covers all messages that a summary of the request would; the model only asks for room.
func (c *Compactor) commitPrepared(ctx context.Context, w edit.Request, asked []conversation.Span) bool {
	list := c.prepared
	if len(list) == 0 {
		return false
	}
	j, whole := list[len(list)-1], w.From == nil && w.To == nil && w.KeepLast < 0
	switch {
	case j.state != stateReady, w.Focus != "", w.Review && c.journal.Interactive():
		return false
	case w.Source == conversation.SourceManual && !(whole && conversation.Disjoint(j.basis.spans).ContainsMessages(c.journal.Events(), asked)):
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
