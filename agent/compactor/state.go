package compactor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// A summary is in one state from the request until it is applied or discarded. The table has every transition; no other
// happens.
//
//	state      event      next       when
//	idle       begun      preparing  a model is asked for the text
//	idle       complete   ready      the compaction needs no text any more
//	preparing  written    ready      the text is written and acceptable
//	preparing  shown      in review  the text is written, and the user reads it first
//	in review  accepted   ready      the user accepts it, perhaps with changes
//	ready      committed  applied    the overlays are in the log
//	any open   broke      failed     no acceptable text, or it cannot be stored
//	any open   stopped    cancelled  the user stopped it, or the program ends
//	any open   overtaken  stale      the view changed, another one replaces it, or nothing needs it
//
// Idle, preparing, in review and ready are open; the others are final: the first
// event that ends a summary is the one on record.

// state is the state of a summary.
type state int

const (
	stateIdle state = iota // no model was asked yet
	statePreparing
	stateInReview
	stateReady // waits for the next boundary, or for the eviction of what it covers
	stateApplied
	stateFailed
	stateCancelled
	stateStale
)

// event moves a summary to its next state.
type event int

const (
	eventBegun event = iota
	eventComplete
	eventWritten
	eventShown
	eventAccepted
	eventCommitted
	eventBroke
	eventStopped
	eventOvertaken
)

// transitions has the next states by state and event, without the final ones that every open state has.
var transitions = map[state]map[event]state{
	stateIdle:      {eventBegun: statePreparing, eventComplete: stateReady},
	statePreparing: {eventWritten: stateReady, eventShown: stateInReview},
	stateInReview:  {eventAccepted: stateReady},
	stateReady:     {eventCommitted: stateApplied},
}

// endings has the final states of open states, by event.
var endings = map[event]state{eventBroke: stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale}

// next is the state after an event; an event that the tables lack changes nothing.
func (s state) next(e event) state {
	to, ok := transitions[s][e]
	if !ok && s.open() {
		to, ok = endings[e]
	}
	if !ok {
		return s
	}
	return to
}

// open reports whether the summary can still be applied.
func (s state) open() bool { return len(transitions[s]) > 0 }

// cause is a reason to discard a summary. Any other error is a failure.
type cause struct {
	event   event
	outcome string // as the log has it
	message string // for the user
	hint    string
}

// Error implements error.
func (c *cause) Error() string { return c.message }

var (
	errReplaced = &cause{eventOvertaken, conversation.AttemptCancelled, "the compaction was replaced by another one", nothingChanged}
	errReverted = &cause{eventOvertaken, conversation.AttemptStale,
		"the summary was discarded: a compaction was undone or redone meanwhile", "compact again"}
	errOvertaken = &cause{eventOvertaken, conversation.AttemptStale,
		"the summary was discarded: the conversation or the window changed meanwhile", "compact again"}
	errNotNeeded = &cause{eventOvertaken, conversation.AttemptStale, "the summary was discarded: it is no longer needed", nothingChanged}
	errUnused    = &cause{eventOvertaken, conversation.AttemptStale, "the summary was not used: the program ended first", nothingChanged}
	errStopped   = &cause{eventStopped, conversation.AttemptCancelled, "the compaction was stopped", nothingChanged}
	errEnded     = &cause{eventStopped, conversation.AttemptCancelled, "the compaction was stopped: the program ended", nothingChanged}
)

// causeOf is the cause in an error, nil for a failure.
func causeOf(err error) *cause {
	var c *cause
	var failure *llm.Error
	switch {
	case errors.As(err, &c):
		return c
	case errors.Is(err, ErrCancelled):
		return errStopped
	case !errors.As(err, &failure) && errors.Is(err, context.Canceled):
		return errEnded
	}
	return nil
}

// eventOf is the event that an error causes.
func eventOf(err error) event {
	if c := causeOf(err); c != nil {
		return c.event
	}
	return eventBroke
}

// errTooLate says that the summary took longer than its limit.
var errTooLate = errors.New("it took too long")

// ErrCancelled is the cause with which the user's cancel ends a turn or a summary.
var ErrCancelled = errors.New("stopped by the user")

// errTooLittle says that the summary makes too little room.
var errTooLittle = errors.New("it would save too little")

// The errors of compactions that were not made, in words for the user. Nothing was changed in any of these cases.

const (
	nothingChanged = "nothing was changed"
	otherProfile   = "try again, or use a profile that needs no model, such as " + preset.ProfileDefault
)

// proposalError is the user's error for an error of package compact.
func proposalError(err error) *llm.Error {
	e := &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: nothingChanged, Err: err}
	switch {
	case errors.Is(err, summary.ErrEmpty):
		e.Class, e.Hint = llm.Empty, otherProfile
	case errors.Is(err, summary.ErrRefused):
		e.Class, e.Hint = llm.Malformed, otherProfile
		if errors.Is(err, summary.ErrCut) {
			e.Hint = "compact fewer turns at once, or raise compaction.summary.max_tokens"
		}
	case errors.Is(err, edit.ErrNoProfile):
		e.Hint = "name one of them, or write the profile into the configuration"
	case errors.Is(err, edit.ErrNoSummaries):
		e.Hint = "use a profile that needs no model, such as " + preset.ProfileDefault + ", or set the key to another word"
	case errors.Is(err, edit.ErrNoRange), errors.Is(err, edit.ErrNothingToGain):
		e.Hint = "try other turns or another profile; nothing was changed"
	case errors.Is(err, edit.ErrNothingToUndo), errors.Is(err, edit.ErrNothingToRedo):
		e.Hint = "/ledger lists the compactions; outside the chat, plimsoll print --ledger"
	}
	return e
}

func storeError(err error) *llm.Error {
	return &llm.Error{
		Class: llm.NotSaved, Message: "the compaction could not be saved, so nothing changed: " + rootCause(err).Error(),
		Hint: "check the disk and the data folder, then compact again", Err: err,
	}
}

// rootCause is the error inside an *llm.Error, or err itself.
func rootCause(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// failureOf is why a summary was not applied: as the user sees it, and the outcome for the log.
func failureOf(err error, limit time.Duration) (e *llm.Error, outcome string) {
	if c := causeOf(err); c != nil {
		return &llm.Error{Class: llm.Cancelled, Message: c.message, Hint: c.hint, Err: err}, c.outcome
	}
	var failure *llm.Error
	switch {
	case errors.Is(err, errTooLate):
		return &llm.Error{
			Class: llm.Stalled, Message: fmt.Sprintf("the summary was not ready after %s", limit),
			Hint: "try again, raise compaction.summary.timeout, or use a profile that needs no model, such as " + preset.ProfileDefault, Err: err,
		}, conversation.AttemptFailed
	case errors.As(err, &failure):
		return failure, conversation.AttemptFailed
	}
	return proposalError(err), conversation.AttemptFailed
}

// requestError is the error of a failed request for a summary.
func requestError(e *llm.Error) *llm.Error {
	failure := *e
	failure.Lead = "no summary was written: " + cmp.Or(e.Lead, e.Message)
	failure.Message, failure.Hint = "no summary was written: "+e.Message, cmp.Or(e.Hint, otherProfile)
	return &failure
}
