package agent

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plimsoll/agent/core"
	"plimsoll/conversation"
)

// Three things are stored apart from the log, on goroutines of their own, so that a streaming reply does not wait
// for the disk: the partial reply, the queued messages, and the calibration of a model. Only the newest value of
// each counts. A failed write is only logged: the log itself is written later, and reports its own failure.

// keeper writes the newest value on its own goroutine, soon after a change. A nil keeper writes nothing.
type keeper[T any] struct {
	delay time.Duration // how long it waits for more changes, unless one is urgent
	write func(context.Context, T)

	mu        sync.Mutex // guards newest and fresh
	newest    T
	unwritten bool // newest is not written yet

	wake, urgent, stopped, done chan struct{}
}

func newKeeper[T any](every time.Duration, write func(context.Context, T)) *keeper[T] {
	return &keeper[T]{delay: every, write: write,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), stopped: make(chan struct{}), done: make(chan struct{})}
}

// start starts the goroutine. The caller has to stop it.
func (k *keeper[T]) start(ctx context.Context) {
	if k != nil {
		go k.run(context.WithoutCancel(ctx))
	}
}

func (k *keeper[T]) run(ctx context.Context) {
	defer close(k.done)
	for {
		select {
		case <-k.wake:
		case <-k.stopped:
			return
		}
		select {
		case <-time.After(k.delay):
		case <-k.urgent:
		case <-k.stopped:
			return
		}
		k.flush(ctx)
	}
}

// flush writes the newest value, if that was not done yet.
func (k *keeper[T]) flush(ctx context.Context) {
	var none T
	k.mu.Lock()
	v, fresh := k.newest, k.unwritten
	k.newest, k.unwritten = none, false
	k.mu.Unlock()
	if fresh {
		k.write(ctx, v)
	}
}

// replace replaces the value that is not written yet by the result of f. It never blocks.
func (k *keeper[T]) replace(urgent bool, f func(T) T) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.newest, k.unwritten = f(k.newest), true
	k.mu.Unlock()
	signal(k.wake)
	if urgent {
		signal(k.urgent)
	}
}

// stop ends the goroutine and waits for a running write.
func (k *keeper[T]) stop() {
	if k != nil {
		close(k.stopped)
		<-k.done
	}
}

// finish ends the goroutine like stop, and writes the last value.
func (k *keeper[T]) finish(ctx context.Context) {
	if k != nil {
		k.stop()
		k.flush(context.WithoutCancel(ctx))
	}
}

// signal wakes the receiver of a channel with a buffer of one.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // already awake
	}
}

// When the partial reply is written: after keepEvery, or sooner once keepBytes and an eighth of the whole are new,
// so that a long reply is not written too often.
const (
	keepEvery = time.Second
	keepBytes = 4 << 10
	keepShare = 8
)

// partialKeeper writes one reply while it arrives. It has to be stopped before the reply is appended.
type partialKeeper struct {
	*keeper[conversation.PartialReply]
	urgentSize int // size of the reply at the last urgent change, in bytes
}

func keepPartials(ctx context.Context, log core.Log, logger *slog.Logger) *partialKeeper {
	k := &partialKeeper{keeper: newKeeper(keepEvery, func(ctx context.Context, p conversation.PartialReply) {
		if err := log.KeepPartial(ctx, p); err != nil {
			logger.Warn("the reply so far could not be kept", "error", err)
		}
	})}
	k.start(ctx)
	return k
}

func (k *partialKeeper) replacePartial(p conversation.PartialReply) {
	size := len(p.Text) + len(p.Reasoning)
	urgent := size-k.urgentSize >= max(keepBytes, size/keepShare)
	if urgent {
		k.urgentSize = size
	}
	k.replace(urgent, func(conversation.PartialReply) conversation.PartialReply { return p })
}

// calibrationsByKey are the calibrations of models, by key.
type calibrationsByKey map[string]conversation.Calibration

func newCalibrationKeeper(store core.Calibrations, logger *slog.Logger) *keeper[calibrationsByKey] {
	return newKeeper(0, func(ctx context.Context, batch calibrationsByKey) {
		for key, c := range batch {
			if err := store.SaveCalibration(ctx, key, c); err != nil {
				logger.Warn("what was learned about the model could not be kept", "error", err)
			}
		}
	})
}

// backlog stores the queued messages.
type backlog struct {
	*keeper[[]string]
	mayHaveTexts bool // the stored queue may have texts
	ended        bool // the stored queue must not change any more
}

func newBacklog(store core.Backlog, logger *slog.Logger) backlog {
	return backlog{mayHaveTexts: true, keeper: newKeeper(0, func(ctx context.Context, texts []string) { // an earlier run may have stored texts before a crash
		if err := store.KeepWaiting(ctx, texts); err != nil {
			logger.Warn("the messages that wait could not be kept", "error", err)
		}
	})}
}

func (b *backlog) replaceTexts(texts []string) {
	if b.ended || len(texts) == 0 && !b.mayHaveTexts {
		return
	}
	b.mayHaveTexts = len(texts) > 0
	b.replace(false, func([]string) []string { return texts })
}

// end stores the queue for the next run when the agent ends. An empty queue does not replace texts that an earlier run
// stored.
func (b *backlog) end(texts []string) {
	if len(texts) > 0 {
		b.replaceTexts(texts)
	}
	b.ended = true
}
