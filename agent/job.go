package agent

import (
	"context"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// A summary is written beside the conversation: typing, sending and tool loops
// go on, and what is said meanwhile is behind what it covers. Rules:
//
//   - One at a time. The same wish again joins it, another one replaces it.
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

// job is a summary that is being written. Above done it belongs to the owner;
// below it to its goroutine until done is closed.
type job struct {
	wish compact.Wish                                  // that asked for it; of a plan its source and trigger only
	plan *compact.Plan                                 // that asked for it, nil for a wish
	work func(compact.Situation) (compact.Pass, error) // works it out on the log as it is

	preset   compact.Preset
	began    time.Time
	limit    time.Duration       // for the whole
	revision uint64              // of the view it is about
	spans    []conversation.Span // that it covers
	window   compact.Window      // of the conversation's model when it began
	former   bool                // the model before writes it
	waited   bool                // whoever asked waits for it
	told     bool                // the user is told what comes of it
	wanted   bool                // the model asked for it, too
	review   bool                // the user reads the text before it counts
	shown    bool                // it waits for him
	decided  bool                // he takes it
	stopped  error               // why it was given up, nil if it was not
	outcome  string              // what it came to, "" while it is not taken in or was made
	cancel   context.CancelCauseFunc

	done chan struct{} // closed when its goroutine ended

	writer writer
	pass   compact.Pass
	err    error
}

// stop gives the summary up; see [Agent.drop].
func (j *job) stop(cause error) {
	j.stopped = cause
	j.cancel(cause)
}

// ended reports whether there is nothing to wait for any more.
func (j *job) ended() bool {
	select {
	case <-j.done:
		return !j.review || j.decided || j.stopped != nil || j.err != nil
	default:
		return false
	}
}

// writing reports whether a summary is being written, or waits for the user.
func (a *Agent) writing() bool { return a.compaction.job != nil && !a.compaction.job.ended() }

// begin has the text of a job written. The error is an *Error, one of package
// compact, or the cause of ctx's end; then there is no job.
func (a *Agent) begin(ctx context.Context, j *job) error {
	a.clear(ctx)
	j.began, j.window = a.opts.Now(), a.settings.model.Window
	j.writer = a.newWriter()
	if err := a.recordOverrides(ctx); err != nil {
		return err
	}
	if err := a.prepare(ctx, j); err != nil {
		return err
	}
	if j.pass.Job != nil && j.pass.Job.Input == compact.InputView {
		// Only this form carries the prompt and the tools, to the conversation's model.
		if err := a.record(ctx); err != nil {
			return err
		}
		if err := a.prepare(ctx, j); err != nil {
			return err
		}
	}
	j.revision, j.spans, j.done = a.log.Revision(), j.pass.Spans, make(chan struct{})
	jobCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	j.cancel, a.compaction.job = cancel, j
	if j.pass.Job == nil { // the rules were changed meanwhile
		j.review = false
		close(j.done)
		return nil
	}
	a.tellJob(false)
	go func() {
		j.err = j.writer.write(jobCtx, &j.pass, j.limit)
		cancel(nil)
		close(j.done)
		a.inbox.put(func(context.Context) { a.written(j) }) // and whoever waits looks
	}()
	return nil
}

// tellJob tells that a summary is being written, or waited for.
func (a *Agent) tellJob(held bool) {
	j := a.compaction.job
	a.updates.Put(Compacting{
		Since: j.began, Focus: j.wish.Focus, FromTurn: j.writer.from, ToTurn: j.writer.to, Summary: true,
		Source: j.wish.Source, Held: held,
	})
}

// prepare works a job out on the log as it is now, and finds who writes.
func (a *Agent) prepare(ctx context.Context, j *job) error {
	rules, now := a.compaction.rules, a.situation()
	j.preset = rules.Preset
	former := a.former(j)
	switch {
	case j.bound() > 0 && !a.settings.model.Window.Known():
		now.Writer, now.Cold = j.bound(), true // what was refused is not asked for again with more behind it
	case former != nil:
		j.former = true
		now.Cold, now.Caps, now.Writer = a.coldFor(former.model), former.model.Caps, former.model.Window.Tokens
	}
	var err error
	if j.pass, err = j.work(now); err != nil || j.pass.Job == nil {
		return err
	}
	summary := rules.Profiles[j.pass.Profile].Summary
	if j.plan != nil {
		summary = rules.Summary
	}
	j.writer.retries, j.review = summary.Retries, a.reviews(j.wish, summary)
	if j.limit = time.Duration(summary.TimeoutSecs) * time.Second; j.limit <= 0 {
		j.limit = time.Minute
	}
	if err := a.findWriter(j, former); err != nil {
		return err
	}
	j.writer.preset, j.writer.from, j.writer.to = j.preset, j.pass.Range.From, j.pass.Range.To
	if j.preset.Style() != conversation.StyleJCLI {
		return nil
	}
	a.opts.Logger.Info("auto_compact triggered") // JCL
	if a.opts.Transcript == nil {
		return nil
	}
	if now.Transcript, err = a.transcript(ctx); err != nil {
		return err
	}
	j.pass, err = j.work(now)
	return err
}

// findWriter finds the model that a profile names: the conversation's own if it
// names none, or the one it was held with if that has the larger window.
func (a *Agent) findWriter(j *job, former *party) error {
	name := j.pass.Job.Model
	w := &j.writer
	switch {
	case name == "" && former != nil:
		w.use(a, former.model, former.provider)
		return nil
	case name == "" || name == a.settings.model.Name():
		w.use(a, a.settings.model, a.settings.provider)
		if n := j.bound(); n > 0 && !w.model.Window.Known() {
			w.model.Window = compact.Window{Tokens: n, Source: compact.WindowUnknown}
		}
		return nil
	}
	if a.opts.Summarisers != nil {
		if m, p, ok := a.opts.Summarisers(name); ok && p != nil {
			w.use(a, m, p)
			return nil
		}
	}
	return &Error{
		Class: NotFound, Message: "the model " + oneLine(name) + ", which the profile " + j.pass.Profile + " has for summaries, is not there",
		Hint: "check compaction.summary.model and the provider's key, or leave it empty for the conversation's own model",
	}
}

// transcript saves the history as it is sent (JCL).
func (a *Agent) transcript(ctx context.Context) (path string, err error) {
	view := a.view
	path = beside(ctx, a, func() string {
		var saved string
		saved, err = a.opts.Transcript(ctx, view)
		return saved
	})
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", &Error{
			Class: NotSaved, Message: "the history could not be saved before it is replaced: " + err.Error(),
			Hint: "check the data folder, then compact again", Err: err,
		}
	}
	a.opts.Logger.Info("Transcript saved: " + path) // JCL
	return path, nil
}

// await waits for the summary that is being written, and takes it in. It returns
// before that if ctx ends, something else is to be done first, or it is not needed
// any more.
func (a *Agent) await(ctx context.Context, needed func() bool) {
	j := a.compaction.job
	a.compaction.held = true
	defer func() {
		a.compaction.held = false
		a.tellReview()
	}()
	if len(a.queue.messages) > 0 {
		a.backlog.put(a.queue.texts())
		a.showQueue()
	}
	a.status(Status{Phase: PhaseCompacting})
	a.tellJob(true)
	a.tellReview()
	for !a.due() {
		if j.ended() {
			a.land(ctx)
			return
		}
		select {
		case <-a.inbox.wake: // its goroutine puts something in when it ends
			a.obey(ctx)
			if !j.ended() && j.stopped == nil && !needed() {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// clear ends the summary that is being written, if one is.
func (a *Agent) clear(ctx context.Context) {
	j := a.compaction.job
	if j == nil {
		return
	}
	if !j.ended() {
		if j.stopped == nil {
			a.drop(j, errReplaced)
		}
		<-j.done // it ends at once
	}
	a.land(ctx)
}

// party is a model and where it is reached.
type party struct {
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

// former is the model that the conversation was held with before one with a
// smaller window, while a plan has to make room for that; nil otherwise.
func (a *Agent) former(j *job) *party {
	if j.plan == nil || !a.over() {
		return nil
	}
	return a.compaction.former
}

// joins reports whether somebody who wishes for w gets it from this job.
func (j *job) joins(w compact.Wish, r compact.Rules) bool {
	if j.stopped != nil {
		return false
	}
	if j.plan == nil {
		return sameWish(r, j.wish, w)
	}
	return r.Profiles[r.ProfileOf(w)].Summarize && w.Focus == "" && w.From == nil && w.To == nil && w.KeepLast < 0
}
