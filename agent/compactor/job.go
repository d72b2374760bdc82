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

// A summary is written in the background: typing, sending and tool loops
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

// job is a summary that is being written. The fields before done belong to the owner of
// the conversation, those after it to the job's goroutine until done is closed.
type job struct {
	state state
	cause error // why it was given up or failed, nil in the other states

	request edit.Request                             // the request for it; only Source and Trigger where a plan wants it
	plan    *planner.Plan                            // the plan that wants it, nil where the user or the model asked
	work    func(edit.Inputs) (edit.Proposal, error) // works it out on the log as it is

	basis    basis
	blocking bool                // the next request waits for it
	joined   conversation.Source // the user or the model, where they asked for what was under way
	review   bool                // the user reads the text before it takes effect
	cancel   context.CancelCauseFunc

	done chan struct{} // closed when its goroutine ended

	writer   writer
	proposal edit.Proposal
	err      error
}

// basis is what a summary is written from.
type basis struct {
	revision uint64              // of the view
	spans    []conversation.Span // that it covers
	window   meter.Window        // of the conversation's model
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
	return j.joined != "" || j.request.Source == conversation.SourceManual || j.request.Source == conversation.SourceTool
}

// bound is the longest request that is worth sending after the provider refused one as
// too long, in tokens; 0 if no refusal started the job.
func (j *job) bound() int {
	if j.plan == nil || j.plan.Trigger != planner.TriggerOverflow {
		return 0
	}
	return int(preset.DefaultTriggerRatio * float64(j.plan.Used))
}

// isLastTry reports whether a request asks for no further summary: the one it waited for
// failed or was stopped, or it started that one and it did not make enough room.
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

// overtaken reports whether the log changed under a summary (overlays other than notes on
// what it covers), or the window shrank.
func (j *job) overtaken(now *core.Journal) bool {
	had, has := j.basis.window, now.Model().Window
	return !edit.UnchangedSince(now.Events(), j.basis.revision, j.basis.spans) || had.Known() && has.Known() && has.Tokens < had.Tokens
}

// rebase applies the text of a job, with the masks of its plan, to the current log. The
// error says why the result does not count.
func (j *job) rebase(log *core.Journal, proposal *edit.Proposal) (edit.Proposal, error) {
	var masks []conversation.Body
	if j.plan != nil {
		masks = j.plan.Masks
	}
	now, err := proposal.Rebase(log.Events(), log.Situation(), masks...)
	if err == nil && j.plan != nil && j.plan.Trigger == planner.TriggerLoadLine && !now.SavesEnough() {
		err = errTooLittle
	}
	return now, err
}

// waitsForStep reports whether the text of a job is held until the next step evicts, and
// is committed with that, not as an epoch of its own.
func (j *job) waitsForStep(rules preset.Rules) bool {
	return j.plan != nil && (j.plan.Note != nil || j.plan.Prepare) && j.joined == "" && rules.Evicts()
}

// serves reports whether the summary of a job answers the request w: it does if it was
// requested alike, or if it is automatic and w asks for nothing in particular.
func (j *job) serves(rules preset.Rules, w edit.Request) bool {
	if !j.state.open() {
		return false
	}
	if j.plan == nil {
		return sameRequest(rules, j.request, w)
	}
	return rules.Profiles[edit.ProfileOf(rules, w)].Summarize && w.Focus == "" && w.From == nil && w.To == nil && w.KeepLast < 0
}

// sameRequest reports whether two requests ask for the same compaction by some rules, whoever makes them.
func sameRequest(r preset.Rules, a, b edit.Request) bool {
	bound := func(x, y *edit.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return edit.ProfileOf(r, a) == edit.ProfileOf(r, b) && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}
