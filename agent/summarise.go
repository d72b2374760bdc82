package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// A summary is written while everything else goes on waiting but the user: what
// is typed meanwhile queues. Rules:
//
//   - The overlay is stored only when the text is there, counts, and still fits
//     what the model sees; until then nothing of it is in the log, so that a stop,
//     a crash and a failure leave the view as it was.
//   - What the requests cost is recorded, whatever came of them.
//   - No text of an error ever becomes a summary: what counts decides package
//     compact.

// job is a summary that is being written.
type job struct {
	wish     compact.Wish
	pass     compact.Pass
	preset   compact.Preset
	model    Model // that writes it
	provider Provider

	began    time.Time
	limit    time.Duration  // for the whole
	revision uint64         // of the view it is about
	window   compact.Window // of the conversation's model when it began
	retries  int            // left
	spent    []conversation.Body

	cancel  context.CancelCauseFunc
	stopped bool
}

// stop gives the summary up.
func (j *job) stop(cause error) {
	j.stopped = true
	j.cancel(cause)
}

// summarise makes a pass for which a text has to be written.
func (a *Agent) summarise(ctx context.Context, w compact.Wish) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &job{
		wish: w, cancel: cancel, began: a.opts.Now(), preset: a.compaction.rules.Preset,
		revision: a.log.Revision(), window: a.settings.model.Window, model: a.settings.model, provider: a.settings.provider,
	}
	a.compaction.job = j
	err := a.write(jobCtx, j)
	a.compaction.job = nil
	switch {
	case err == nil && context.Cause(jobCtx) != nil:
		err = context.Cause(jobCtx)
	case err == nil && a.overtook(j):
		err = errOvertaken
	}
	if err == nil {
		failure := a.commit(ctx, &j.pass, w, j.spent)
		if failure == nil {
			return
		}
		err = failure
	}
	a.giveUp(ctx, j, err)
}

// overtook reports whether the conversation went over a summary: other overlays
// lie on it, or it has to fit into less.
func (a *Agent) overtook(j *job) bool {
	now := a.settings.model.Window
	return a.log.Revision() != j.revision || j.window.Known() && now.Known() && now.Tokens < j.window.Tokens
}

// write has the text of a job written and takes it into the pass. The error is
// an *Error, one of package compact, or the cause of ctx's end.
func (a *Agent) write(ctx context.Context, j *job) error {
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
	if j.pass.Job == nil {
		return nil // the rules were changed meanwhile
	}
	a.status(Status{Phase: PhaseCompacting})
	a.updates.Put(Compacting{
		Since: j.began, Focus: j.wish.Focus, FromTurn: j.pass.Range.From, ToTurn: j.pass.Range.To, Summary: true,
	})
	if j.preset.Style() == conversation.StyleJCLI {
		a.opts.Logger.Info("auto_compact triggered") // JCL
	}
	ctx, stop := context.WithTimeoutCause(ctx, j.limit, errTooLate)
	defer stop()
	return a.fulfil(ctx, j)
}

// prepare works the wish out once more, on the log as it is now, and finds who
// writes.
func (a *Agent) prepare(ctx context.Context, j *job) error {
	rules, now := a.compaction.rules, a.situation()
	j.preset = rules.Preset
	var err error
	if j.pass, err = compact.NewPass(a.log.Events(), rules, now, j.wish); err != nil || j.pass.Job == nil {
		return err
	}
	summary := rules.Profiles[j.pass.Profile].Summary
	j.retries = summary.Retries
	if j.limit = time.Duration(summary.TimeoutSecs) * time.Second; j.limit <= 0 {
		j.limit = time.Minute
	}
	if err := a.findWriter(j); err != nil {
		return err
	}
	if j.preset.Style() != conversation.StyleJCLI || a.opts.Transcript == nil {
		return nil
	}
	if now.Transcript, err = a.transcript(ctx); err != nil {
		return err
	}
	j.pass, err = compact.NewPass(a.log.Events(), rules, now, j.wish)
	return err
}

// findWriter finds the model that a profile names.
func (a *Agent) findWriter(j *job) error {
	name := j.pass.Job.Model
	if name == "" || name == j.model.Name() {
		return nil
	}
	if a.opts.Summarisers != nil {
		if m, p, ok := a.opts.Summarisers(name); ok && p != nil {
			j.model, j.provider = m, p
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

// giveUp records and tells why a summary came to nothing.
func (a *Agent) giveUp(ctx context.Context, j *job, err error) {
	e, outcome := ended(err, j.limit)
	took := a.opts.Now().Sub(j.began)
	a.opts.Logger.Info("compaction", "outcome", outcome, "source", j.wish.Source, "preset", j.preset,
		"profile", j.pass.Profile, "class", e.Class, "status", e.Status, "requests", len(j.spent), "duration", took)
	a.fail(ctx, conversation.Attempt{
		Source: j.wish.Source, Trigger: j.wish.Trigger, Preset: string(j.preset), Profile: j.pass.Profile,
		Outcome: outcome, Why: e.Message, Model: j.model.Name(), Before: a.meter.EstimatedTokens(), Duration: took.Milliseconds(),
	}, j.spent...)
	a.rearm()
	a.updates.Put(CompactionFailed{Err: e, Wish: j.wish})
}

// worthAnother are the reasons not to take an answer for which asking again may
// help. One that was cut off, or is too long, is paid for twice to no avail.
var worthAnother = []error{
	compact.ErrSummaryCalls, compact.ErrSummaryEmpty, compact.ErrSummaryDeclined, compact.ErrSummaryFailure,
	compact.ErrSummaryEcho, compact.ErrSummaryShort,
}

// another takes a retry for an answer that did not count, if there is one left
// and it may help. ONE asks again after a failed call only.
func (j *job) another(err error) bool {
	helps := slices.ContainsFunc(worthAnother, func(reason error) bool { return errors.Is(err, reason) })
	if j.pass.Fallback() != nil && errors.Is(err, compact.ErrSummaryCut) {
		helps = true // the other form leaves more room
	}
	if j.retries <= 0 || j.preset.Style() == conversation.StyleOneClaw || !helps {
		return false
	}
	j.retries--
	return true
}
