package shell

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeoutPausesWhileTheUserIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var timeout Timeout
		timeout.Pause() // it has not started
		timeout.Resume()
		began := time.Now()
		ctx, cancel := timeout.start(t.Context(), time.Minute)
		time.Sleep(50 * time.Second)
		timeout.Pause()
		time.Sleep(time.Hour)
		timeout.Resume()
		<-ctx.Done()
		if got := time.Since(began); got != time.Hour+time.Minute {
			t.Errorf("ended after %s", got)
		}
		timeout.Pause() // too late
		timeout.Resume()
		cancel()
	})
}
