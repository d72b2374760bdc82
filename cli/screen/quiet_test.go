package screen

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/agent/updates"
)

func TestMemoryIsReturnedOnceWhenIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		box := updates.NewMailbox()
		var given atomic.Int32
		m := &memoryReleaser{isDue: true, release: func() { given.Add(1) }}
		taken := make(chan []updates.Update)
		go func() {
			defer close(taken)
			for {
				m.releaseWhenIdle(ctx, box)
				got, err := box.Take(ctx)
				if err != nil {
					return
				}
				m.observe(got)
				taken <- got
			}
		}()
		after := func(d time.Duration, want int, what string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if given := given.Load(); int(given) != want {
				t.Errorf("%s: given back %d times, want %d", what, given, want)
			}
		}
		say := func(phase updates.Phase) {
			box.Put(updates.Status{Phase: phase})
			if got := <-taken; len(got) != 1 {
				t.Errorf("got %v", got)
			}
		}
		after(idleAfter/2, 0, "soon after it was opened")
		after(idleAfter, 1, "a moment after it was opened")
		say(updates.Streaming)
		after(time.Hour, 1, "while a reply arrives")
		say(updates.Idle)
		after(idleAfter/2, 1, "soon after the turn ended")
		say(updates.Waiting)
		after(time.Hour, 1, "in the next turn")
		say(updates.Idle)
		after(2*idleAfter, 2, "a moment after that")
		after(time.Hour, 2, "long after that")
		stop()
		if got, open := <-taken; open {
			t.Errorf("got %v after the end", got)
		}
	})
}
