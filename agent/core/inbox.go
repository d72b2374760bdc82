package core

import (
	"context"
	"sync"
)

// Whoever asks something of the agent never waits: the request goes into
// the inbox, and the goroutine that owns the conversation carries it out wherever it
// waits: for the user, for the model, for a tool, for the end of a back-off.

// command is a request, carried out on the owner's goroutine.
type command func(ctx context.Context)

// Inbox holds commands until the owner takes them, in order.
type Inbox struct {
	mu       sync.Mutex // guards commands
	commands []command
	Wake     chan struct{}
}

func NewInbox() *Inbox { return &Inbox{Wake: make(chan struct{}, 1)} }

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

// Drain carries out what is in the inbox.
func (b *Inbox) Drain(ctx context.Context) {
	for _, c := range b.take() {
		c(ctx)
	}
}

// Receive waits for a value on ch and drains the inbox meanwhile. ok is false when ch is
// closed; the error is the cause of ctx's end.
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

// Concurrently runs f on its own goroutine and drains the inbox until it has ended. It
// waits for f even when ctx has ended: f is given a ctx and ends with it.
func Concurrently[T any](ctx context.Context, in *Inbox, f func() T) T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	v, _, _ := Receive(context.WithoutCancel(ctx), in, done) // nothing ends this wait but f
	return v
}
