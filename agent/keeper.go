package agent

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plimsoll/conversation"
)

// Two things are written beside the log, by goroutines that nobody waits for
// while a reply streams: the reply so far, and what was learned about a model.
// Of both only the newest counts. A failure to write them is logged and no
// more: the log itself is written later and says so if it cannot be.

// When the reply so far is written: after keepEvery, or sooner once keepBytes
// and an eighth of the whole are new, so that a long reply is not written over
// and over.
const (
	keepEvery = time.Second
	keepBytes = 4 << 10
	keepShare = 8
)

// partialKeeper writes one reply while it arrives.
type partialKeeper struct {
	log    Log
	logger *slog.Logger

	mu     sync.Mutex // guards newest and kept
	newest conversation.Partial
	kept   int // bytes of the reply that were written

	wake chan struct{} // something is new
	full chan struct{} // enough is new to write it at once
	quit chan struct{}
	done chan struct{}
}

// keepPartials starts a keeper. Stop it before the reply is appended.
func keepPartials(ctx context.Context, log Log, logger *slog.Logger) *partialKeeper {
	k := &partialKeeper{
		log: log, logger: logger,
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go k.run(context.WithoutCancel(ctx))
	return k
}

// offer replaces the reply so far. It never blocks.
func (k *partialKeeper) offer(p conversation.Partial) {
	k.mu.Lock()
	k.newest = p
	size := len(p.Text) + len(p.Reasoning)
	full := size-k.kept >= max(keepBytes, size/keepShare)
	k.mu.Unlock()
	signal(k.wake)
	if full {
		signal(k.full)
	}
}

// stop ends the keeper and waits for a write under way.
func (k *partialKeeper) stop() {
	close(k.quit)
	<-k.done
}

func (k *partialKeeper) run(ctx context.Context) {
	defer close(k.done)
	for {
		select {
		case <-k.wake:
		case <-k.quit:
			return
		}
		due := time.NewTimer(keepEvery)
		select {
		case <-due.C:
		case <-k.full:
		case <-k.quit:
			due.Stop()
			return
		}
		due.Stop()
		k.write(ctx)
	}
}

func (k *partialKeeper) write(ctx context.Context) {
	k.mu.Lock()
	p := k.newest
	size := len(p.Text) + len(p.Reasoning)
	fresh := size > k.kept
	k.kept = size
	k.mu.Unlock()
	if !fresh {
		return
	}
	if err := k.log.KeepPartial(ctx, p); err != nil {
		k.logger.Warn("the reply so far could not be kept", "error", err)
	}
}

// calibrationKeeper writes what was learned about models. A nil one writes
// nothing.
type calibrationKeeper struct {
	store  Calibrations
	logger *slog.Logger

	mu     sync.Mutex // guards newest
	newest map[string]conversation.Calibration

	wake chan struct{}
}

func newCalibrationKeeper(store Calibrations, logger *slog.Logger) *calibrationKeeper {
	return &calibrationKeeper{
		store: store, logger: logger, newest: map[string]conversation.Calibration{}, wake: make(chan struct{}, 1),
	}
}

// put replaces what is written under key. It never blocks.
func (k *calibrationKeeper) put(key string, c conversation.Calibration) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.newest[key] = c
	k.mu.Unlock()
	signal(k.wake)
}

// start begins writing. The function it returns writes what is left and waits
// for the end.
func (k *calibrationKeeper) start(ctx context.Context) (finish func()) {
	if k == nil {
		return func() {}
	}
	ctx = context.WithoutCancel(ctx)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-k.wake:
				k.write(ctx)
			case <-quit:
				k.write(ctx)
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

func (k *calibrationKeeper) write(ctx context.Context) {
	k.mu.Lock()
	batch := k.newest
	k.newest = map[string]conversation.Calibration{}
	k.mu.Unlock()
	for key, c := range batch {
		if err := k.store.SaveCalibration(ctx, key, c); err != nil {
			k.logger.Warn("what was learned about the model could not be kept", "error", err)
		}
	}
}

// signal wakes whoever waits on a channel of one place.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // already awake
	}
}
