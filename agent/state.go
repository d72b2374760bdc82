package agent

import (
	"context"
	"errors"
)

// A summary is in one state from the moment it is asked for until it is in force
// or given up. The table below has every way from one state to the next; what it
// does not list does not happen.
//
//	state      event      next       when
//	idle       begun      preparing  a model is asked for the text
//	idle       complete   ready      the compaction needs no text any more
//	preparing  written    ready      the text is there and counts
//	preparing  shown      in review  the text is there, and the user reads it first
//	in review  accepted   ready      the user takes it, with his changes
//	ready      committed  applied    the overlays are in the log
//	any open   broke      failed     no text, none that counts, or it cannot be stored
//	any open   stopped    cancelled  the user stopped it, or the program ends
//	any open   overtaken  stale      the view changed, another one replaces it, or nothing needs it
//
// Idle, preparing, in review and ready are open; the others are final: the first
// event that ends a summary is the one on record.

// state is where a summary stands.
type state int

const (
	stateIdle state = iota // nobody was asked for it yet
	statePreparing
	stateInReview
	stateReady // it waits for the next boundary, or for the step that evicts what it covers
	stateApplied
	stateFailed
	stateCancelled
	stateStale
)

// event is what moves a summary from one state to the next.
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

// transitions is the table.
var transitions = map[state]map[event]state{
	stateIdle: {
		eventBegun: statePreparing, eventComplete: stateReady,
		eventBroke: stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale,
	},
	statePreparing: {
		eventWritten: stateReady, eventShown: stateInReview,
		eventBroke: stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale,
	},
	stateInReview: {
		eventAccepted: stateReady,
		eventBroke:    stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale,
	},
	stateReady: {
		eventCommitted: stateApplied,
		eventBroke:     stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale,
	},
}

// next is the state after an event: the same where the table has no way.
func (s state) next(e event) state {
	if to, ok := transitions[s][e]; ok {
		return to
	}
	return s
}

// open reports whether a summary can still take effect.
func (s state) open() bool { return len(transitions[s]) > 0 }

// The causes for which a summary is given up. What else goes wrong is a failure.
var (
	errReplaced  = errors.New("another compaction was asked for")
	errReverted  = errors.New("a compaction was taken back or brought back")
	errOvertaken = errors.New("the conversation is shown otherwise by now")
	errNeedless  = errors.New("it is not needed any more")
	errUnused    = errors.New("the program ended before a step came for it")
	errTooLate   = errors.New("the time limit is over")
)

// eventOf is the event that an error is to a summary.
func eventOf(err error) event {
	var failure *Error
	switch {
	case errors.Is(err, errCancelled):
		return eventStopped
	case errors.Is(err, errReplaced), errors.Is(err, errReverted), errors.Is(err, errOvertaken), errors.Is(err, errNeedless), errors.Is(err, errUnused):
		return eventOvertaken
	case errors.As(err, &failure):
		return eventBroke
	case errors.Is(err, context.Canceled): // the program ends
		return eventStopped
	}
	return eventBroke
}
