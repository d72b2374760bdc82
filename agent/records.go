package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// Why a compaction was not made, as the user is told it. In all cases nothing
// was changed.

const (
	nothingChanged = "nothing was changed"
	otherProfile   = "try again, or use a profile that needs no model, such as " + compact.ProfileDefault
)

// unmade is an error of package compact.
func unmade(err error) *Error {
	e := &Error{Class: BadRequest, Message: err.Error(), Hint: nothingChanged, Err: err}
	switch {
	case errors.Is(err, compact.ErrSummaryEmpty):
		e.Class, e.Hint = Empty, otherProfile
	case errors.Is(err, compact.ErrSummaryRefused):
		e.Class, e.Hint = Malformed, otherProfile
		if errors.Is(err, compact.ErrSummaryCut) {
			e.Hint = "compact fewer turns at once, or raise compaction.summary.max_tokens"
		}
	case errors.Is(err, compact.ErrNoProfile):
		e.Hint = "name one of them, or write the profile into the configuration"
	case errors.Is(err, compact.ErrNoSummaries):
		e.Hint = "use a profile that needs no model, such as " + compact.ProfileDefault + ", or set the key to another word"
	case errors.Is(err, compact.ErrNoRange), errors.Is(err, compact.ErrNothingToGain):
		e.Hint = "choose other turns or another profile, or go on: nothing was changed"
	case errors.Is(err, compact.ErrNothingToUndo), errors.Is(err, compact.ErrNothingToRedo):
		e.Hint = "plimsoll context lists the compactions and which are in force"
	}
	return e
}

// notMade is a compaction that could not be stored.
func notMade(err error) *Error {
	return &Error{
		Class: NotSaved, Message: "the compaction could not be saved and is not in force: " + cause(err).Error(),
		Hint: "check the disk and the data folder, then compact again", Err: err,
	}
}

// cause is what lies behind a failure of this package, err itself if nothing
// does.
func cause(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}

// ended is why a summary is not in force: as the user is told it, and as it is
// recorded.
func ended(err error, limit time.Duration) (e *Error, outcome string) {
	gone := func(message, hint string) *Error {
		return &Error{Class: Cancelled, Message: message, Hint: hint, Err: err}
	}
	var failure *Error
	switch {
	case errors.Is(err, errCancelled):
		return gone("the compaction was stopped", nothingChanged), conversation.OutcomeCancelled
	case errors.Is(err, errReplaced):
		return gone("the compaction gave way to another one", nothingChanged), conversation.OutcomeCancelled
	case errors.Is(err, errReverted):
		return gone("the summary was given up, because a compaction was taken back or brought back meanwhile", "compact again"),
			conversation.OutcomeStale
	case errors.Is(err, errOvertaken):
		return gone("the summary was given up: meanwhile the conversation is shown otherwise, or the window got smaller", "compact again"),
			conversation.OutcomeStale
	case errors.Is(err, errNeedless):
		return gone("the summary was given up, because it is not needed any more", nothingChanged), conversation.OutcomeStale
	case errors.Is(err, errUnused):
		return gone("the summary was not used: "+errUnused.Error(), nothingChanged), conversation.OutcomeStale
	case errors.Is(err, errTooLate):
		return &Error{
			Class: Stalled, Message: fmt.Sprintf("the summary was not there after %s", limit),
			Hint: "try again, raise compaction.summary.timeout, or use a profile that needs no model, such as " + compact.ProfileDefault, Err: err,
		}, conversation.OutcomeFailed
	case errors.As(err, &failure):
		return failure, conversation.OutcomeFailed
	case errors.Is(err, context.Canceled):
		return gone("the compaction was stopped: the program ended", nothingChanged), conversation.OutcomeCancelled
	}
	return unmade(err), conversation.OutcomeFailed
}

// noSummary is the failure of a request for a summary.
func noSummary(e *Error) *Error {
	told := *e
	told.Message, told.Hint = "no summary was written: "+e.Message, orElse(e.Hint, otherProfile)
	return &told
}
