package shell

import (
	"context"
	"sync"
	"time"
)

// Timeout is the timeout of a command. It is paused while the user is asked whether the command may reach a host.
type Timeout struct {
	mu    sync.Mutex  // guards what follows
	timer *time.Timer // nil until the command starts
	ends  time.Time
	left  time.Duration // time that was left when it was paused, 0 while it runs
}

// Pause pauses the timeout, until Resume.
func (t *Timeout) Pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil && t.timer.Stop() {
		t.left = time.Until(t.ends)
	}
}

// Resume ends a pause.
func (t *Timeout) Resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left > 0 {
		t.ends = time.Now().Add(t.left)
		t.timer.Reset(t.left)
		t.left = 0
	}
}

// start starts the timeout. It returns a context that ends after the timeout, and a function that ends both.
func (t *Timeout) start(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer, t.ends = time.AfterFunc(after, cancel), time.Now().Add(after)
	return ctx, func() {
		t.Pause()
		cancel()
	}
}
