package openai

import (
	"context"
	"errors"
	"io"
	"time"
)

// errSilence ends a request whose server went silent.
var errSilence = errors.New("nothing came for too long")

// watchdog cancels a request when nothing comes for too long. Every byte
// counts as life, so keep-alives hold a slow reply open.
type watchdog struct {
	timer *time.Timer
	idle  time.Duration
}

// newWatchdog starts with the time allowed for the first byte.
func newWatchdog(first, idle time.Duration, cancel context.CancelCauseFunc) *watchdog {
	return &watchdog{timer: time.AfterFunc(first, func() { cancel(errSilence) }), idle: idle}
}

// alive notes a byte.
func (d *watchdog) alive() { d.timer.Reset(d.idle) }

// set allows a silence of at most limit from now on.
func (d *watchdog) set(limit time.Duration) {
	d.idle = min(d.idle, limit)
	d.timer.Reset(d.idle)
}

// rest stops watching until the next sign of life.
func (d *watchdog) rest() { d.timer.Stop() }

// stop ends the watch.
func (d *watchdog) stop() { d.timer.Stop() }

// watched is a body whose bytes keep the watchdog quiet.
type watched struct {
	src io.Reader
	dog *watchdog
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.src.Read(p)
	if n > 0 {
		w.dog.alive()
	}
	return n, err
}
