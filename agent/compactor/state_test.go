package compactor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
)

// TestASummaryHasTheTransitionsOfTheTable tries every pair of a state and an event.
func TestASummaryHasTheTransitionsOfTheTable(t *testing.T) {
	t.Parallel()
	ways := map[state]map[event]state{
		stateIdle:      {eventBegun: statePreparing, eventComplete: stateReady},
		statePreparing: {eventWritten: stateReady, eventShown: stateInReview},
		stateInReview:  {eventAccepted: stateReady},
		stateReady:     {eventCommitted: stateApplied},
	}
	ends := map[event]state{eventBroke: stateFailed, eventStopped: stateCancelled, eventOvertaken: stateStale}
	for from := stateIdle; from <= stateStale; from++ {
		open := from <= stateReady
		if from.open() != open {
			t.Errorf("state %d is open: %t", from, from.open())
		}
		for e := eventBegun; e <= eventOvertaken; e++ {
			want := from
			if to, ok := ways[from][e]; ok {
				want = to
			} else if to, ok := ends[e]; ok && open {
				want = to
			}
			if got := from.next(e); got != want {
				t.Errorf("event %d leads from state %d to %d, want %d", e, from, got, want)
			}
		}
	}
}

func TestTheFirstEndOfASummaryCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cause error
		want  state
	}{
		{ErrCancelled, stateCancelled},
		{fmt.Errorf("run: %w", context.Canceled), stateCancelled},
		{errReplaced, stateStale},
		{errReverted, stateStale},
		{errOvertaken, stateStale},
		{errNotNeeded, stateStale},
		{errUnused, stateStale},
		{errTooLate, stateFailed},
		{errTooLittle, stateFailed},
		{edit.ErrNothingToGain, stateFailed},
		{&llm.Error{Class: llm.Network, Err: context.Canceled}, stateFailed},
		{errors.New("anything else"), stateFailed},
	} {
		j := &job{state: statePreparing, cancel: func(error) {}}
		j.end(test.cause)
		if j.state != test.want || !errors.Is(j.cause, test.cause) {
			t.Errorf("%v leads to state %d for %v, want %d", test.cause, j.state, j.cause, test.want)
		}
		j.end(errReverted)
		if j.state != test.want || !errors.Is(j.cause, test.cause) {
			t.Errorf("after %v a later cause leads to state %d for %v", test.cause, j.state, j.cause)
		}
	}
}

// TestAJobChangesItsStateWhenItsGoroutineHasEnded checks the state that poll leaves.
func TestAJobChangesItsStateWhenItsGoroutineHasEnded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		job            job
		running        bool
		want           state
		pending, ended bool
	}{
		"a running one":                 {job{}, true, statePreparing, true, false},
		"a stopped one that still runs": {job{state: stateStale}, true, stateStale, false, false},
		"a stopped one":                 {job{state: stateStale}, false, stateStale, false, true},
		"a written one":                 {job{}, false, stateReady, false, true},
		"one to be read":                {job{needsReview: true}, false, statePreparing, true, false},
		"one that is read":              {job{needsReview: true, state: stateInReview}, false, stateInReview, true, false},
		"a failed one":                  {job{needsReview: true, err: errTooLate}, false, stateFailed, false, true},
	} {
		j := test.job
		if j.state == stateIdle {
			j.state = statePreparing
		}
		if j.done = make(chan struct{}); !test.running {
			close(j.done)
		}
		if pending, ended := j.pending(), j.ended(); pending != test.pending || ended != test.ended || j.state != test.want {
			t.Errorf("%s: state %d, pending %t, ended %t", name, j.state, pending, ended)
		}
	}
}
