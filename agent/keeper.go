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
	log    core.Log
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
func keepPartials(ctx context.Context, log core.Log, logger *slog.Logger) *partialKeeper {
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

// background writes on its own goroutine, soon after it was woken.
type background struct {
	wake  chan struct{}
	write func(context.Context)
}

func newBackground(write func(context.Context)) *background {
	return &background{wake: make(chan struct{}, 1), write: write}
}

// start begins writing. The function it returns writes what is left and waits
// for the end.
func (b *background) start(ctx context.Context) (finish func()) {
	ctx = context.WithoutCancel(ctx)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-b.wake:
				b.write(ctx)
			case <-quit:
				b.write(ctx)
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// calibrationKeeper writes what was learned about models. A nil one writes
// nothing.
type calibrationKeeper struct {
	writer *background
	store  core.Calibrations
	logger *slog.Logger

	mu     sync.Mutex // guards newest
	newest map[string]conversation.Calibration
}

func newCalibrationKeeper(store core.Calibrations, logger *slog.Logger) *calibrationKeeper {
	k := &calibrationKeeper{store: store, logger: logger, newest: map[string]conversation.Calibration{}}
	k.writer = newBackground(k.save)
	return k
}

func (k *calibrationKeeper) start(ctx context.Context) (finish func()) {
	if k == nil {
		return func() {}
	}
	return k.writer.start(ctx)
}

// put replaces what is written under key. It never blocks.
func (k *calibrationKeeper) put(key string, c conversation.Calibration) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.newest[key] = c
	k.mu.Unlock()
	signal(k.writer.wake)
}

func (k *calibrationKeeper) save(ctx context.Context) {
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

// backlogKeeper writes the messages that wait. A nil one writes nothing.
type backlogKeeper struct {
	writer *background
	store  core.Backlog
	logger *slog.Logger

	mu     sync.Mutex // guards what follows
	newest []string
	fresh  bool // newest is not written yet
	some   bool // what was put last was not empty
	ended  bool // nothing replaces newest any more
}

func newBacklogKeeper(store core.Backlog, logger *slog.Logger) *backlogKeeper {
	// Some may be stored from before a crash.
	k := &backlogKeeper{store: store, logger: logger, some: true}
	k.writer = newBackground(k.save)
	return k
}

func (k *backlogKeeper) start(ctx context.Context) (finish func()) {
	if k == nil {
		return func() {}
	}
	return k.writer.start(ctx)
}

// put replaces the messages that wait. It never blocks.
func (k *backlogKeeper) put(texts []string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended || len(texts) == 0 && !k.some {
		return
	}
	k.newest, k.fresh, k.some = append([]string(nil), texts...), true, len(texts) > 0
	signal(k.writer.wake)
}

// end puts the messages that wait when the agent ends. They are there when the
// conversation goes on, and so are those of an earlier run if nothing was sent
// in this one.
func (k *backlogKeeper) end(texts []string) {
	if len(texts) > 0 {
		k.put(texts)
	}
	if k == nil {
		return
	}
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
}

func (k *backlogKeeper) save(ctx context.Context) {
	k.mu.Lock()
	texts, fresh := k.newest, k.fresh
	k.fresh = false
	k.mu.Unlock()
	if !fresh {
		return
	}
	if err := k.store.KeepWaiting(ctx, texts); err != nil {
		k.logger.Warn("the messages that wait could not be kept", "error", err)
	}
}

// signal wakes whoever waits on a channel of one place.
func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default: // already awake
	}
}
