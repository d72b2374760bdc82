package shell

import (
	"context"
	"sync"
	"time"
)

// Network is the network access of one command.
type Network interface {
	Environ() []string // environment variables of the command, such as the address of a proxy
	Report() string    // lines about hosts that were reached or refused since the last Report, "" for none
	Close()
}

// Clock is the timeout of a command. It stands still while the user is asked whether the command may reach a host.
type Clock struct {
	mu    sync.Mutex  // guards what follows
	timer *time.Timer // nil until the command starts
	ends  time.Time
	left  time.Duration // time that was left when it was stopped, 0 while it runs
}

// Stop stops the clock, until Start.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && c.timer.Stop() {
		c.left = time.Until(c.ends)
	}
}

// Start lets a stopped clock go on.
func (c *Clock) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.ends = time.Now().Add(c.left)
		c.timer.Reset(c.left)
		c.left = 0
	}
}

// within starts the clock. It returns a context that ends after the timeout, and a function that ends both.
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

// network returns the network access of a command, unconfined where none is configured. It may be closed after an error, too.
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

// unconfined is network access without limits, as the program itself has it.
type unconfined struct{}

func (unconfined) Environ() []string { return nil }
func (unconfined) Report() string    { return "" }
func (unconfined) Close()            {}
