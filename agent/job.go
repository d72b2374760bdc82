package agent

import (
	"context"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// A summary is written beside the conversation: typing, sending and tool loops
// go on, and what is said meanwhile is behind what it covers. Rules:
//
//   - One at a time. The same request again joins it, another one replaces it.
//   - It is written from a snapshot, on a goroutine that reads nothing the owner
//     changes. The owner takes it in between two requests, if what the model is
//     shown is still what it was written from, and the window is no smaller.
//   - Until then nothing of it is in the log, so that a stop, a crash and a failure
//     leave the view as it was. What the requests cost is recorded, whatever came
//     of them.
//   - A request waits for it only as long as it would not fit, or if whoever asked
//     waits.
//   - No text of an error ever becomes a summary: what counts decides package
//     compact.

// job is a summary on its way. Above done it belongs to the owner; below it to its
// goroutine until done is closed.
type job struct {
	state state
	cause error // why it was given up or failed, nil in the other states

	wish compact.Wish                                  // that asked for it; of a plan its source and trigger only
	plan *compact.Plan                                 // that asked for it, nil where somebody did
	work func(compact.Situation) (compact.Pass, error) // works it out on the log as it is

	basis    basis
	blocking bool                // the next request waits for it
	joined   conversation.Source // the user or the model, where they asked for what was under way
	review   bool                // the user reads the text before it takes effect
	cancel   context.CancelCauseFunc

	done chan struct{} // closed when its goroutine ended

	writer writer
	pass   compact.Pass
	err    error
}

// basis is what a summary is written from.
type basis struct {
	revision uint64              // of the view
	spans    []conversation.Span // that it covers
	window   compact.Window      // of the conversation's model
}

// on moves the summary to its next state.
func (j *job) on(e event) { j.state = j.state.next(e) }

// end gives the summary up for a cause.
func (j *job) end(cause error) {
	if !j.state.open() {
		return
	}
	j.on(eventOf(cause))
	j.cause = cause
	if j.cancel != nil {
		j.cancel(cause)
	}
}

// look takes over what the goroutine of the summary left, and reports whether that
// has ended. A text that the user reads first is shown by the compactor.
func (j *job) look() bool {
	select {
	case <-j.done:
	default:
		return false
	}
	if j.state == statePreparing {
		switch {
		case j.err != nil:
			j.end(j.err)
		case !j.review:
			j.on(eventWritten)
		}
	}
	return true
}

// pending reports whether the summary is being written, or waits for the user.
func (j *job) pending() bool {
	j.look()
	return j.state == statePreparing || j.state == stateInReview
}

// ended reports whether there is nothing to wait for any more.
func (j *job) ended() bool { return j.look() && !j.pending() }

// asked reports whether the user or the model asked for the summary.
func (j *job) asked() bool {
	return j.joined != "" || j.wish.Source == conversation.SourceManual || j.wish.Source == conversation.SourceTool
}

// writing reports whether a summary is being written, or waits for the user.
func (c *compactor) writing() bool { return c.job != nil && c.job.pending() }

// start has the text of a job written. The error is an *Error, one of package
// compact, or the cause of ctx's end; then there is no job.
func (c *compactor) start(ctx context.Context, j *job) error {
	c.clear(ctx)
	j.basis.window, j.writer = c.settings.model.Window, c.writers.newWriter()
	if err := c.recordOverrides(ctx); err != nil {
		return err
	}
	if err := c.writers.prepare(ctx, j); err != nil {
		return err
	}
	if j.pass.Job != nil && j.pass.Job.Input == compact.InputView {
		// Only this form carries the prompt and the tools, to the conversation's model.
		if err := c.recordSettings(ctx); err != nil {
			return err
		}
		if err := c.writers.prepare(ctx, j); err != nil {
			return err
		}
	}
	j.basis.revision, j.basis.spans, j.done = c.log.Revision(), j.pass.Spans, make(chan struct{})
	jobCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	j.cancel, c.job = cancel, j
	if j.pass.Job == nil { // the rules were changed meanwhile
		j.on(eventComplete)
		close(j.done)
		return nil
	}
	j.on(eventBegun)
	c.announce(false)
	go func() {
		j.err = j.writer.write(jobCtx, &j.pass)
		cancel(nil)
		close(j.done)
		c.inbox.put(func(context.Context) { c.showForReview(j) }) // and whoever waits looks
	}()
	return nil
}

// announce tells that a summary is being written, or waited for.
func (c *compactor) announce(held bool) {
	j := c.job
	c.updates.Put(Compacting{
		Since: j.writer.began, Focus: j.wish.Focus, FromTurn: j.writer.from, ToTurn: j.writer.to, Summary: true,
		Source: j.wish.Source, Held: held,
	})
}

// await waits for the summary that is being written, and takes it in. It returns
// before that if ctx ends, something else is to be done first, or it is not needed
// any more.
func (c *compactor) await(ctx context.Context, needed func() bool) {
	j := c.job
	c.held = true
	defer func() {
		c.held = false
		c.announceReview()
	}()
	if len(c.queue.messages) > 0 {
		c.queue.store()
		c.queue.show()
	}
	c.display.status(Status{Phase: PhaseCompacting})
	c.announce(true)
	c.announceReview()
	for !c.operations.due(c.inTurn) {
		if j.ended() {
			c.applySummary(ctx)
			return
		}
		select {
		case <-c.inbox.wake: // its goroutine puts something in when it ends
			c.inbox.drain(ctx)
			if j.pending() && !needed() {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// clear ends the summary that is being written, if one is.
func (c *compactor) clear(ctx context.Context) {
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

// modelClient is a model and where it is reached.
type modelClient struct {
	model    Model
	provider Provider
}

// bound is how long a request may be as far as the refusal tells for which the job
// makes room, in tokens; 0 if it makes it for no refusal.
func (j *job) bound() int {
	if j.plan == nil || j.plan.Trigger != compact.TriggerOverflow {
		return 0
	}
	return int(compact.DefaultTriggerRatio * float64(j.plan.Used))
}
