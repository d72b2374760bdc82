package agent

import (
	"context"
	"errors"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// records puts into the log, and tells, what came of compactions that are not in force.
type records struct {
	*journal
	windows *windowKeeper
	planner *planner
}

// refuse tells that a compaction was not made. What the model asked for is on
// record, because nobody sees it ask.
func (r *records) refuse(ctx context.Context, w compact.Wish, e *Error) {
	r.opts.Logger.Info("compaction", "outcome", "refused", "source", w.Source, "class", e.Class)
	if w.Source == conversation.SourceTool {
		r.fail(ctx, conversation.Attempt{
			Source: w.Source, Trigger: w.Trigger, Preset: string(r.rules.Preset), Profile: w.Profile,
			Outcome: conversation.OutcomeFailed, Why: e.Message, Before: r.meter.EstimatedTokens(),
		})
	}
	r.updates.Put(CompactionFailed{Err: e, Wish: w})
}

// fail records a failed compaction, with what was spent on it.
func (r *records) fail(ctx context.Context, attempt conversation.Attempt, spent ...conversation.Body) {
	if _, err := r.keep(ctx, append(slices.Clone(spent), attempt)...); err != nil {
		r.updates.Put(Failed{Err: AsError(err)})
	}
}

// usageOf is what the requests of a job cost, for the log.
func (r *records) usageOf(ctx context.Context, j *job) []conversation.Body {
	var spent []conversation.Body
	for _, s := range j.writer.spent {
		spent = append(spent, r.windows.usage(s.request, s.reply, 0)...)
	}
	if n := j.writer.learned; n > 0 && j.writer.model.Name() == r.settings.model.Name() {
		r.windows.learnWindow(ctx, n)
	}
	return spent
}

// giveUp records and tells why a summary is not in force.
func (r *records) giveUp(ctx context.Context, j *job, spent []conversation.Body) {
	e, outcome := ended(j.cause, j.writer.limit)
	took := r.opts.Now().Sub(j.writer.began)
	if j.writer.took > 0 {
		took = j.writer.took // without the user's reading
	}
	r.opts.Logger.Info("compaction", "outcome", outcome, "source", j.wish.Source, "trigger", j.wish.Trigger, "preset", j.writer.preset,
		"profile", j.pass.Profile, "class", e.Class, "status", e.Status, "requests", len(j.writer.spent), "duration", took)
	if name := j.writer.preset.Design().SummaryLog; name != "" && outcome == conversation.OutcomeFailed {
		r.opts.Logger.Error(name + " failed: " + string(e.Class)) // the message may quote the conversation
	}
	attempt := conversation.Attempt{
		Source: j.wish.Source, Trigger: j.wish.Trigger, Preset: string(j.writer.preset), Profile: j.pass.Profile,
		Outcome: outcome, Why: e.Message, Before: r.meter.EstimatedTokens(), Duration: took.Milliseconds(),
	}
	if errors.Is(j.cause, context.Canceled) {
		attempt.Before = 0 // the program ended: the next one may try at once
	}
	if len(j.writer.spent) > 0 { // otherwise no model is to blame
		attempt.Model = j.writer.model.Name()
	}
	r.fail(ctx, attempt, spent...)
	r.planner.rearm()
	if j.joined == conversation.SourceManual {
		j.wish.Source = j.joined
	}
	r.updates.Put(CompactionFailed{Err: e, Wish: j.wish})
}
