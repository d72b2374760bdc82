package screen

import (
	"context"
	"sync"
	"time"

	"plimsoll/agent/updates"
)

// Updates reach the screen no faster than the user reads. Text of an incomplete line waits for the next frame, a complete
// line for a shorter time; all other updates come at once. For a while after user input, text comes at full rate, because the
// user then watches it. In a terminal without the focus updates are slow.
const (
	textGap      = 50 * time.Millisecond // between frames while a line grows
	lineGap      = 30 * time.Millisecond // before a complete line
	inputGap     = time.Second / 60      // just after user input
	unfocusedGap = time.Second / 2       // while the terminal has no focus
	inputPeriod  = 300 * time.Millisecond
)

// Pace decides when updates are taken from the mailbox. The zero value is ready.
type Pace struct {
	mu         sync.Mutex // guards what follows
	lastTaken  time.Time  // when updates were taken last
	lastInput  time.Time  // of the newest user input
	hasNoFocus bool       // the terminal has no focus
	endWait    func()     // ends the current wait, nil without one
}

// NoteInput notes user input.
func (p *Pace) NoteInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastInput, p.hasNoFocus = time.Now(), false
	p.interruptWait()
}

// SetFocus notes whether the terminal has the focus.
func (p *Pace) SetFocus(has bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasNoFocus = !has
	p.interruptWait()
}

// interruptWait ends the current wait. The caller holds the lock.
func (p *Pace) interruptWait() {
	if p.endWait != nil {
		p.endWait()
	}
}

// take waits until the next frame is due and updates are pending, and takes them.
func (p *Pace) take(ctx context.Context, from *updates.Mailbox) ([]updates.Update, error) {
	waitCtx, end := context.WithCancel(ctx)
	p.mu.Lock()
	p.endWait = end
	line, text := p.gaps(time.Now())
	last := p.lastTaken
	p.mu.Unlock()
	if !waitUntil(waitCtx, from, last.Add(line), updates.Immediate) {
		waitUntil(waitCtx, from, last.Add(text), updates.FullLine)
	}
	end()
	updates, err := from.Take(ctx)
	p.mu.Lock()
	p.endWait, p.lastTaken = nil, time.Now()
	p.mu.Unlock()
	return updates, err
}

// gaps are the times that a complete line and an incomplete one wait after the last frame. The caller holds the lock.
func (p *Pace) gaps(now time.Time) (line, text time.Duration) {
	switch {
	case p.hasNoFocus:
		return unfocusedGap, unfocusedGap
	case now.Sub(p.lastInput) < inputPeriod:
		return inputGap, inputGap
	}
	return lineGap, textGap
}

// waitUntil waits until a time, or until an update of at least this priority is pending; then it returns true.
func waitUntil(ctx context.Context, from *updates.Mailbox, end time.Time, minPriority updates.Priority) bool {
	if !end.After(time.Now()) {
		return false
	}
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	return from.Await(ctx, minPriority) == nil
}
