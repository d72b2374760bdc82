package agent

import (
	"context"
	"sync"
)

// Whoever asks something of the agent never waits: the wish goes into the
// inbox, and the goroutine that owns the conversation carries it out wherever
// it waits: for the user, for the model, for a tool, for the end of a back-off.

// command is a wish, carried out on the owner's goroutine.
type command func(ctx context.Context)

// inbox holds commands until the owner takes them, in order.
type inbox struct {
	mu       sync.Mutex // guards commands
	commands []command
	wake     chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put adds a command. It never blocks.
func (b *inbox) put(c command) {
	b.mu.Lock()
	b.commands = append(b.commands, c)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // already awake
	}
}

func (b *inbox) take() []command {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.commands
	b.commands = nil
	return taken
}

// drainInbox carries out what is in the inbox.
func (a *Agent) drainInbox(ctx context.Context) {
	for _, c := range a.inbox.take() {
		c(ctx)
	}
}

// receive waits for a value on ch and obeys meanwhile. ok is false when ch is
// closed; the error is the cause of ctx's end.
func receive[T any](ctx context.Context, a *Agent, ch <-chan T) (v T, ok bool, err error) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok, nil
		case <-a.inbox.wake:
			a.drainInbox(ctx)
		case <-ctx.Done():
			return v, false, context.Cause(ctx)
		}
	}
}

// beside runs f on a goroutine of its own and obeys until it has ended. It
// waits for f even when ctx has ended: f is given a ctx and heeds it.
func beside[T any](ctx context.Context, a *Agent, f func() T) T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	v, _, _ := receive(context.WithoutCancel(ctx), a, done) // nothing ends this wait but f
	return v
}
