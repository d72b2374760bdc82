package compactor

import (
	"context"

	"plimsoll/agent/core"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// A summary is written in the background: typing, sending and tool loops go on, and new messages follow the range
// that it covers. Rules:
//
//   - One summary is written at a time. An equal request joins it, another request replaces it.
//   - It is written from a snapshot, on a goroutine that reads nothing the owner changes. The owner applies it
//     between two requests, if the view is still the one it was written from and the window is no smaller.
//   - Until then nothing of it is in the log, so that a stop, a crash and a failure leave the view as it was. The
//     usage of its requests is recorded in any case.
//   - A request waits for the summary only if it would not fit otherwise, or if the summary was requested as blocking.
//   - The text of an error never becomes a summary: package compact decides which answers count.

// job is a summary that is being written. The fields before done belong to the owner of the conversation, those
// after it to the goroutine of the job until done is closed.
type job struct {
	state state
	cause error // why it was cancelled, went stale or failed; nil in the other states

	request edit.Request                             // only Source and Trigger if a plan caused it
	plan    *planner.Plan                            // the plan that caused it, nil if the user or the model did
	propose func(edit.Inputs) (edit.Proposal, error) // makes the proposal from the current log

	basis       basis
	blocking    bool                // the next request waits for it
	joinedBy    conversation.Source // the user or the model, if they asked for this summary while it was being written
	needsReview bool                // the user reviews the text first
	cancel      context.CancelCauseFunc

	done chan struct{} // closed when its goroutine ended

	writer   writer
	proposal edit.Proposal
	err      error
}

// basis is the state that a summary is written from.
type basis struct {
	revision uint64              // of the view
	spans    []conversation.Span // that it covers
	window   meter.Window        // of the model in use
}

// applyEvent moves the job to the state after an event.
func (j *job) applyEvent(e event) { j.state = j.state.next(e) }

// end ends the job before it is applied.
func (j *job) end(cause error) {
	if !j.state.open() {
		return
	}
	j.applyEvent(eventOf(cause))
	j.cause = cause
	if j.cancel != nil {
		j.cancel(cause)
	}
}

// poll reports whether the goroutine of the job has ended, and then updates the state. A text for review keeps its
// state until the compactor shows it.
func (j *job) poll() bool {
	select {
	case <-j.done:
	default:
		return false
	}
	if j.state == statePreparing {
		switch {
		case j.err != nil:
			j.end(j.err)
		case !j.needsReview:
			j.applyEvent(eventWritten)
		}
	}
	return true
}

// pending reports whether the summary is being written or reviewed.
func (j *job) pending() bool {
	j.poll()
	return j.state == statePreparing || j.state == stateInReview
}

// ended reports whether the goroutine has ended and the user has no decision to make.
func (j *job) ended() bool { return j.poll() && !j.pending() }

// maxResendTokens is the largest request, in tokens, that is worth sending after the provider refused one as too long; 0 if
// no refusal caused the job.
func (j *job) maxResendTokens() int {
	if j.plan == nil || j.plan.Trigger != planner.TriggerOverflow {
		return 0
	}
	return int(preset.DefaultTriggerRatio * float64(j.plan.Used))
}

// isLastTry reports whether a request must not start another summary: the job that it waited for failed or was stopped,
// or the request started the job itself (own) and it did not make enough room.
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

// isOvertaken reports whether the log changed under the summary (by overlays other than notes on the events it
// covers), or the window shrank.
func (j *job) isOvertaken(now *core.Journal) bool {
	had, has := j.basis.window, now.Model().Window
	return !edit.UnchangedSince(now.Events(), j.basis.revision, j.basis.spans) || had.IsKnown() && has.IsKnown() && has.Tokens < had.Tokens
}

// rebase applies the text of a job and the masks of its plan to the current log. The error says why the result does
// not count.
func (j *job) rebase(log *core.Journal, proposal *edit.Proposal) (edit.Proposal, error) {
	var masks []conversation.Body
	if j.plan != nil {
		masks = j.plan.Masks
	}
	now, err := proposal.Rebase(log.Events(), log.CompactionInputs(), masks...)
	if err == nil && j.plan != nil && j.plan.Trigger == planner.TriggerLoadLine && !now.SavesEnough() {
		err = errTooLittle
	}
	return now, err
}

// waitsForEviction reports whether the text is committed together with the next eviction, in the same epoch.
func (j *job) waitsForEviction(rules preset.Rules) bool {
	return j.plan != nil && (j.plan.Note != nil || j.plan.Prepare) && j.joinedBy == "" && rules.EvictsAutomatically()
}

// answersRequest reports whether the summary of the job also answers a request: a requested summary answers an equal
// request, an automatic one a request without a range and a focus.
func (j *job) answersRequest(rules preset.Rules, request edit.Request) bool {
	if !j.state.open() {
		return false
	}
	if j.plan == nil {
		return sameRequest(rules, j.request, request)
	}
	return rules.Profiles[edit.ProfileOf(rules, request)].Summarize && request.Focus == "" && request.From == nil && request.To == nil && request.KeepLast < 0
}

// sameRequest reports whether two requests ask for the same compaction. Their sources may differ.
func sameRequest(r preset.Rules, a, b edit.Request) bool {
	bound := func(x, y *edit.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return edit.ProfileOf(r, a) == edit.ProfileOf(r, b) && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}
