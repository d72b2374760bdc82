package openai

import (
	"context"
	"errors"
	"io"
	"time"

	"plimsoll/agent/llm"
)

var errSilence = errors.New("nothing arrived for too long")

// watchdog cancels a request when nothing comes for too long. Every byte
// counts as life, so keep-alives hold a slow reply open, until it has ended.
type watchdog struct {
	timer *time.Timer
	idle  time.Duration
	ended bool // bytes no longer count
}

func newWatchdog(first, idle time.Duration, cancel context.CancelCauseFunc) *watchdog {
	return &watchdog{timer: time.AfterFunc(first, func() { cancel(errSilence) }), idle: idle}
}

func (d *watchdog) alive() {
	if !d.ended {
		d.timer.Reset(d.idle)
	}
}

// end allows what follows an end so much time, whatever bytes come.
func (d *watchdog) end(limit time.Duration) {
	d.ended = true
	d.timer.Reset(min(d.idle, limit))
}

func (d *watchdog) stop() { d.timer.Stop() }

// watched is a body whose bytes keep the watchdog quiet, and of which so many are read at most.
type watched struct {
	src  io.Reader
	dog  *watchdog
	left int
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, llm.EndlessReply()
	}
	n, err := w.src.Read(p)
	if w.left -= n; n > 0 {
		w.dog.alive()
	}
	return n, err
}

// A stream of small events costs a wake-up each. gathered lets them gather for a
// moment where they come slowly: whoever reads sees no difference, and one read takes
// several. A fast stream is read as it comes, and so is the beginning of each: a short
// reply, which comes at once, ends at once.
const (
	gatherFor   = 20 * time.Millisecond
	gatherAfter = 100 * time.Millisecond // behind the first bytes
	fastSlot    = 4 << 10                // bytes in such a time from which on a stream is fast
)

type gathered struct {
	ctx   context.Context // of the request: its end ends a wait
	src   io.Reader
	began time.Time // when the first bytes came
	slot  time.Time // when the time began in which bytes are counted
	bytes int       // that came since
	fast  bool      // enough came in the one before
}

// Read implements io.Reader.
func (g *gathered) Read(p []byte) (int, error) {
	switch left := gatherFor - time.Since(g.slot); {
	case left <= 0:
		g.begin()
	case g.bytes > 0 && g.bytes < fastSlot && !g.fast && time.Since(g.began) >= gatherAfter:
		g.wait(left)
		g.begin()
	}
	n, err := g.src.Read(p)
	g.bytes += n
	if g.began.IsZero() && n > 0 {
		g.began = time.Now()
	}
	return n, err
}

// wait lets events gather. A request that ends meanwhile shows in the read that follows.
func (g *gathered) wait(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-g.ctx.Done():
	}
}

func (g *gathered) begin() {
	g.slot, g.fast, g.bytes = time.Now(), g.bytes >= fastSlot, 0
}
