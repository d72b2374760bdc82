package shell

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTheTimeoutStandsStillWhileTheUserIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c Clock
		c.Stop() // without a timeout nothing stops
		c.Start()
		began := time.Now()
		ctx, cancel := c.within(t.Context(), time.Minute)
		time.Sleep(50 * time.Second)
		c.Stop()
		time.Sleep(time.Hour)
		c.Start()
		<-ctx.Done()
		if got := time.Since(began); got != time.Hour+time.Minute {
			t.Errorf("ended after %s", got)
		}
		c.Stop() // too late
		c.Start()
		cancel()
	})
}
