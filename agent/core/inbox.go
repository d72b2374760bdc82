package core

import (
	"context"
	"sync"
)

// Callers of the agent never wait. A command goes into the inbox, and the goroutine that owns the conversation runs
// it wherever it waits: for the user, the model, a tool, or the end of a back-off.

// command runs on the owner's goroutine.
type command func(ctx context.Context)

// Inbox holds commands, in order, until the owner runs them.
type Inbox struct {
	mu       sync.Mutex // guards commands
	commands []command
	Wake     chan struct{} // receives a value after Put
}

// Put adds a command. It never blocks.
func (b *Inbox) Put(c command) {
	b.mu.Lock()
	b.commands = append(b.commands, c)
	b.mu.Unlock()
	select {
	case b.Wake <- struct{}{}:
	default: // already awake
	}
}

func (b *Inbox) take() []command {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.commands
	b.commands = nil
	return taken
}

// Drain runs the commands in the inbox.
func (b *Inbox) Drain(ctx context.Context) {
	for _, c := range b.take() {
		c(ctx)
	}
}

// Receive waits for a value on ch, and drains the inbox until one arrives. ok is false when ch is closed; the error
// is the cause of ctx's end.
func Receive[T any](ctx context.Context, in *Inbox, ch <-chan T) (v T, ok bool, err error) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok, nil
		case <-in.Wake:
			in.Drain(ctx)
		case <-ctx.Done():
			return v, false, context.Cause(ctx)
		}
	}
}

// Concurrently runs f on its own goroutine and drains the inbox until f has ended. It waits for f even after ctx
// has ended, so f watches ctx itself and ends soon after it.
func Concurrently[T any](ctx context.Context, in *Inbox, f func() T) T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	v, _, _ := Receive(context.WithoutCancel(ctx), in, done) // only f ends this wait
	return v
}
