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

// land takes in a summary that is written, or records that none is.
func (a *Agent) land(ctx context.Context) {
	j := a.compaction.job
	err := j.err
	switch {
	case j.stopped != nil:
		err = j.stopped
	case err == nil && a.overtook(j):
		err = errOvertaken
	}
	if err == nil && a.offered(j) {
		a.offer(ctx, j)
		a.takeUp(ctx)
		return
	}
	a.finish(ctx, j, err)
}

// spentOn is what the requests of a job cost, for the log.
func (a *Agent) spentOn(ctx context.Context, j *job) []conversation.Body {
	var spent []conversation.Body
	for _, s := range j.writer.spent {
		spent = append(spent, a.usage(s.request, s.reply, 0)...)
	}
	if n := j.writer.learned; n > 0 && j.writer.model.Name() == a.settings.model.Name() {
		a.learnWindow(ctx, n)
	}
	return spent
}

// finish puts the summary of a job that ended in force, or records the error for
// which it is not.
func (a *Agent) finish(ctx context.Context, j *job, err error) {
	a.compaction.job = nil
	spent := a.spentOn(ctx, j)
	if err == nil {
		err = a.commitJob(ctx, j, spent)
	}
	if err == nil {
		a.compaction.former = nil
		return
	}
	j.outcome = a.giveUp(ctx, j, err, spent)
	if j.former && j.outcome == conversation.OutcomeFailed {
		a.compaction.former = nil // the one in use is asked next
	}
	if j.plan != nil && j.plan.Drops && j.outcome == conversation.OutcomeFailed {
		a.recover(ctx, j.plan.Trigger, false) // ONE
	}
}

// commitJob puts a summary in force, with the masks of its plan.
func (a *Agent) commitJob(ctx context.Context, j *job, spent []conversation.Body) error {
	pass, err := a.onto(j, &j.pass)
	if err != nil {
		return err
	}
	w := j.wish
	if j.told {
		w.Source = conversation.SourceManual // who joined it is told like who asked for it
	}
	if e := a.commit(ctx, &pass, w, spent); e != nil {
		return e
	}
	return nil
}

// onto is a pass with the text of a job on the log as it is now, with the masks of
// its plan. The error says why it does not count.
func (a *Agent) onto(j *job, pass *compact.Pass) (compact.Pass, error) {
	var masks []conversation.Body
	if j.plan != nil {
		masks = j.plan.Masks
	}
	now, err := pass.Onto(a.log.Events(), a.situation(), masks...)
	if err == nil && j.plan != nil && j.plan.Trigger == compact.TriggerLoadLine && !now.Progresses() {
		err = errTooLittle
	}
	return now, err
}

// overtook reports whether the conversation went over a summary: overlays lie on it
// that are no notes, or it has to fit into less.
func (a *Agent) overtook(j *job) bool {
	now := a.settings.model.Window
	return !compact.Stands(a.log.Events(), j.revision, j.spans) || j.window.Known() && now.Known() && now.Tokens < j.window.Tokens
}

// dropOvertaken stops a summary that would be stale, or for which there is no
// reason any more: it is paid for no further.
func (a *Agent) dropOvertaken() {
	j, rules := a.compaction.job, a.compaction.rules
	a.dropStale(errOvertaken, a.overtook)
	if !rules.Evicts() || !rules.ActsByItself() {
		a.dropStale(errNeedless, everyJob)
	}
	if !a.writing() || j.stopped != nil {
		return
	}
	r := a.meter.Reading()
	switch {
	case a.overtook(j):
		a.drop(j, errOvertaken)
	case j.shown: // it is paid for, and the user reads it
	case j.told || j.wanted || j.wish.Source == conversation.SourceManual || j.wish.Source == conversation.SourceTool:
	case !rules.ActsByItself(), !rules.Asks() && a.offered(j):
		a.drop(j, errNeedless)
	case a.offered(j) && !j.waited && (a.log.Revision() != j.revision || r.NearsLoadLine()): // the next step wants it
	case rules.Preset == compact.PresetJCLI: // its threshold is no share of the window
	case r.LoadLine == 0 && j.wish.Trigger != compact.TriggerOverflow, r.LoadLine > 0 && r.Used <= r.LoadLine:
		a.drop(j, errNeedless)
	}
}

// settled reports whether a request that waited for it has to do without another
// one: it was tried, or stopped by the user, or made for it and not enough.
func (j *job) settled(own *job) bool {
	switch j.outcome {
	case "":
		return j == own
	case conversation.OutcomeCancelled:
		return errors.Is(j.stopped, errCancelled)
	}
	return j.outcome == conversation.OutcomeFailed
}

// giveUp records and tells why a summary came to nothing.
func (a *Agent) giveUp(ctx context.Context, j *job, err error, spent []conversation.Body) (outcome string) {
	e, outcome := ended(err, j.limit)
	took := a.opts.Now().Sub(j.began)
	if j.writer.took > 0 {
		took = j.writer.took // without the user's reading
	}
	a.opts.Logger.Info("compaction", "outcome", outcome, "source", j.wish.Source, "trigger", j.wish.Trigger, "preset", j.preset,
		"profile", j.pass.Profile, "class", e.Class, "status", e.Status, "requests", len(j.writer.spent), "duration", took)
	if j.preset.Style() == conversation.StyleJCLI && outcome == conversation.OutcomeFailed {
		a.opts.Logger.Error("auto_compact failed: " + string(e.Class)) // JCL; the message may quote what was said
	}
	attempt := conversation.Attempt{
		Source: j.wish.Source, Trigger: j.wish.Trigger, Preset: string(j.preset), Profile: j.pass.Profile,
		Outcome: outcome, Why: e.Message, Before: a.meter.EstimatedTokens(), Duration: took.Milliseconds(),
	}
	if errors.Is(err, context.Canceled) {
		attempt.Before = 0 // the program ended: the next one may try at once
	}
	if len(j.writer.spent) > 0 { // otherwise no model is to blame
		attempt.Model = j.writer.model.Name()
	}
	a.fail(ctx, attempt, spent...)
	a.rearm()
	if j.told {
		j.wish.Source = conversation.SourceManual
	}
	a.updates.Put(CompactionFailed{Err: e, Wish: j.wish})
	return outcome
}
