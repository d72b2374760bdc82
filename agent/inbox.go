package agent

import (
	"context"
	"sync"

	"plimsoll/agent/updates"
)

// Whoever asks something of the agent never waits: the request goes into
// the inbox, and the goroutine that owns the conversation carries it out wherever it
// waits: for the user, for the model, for a tool, for the end of a back-off.

// command is a request, carried out on the owner's goroutine.
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

// drain carries out what is in the inbox.
func (b *inbox) drain(ctx context.Context) {
	for _, c := range b.take() {
		c(ctx)
	}
}

// receive waits for a value on ch and drains the inbox meanwhile. ok is false when ch is
// closed; the error is the cause of ctx's end.
func receive[T any](ctx context.Context, in *inbox, ch <-chan T) (v T, ok bool, err error) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok, nil
		case <-in.wake:
			in.drain(ctx)
		case <-ctx.Done():
			return v, false, context.Cause(ctx)
		}
	}
}

// concurrently runs f on its own goroutine and drains the inbox until it has ended. It
// waits for f even when ctx has ended: f is given a ctx and ends with it.
func concurrently[T any](ctx context.Context, in *inbox, f func() T) T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	v, _, _ := receive(context.WithoutCancel(ctx), in, done) // nothing ends this wait but f
	return v
}

// A message that is sent while a turn runs waits, visibly, and becomes its own turn, in
// the order of sending. It returns to the composer when the turn before
// it was stopped or failed: it was written in the hope of an answer that never
// came. What asks for no answer stays until it is in the log.

// queue is the messages that wait for the running turn.
type queue struct {
	messages []queued
	shown    bool // the watcher knows of some
	backlog  *backlogKeeper
	updates  *updates.Mailbox
}

// queued is a message that waits.
type queued struct {
	text  string
	quiet bool // no reply is asked for
}

// next takes the oldest message that waits.
func (q *queue) next() (m queued, ok bool) {
	if len(q.messages) == 0 {
		return queued{}, false
	}
	m = q.messages[0]
	q.messages = q.messages[1:]
	if q.shown || len(q.messages) > 0 {
		q.show()
	}
	return m, true
}

// show tells which messages wait.
func (q *queue) show() {
	q.updates.Put(updates.Queued{Texts: q.texts()})
	q.shown = len(q.messages) > 0
}

// giveBack returns texts and then the queued messages to the composer, but for
// those that ask for no answer.
func (q *queue) giveBack(texts ...string) {
	var left []queued
	for _, m := range q.messages {
		if m.quiet {
			left = append(left, m)
			continue
		}
		texts = append(texts, m.text)
	}
	q.messages = left
	q.store()
	// In this order, so that a watcher who leaves between the two has them.
	if len(texts) > 0 {
		q.updates.Put(updates.Returned{Texts: texts})
	}
	if q.shown {
		q.show()
	}
}

// store keeps what waits in the backlog, so that a crash does not lose it.
func (q *queue) store() { q.backlog.put(q.texts()) }

// texts lists what waits, oldest first.
func (q *queue) texts() []string {
	var texts []string
	for _, m := range q.messages {
		texts = append(texts, m.text)
	}
	return texts
}
