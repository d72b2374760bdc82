package storage_test

import (
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/storage"
)

// All waits of a store together take no longer than one may, plus a short minimum
// for each. The budget refills in the time between waits.
func TestAllWaitsShareOneBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		take := storage.WaitBudget(time.Second)
		waits := func(n int, wanted time.Duration) (all time.Duration) {
			for range n {
				wait, done := take(wanted)
				time.Sleep(wait)
				done()
				all += wait
			}
			return all
		}
		for _, c := range []struct {
			idle, wanted time.Duration
			n            int
			want         time.Duration
		}{
			{0, time.Second, 5, time.Second + 4*20*time.Millisecond},
			{time.Minute, 100 * time.Millisecond, 3, 300 * time.Millisecond},
			{0, time.Second, 2, 720 * time.Millisecond},
			{300 * time.Millisecond, time.Second, 2, 320 * time.Millisecond},
			{time.Minute, 0, 5, 0},
		} {
			time.Sleep(c.idle)
			if got := waits(c.n, c.wanted); got != c.want {
				t.Errorf("%d waits of %v after %v without: %v, want %v", c.n, c.wanted, c.idle, got, c.want)
			}
		}
		// Two concurrent waits use the budget only once.
		time.Sleep(time.Minute)
		a, doneA := take(time.Second)
		b, doneB := take(time.Second)
		time.Sleep(400 * time.Millisecond)
		doneA()
		doneB()
		if c, _ := take(time.Second); a != time.Second || b != time.Second || c != 600*time.Millisecond {
			t.Errorf("two waits at once got %v and %v, the next %v; want 1s, 1s, 600ms", a, b, c)
		}
	})
}
