package compactor

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// busyServer is a server whose requests share one cache with a conversation that always has
// a request to make.
type busyServer struct {
	lane  *llm.Lane
	loop  sync.WaitGroup
	calls int
}

// Stream implements Provider: it never answers, because the conversation goes first.
func (s *busyServer) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.calls++
		s.loop.Go(func() {
			s.lane.Take(ctx, "test/"+r.Model)
			s.lane.Give()
		})
		<-ctx.Done()
		yield(llm.Chunk{}, context.Cause(ctx))
	}
}

func TestASummaryMakesWayABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	s := &busyServer{lane: llm.NewLane()}
	s.lane.Share("test/m")
	w := writer{lane: s.lane, retries: 3}
	r := llm.Outgoing{
		Request: llm.Request{Model: "m"}, Provider: s, To: llm.Model{Provider: "test", ID: "m"}, Purpose: conversation.ForSummary,
	}
	_, err := w.listen(t.Context(), r)
	s.loop.Wait()
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Class != llm.Overloaded || failure.Retryable() {
		t.Errorf("ended with %v, want a failure that is not tried again", err)
	}
	if s.calls != maxYields || len(w.spent) != maxYields {
		t.Errorf("%d requests, of which %d are accounted for, want %d", s.calls, len(w.spent), maxYields)
	}
}
