package shell

import (
	"context"
	"sync"
	"time"
)

// Network is the way of one command to the network.
type Network interface {
	Environ() []string // variables for the command
	Report() string    // lines about what was reached and refused since the last Report, "" for nothing
	Close()
}

// Clock is the timeout of a command. It stands still while the user is asked for the command.
type Clock struct {
	mu    sync.Mutex  // guards what follows
	timer *time.Timer // nil: there is no timeout
	ends  time.Time
	left  time.Duration // when it was stopped
}

// Stop stops the clock, until Start.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && c.timer.Stop() {
		c.left = time.Until(c.ends)
	}
}

// Start lets the clock go on.
func (c *Clock) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.ends = time.Now().Add(c.left)
		c.timer.Reset(c.left)
		c.left = 0
	}
}

// within returns a context that ends after the timeout.
func (c *Clock) within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer, c.ends = time.AfterFunc(timeout, cancel), time.Now().Add(timeout)
	return ctx, func() {
		c.Stop()
		cancel()
	}
}

func (j *Jobs) network(command string, clock *Clock) (Network, error) {
	if j.Network == nil {
		return unconfined{}, nil
	}
	n, err := j.Network(command, clock)
	if n == nil {
		n = unconfined{}
	}
	return n, err
}

// unconfined is the network of the program.
type unconfined struct{}

func (unconfined) Environ() []string { return nil }
func (unconfined) Report() string    { return "" }
func (unconfined) Close()            {}
