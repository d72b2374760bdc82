package storage_test

import (
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/storage"
)

// Whatever stopped programs hold: everything together is waited for as long as one lock
// may be, and a moment for each. The time between waits brings patience back.
func TestAllWaitsTogetherTakeNoLongerThanOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		take := storage.Patience(time.Second)
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
		// Two at once take the time that passes once.
		time.Sleep(time.Minute)
		a, doneA := take(time.Second)
		b, doneB := take(time.Second)
		time.Sleep(400 * time.Millisecond)
		doneA()
		doneB()
		if c, _ := take(time.Second); a != time.Second || b != time.Second || c != 600*time.Millisecond {
			t.Errorf("two at once may be %v and %v, and leave %v", a, b, c)
		}
	})
}
