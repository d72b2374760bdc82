package agent

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plimsoll/agent/core"
	"plimsoll/conversation"
)

// Three things are stored apart from the log, by goroutines that nobody waits for
// while a reply streams: the reply so far, the messages that wait for the turn,
// and what was learned about a model. Of each only the newest counts. A failure
// to write them is logged and no more: the log itself is written later and says
// so if it cannot be.

// keeper writes the newest value on a goroutine of its own, soon after it changed. A nil one keeps nothing.
type keeper[T any] struct {
	every time.Duration // it waits so long for more, unless a change is urgent
	write func(context.Context, T)

	mu     sync.Mutex // guards newest and fresh
	newest T
	fresh  bool // newest is not written yet

	wake, urgent, quit, done chan struct{}
}

func newKeeper[T any](every time.Duration, write func(context.Context, T)) *keeper[T] {
	return &keeper[T]{every: every, write: write,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
}

// start begins to write. Who starts a keeper stops it.
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
		case <-k.quit:
			return
		}
		due := time.NewTimer(k.every)
		select {
		case <-due.C:
		case <-k.urgent:
		case <-k.quit:
			due.Stop()
			return
		}
		due.Stop()
		k.flush(ctx)
	}
}

// flush writes the newest value, unless it is written.
func (k *keeper[T]) flush(ctx context.Context) {
	var none T
	k.mu.Lock()
	v, fresh := k.newest, k.fresh
	k.newest, k.fresh = none, false
	k.mu.Unlock()
	if fresh {
		k.write(ctx, v)
	}
}

// put replaces the value by what f makes of the one that is not written yet. It never blocks.
func (k *keeper[T]) put(urgent bool, f func(T) T) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.newest, k.fresh = f(k.newest), true
	k.mu.Unlock()
	signal(k.wake)
	if urgent {
		signal(k.urgent)
	}
}

// stop ends the keeper and waits for a write under way.
func (k *keeper[T]) stop() {
	if k != nil {
		close(k.quit)
		<-k.done
	}
}

// finish is stop for what must be written to the last.
func (k *keeper[T]) finish(ctx context.Context) {
	if k != nil {
		k.stop()
		k.flush(context.WithoutCancel(ctx))
	}
}

// signal wakes whoever waits on a channel of one place.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // already awake
	}
}

// When the reply so far is written: after keepEvery, or sooner once keepBytes
// and an eighth of the whole are new, so that a long reply is not written over
// and over.
const (
	keepEvery = time.Second
	keepBytes = 4 << 10
	keepShare = 8
)

// partialKeeper writes one reply while it arrives. Stop it before the reply is appended.
type partialKeeper struct {
	*keeper[conversation.PartialReply]
	marked int // bytes of the reply when it was urgent last
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

// offer replaces the reply so far.
func (k *partialKeeper) offer(p conversation.PartialReply) {
	size := len(p.Text) + len(p.Reasoning)
	urgent := size-k.marked >= max(keepBytes, size/keepShare)
	if urgent {
		k.marked = size
	}
	k.put(urgent, func(conversation.PartialReply) conversation.PartialReply { return p })
}

// learnedModels is what was learned about models, by key.
type learnedModels map[string]conversation.Calibration

func newCalibrationKeeper(store core.Calibrations, logger *slog.Logger) *keeper[learnedModels] {
	return newKeeper(0, func(ctx context.Context, batch learnedModels) {
		for key, c := range batch {
			if err := store.SaveCalibration(ctx, key, c); err != nil {
				logger.Warn("what was learned about the model could not be kept", "error", err)
			}
		}
	})
}

// backlog keeps the messages that wait.
type backlog struct {
	*keeper[[]string]
	some  bool // what was put last was not empty
	ended bool // nothing replaces it any more
}

func newBacklog(store core.Backlog, logger *slog.Logger) backlog {
	return backlog{some: true, keeper: newKeeper(0, func(ctx context.Context, texts []string) { // some may be stored from before a crash
		if err := store.KeepWaiting(ctx, texts); err != nil {
			logger.Warn("the messages that wait could not be kept", "error", err)
		}
	})}
}

// replace replaces the messages that wait.
func (b *backlog) replace(texts []string) {
	if b.ended || len(texts) == 0 && !b.some {
		return
	}
	b.some = len(texts) > 0
	b.put(false, func([]string) []string { return texts })
}

// end puts the messages that wait when the agent ends. They are there when the
// conversation goes on, and so are those of an earlier run if nothing was sent
// in this one.
func (b *backlog) end(texts []string) {
	if len(texts) > 0 {
		b.replace(texts)
	}
	b.ended = true
}
