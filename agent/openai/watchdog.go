package openai

import (
	"context"
	"errors"
	"io"
	"time"

	"plimsoll/agent/llm"
)

var errSilence = errors.New("nothing arrived for too long")

// watchdog cancels a request if no byte arrives for too long. Every byte counts, even that of a keep-alive.
type watchdog struct {
	timer *time.Timer
	idle  time.Duration
	ended bool // bytes no longer extend the time
}

func (d *watchdog) reset() {
	if !d.ended {
		d.timer.Reset(d.idle)
	}
}

// end allows limit for the rest of the answer, however many bytes arrive.
func (d *watchdog) end(limit time.Duration) {
	d.ended = true
	d.timer.Reset(min(d.idle, limit))
}

// watchedBody is a body that resets the watchdog with each read, and ends with an error after too many bytes.
type watchedBody struct {
	src  io.Reader
	dog  *watchdog
	left int // bytes that may still be read
}

// Read implements io.Reader.
func (w *watchedBody) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, llm.EndlessReply()
	}
	n, err := w.src.Read(p)
	if w.left -= n; n > 0 {
		w.dog.reset()
	}
	return n, err
}

const (
	batchTime     = 20 * time.Millisecond
	unbatchedTime = 100 * time.Millisecond // after the first bytes, during which no read waits
	fastBytes     = 4 << 10                // bytes within batchTime that make a stream fast
)

// batchedBody saves wake-ups: it waits a moment between reads of a slow stream, so that one read returns several
// events. It does not delay a fast stream, nor the beginning of any stream, because a short reply must end at once.
type batchedBody struct {
	ctx      context.Context // of the request; ends a wait
	src      io.Reader
	began    time.Time // when the first bytes came
	interval time.Time // start of the interval in which bytes are counted
	count    int       // bytes read in this interval
	fast     bool      // the interval before was fast
}

// Read implements io.Reader.
func (g *batchedBody) Read(p []byte) (int, error) {
	switch left := batchTime - time.Since(g.interval); {
	case left <= 0:
		g.newInterval()
	case g.count > 0 && g.count < fastBytes && !g.fast && time.Since(g.began) >= unbatchedTime:
		select { // if the request ends meanwhile, the read returns the error
		case <-time.After(left):
		case <-g.ctx.Done():
		}
		g.newInterval()
	}
	n, err := g.src.Read(p)
	g.count += n
	if g.began.IsZero() && n > 0 {
		g.began = time.Now()
	}
	return n, err
}

func (g *batchedBody) newInterval() {
	g.interval, g.fast, g.count = time.Now(), g.count >= fastBytes, 0
}
