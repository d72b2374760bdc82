package screen

import (
	"context"
	"sync"
	"time"

	"plimsoll/agent/updates"
)

// Updates reach the screen at the pace of who reads it. Text that grows may wait for
// the next frame, a line that is complete for a moment; everything else comes at once.
// For a while after the user did something, text comes at full rate, because then the
// eye follows it. Nobody reads along in a terminal that has lost the focus.
const (
	textGap      = 50 * time.Millisecond // between frames while a line grows
	lineGap      = 30 * time.Millisecond // before a complete line
	inputGap     = time.Second / 60      // while the user does something
	unfocusedGap = time.Second / 2       // while the terminal has no focus
	inputPeriod  = 300 * time.Millisecond
)

// Pace decides when updates are taken. The zero value is ready.
type Pace struct {
	mu         sync.Mutex // guards what follows
	lastTaken  time.Time  // when updates were taken last
	lastInput  time.Time  // when the user did something last
	hasNoFocus bool       // the terminal has no focus
	endWait    func()     // ends the wait under way, nil without one
}

// Touch notes that the user did something.
func (p *Pace) NoteInput() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastInput, p.hasNoFocus = time.Now(), false
	p.interruptWait()
}

// Focus notes whether the terminal has the focus.
func (p *Pace) SetFocus(has bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hasNoFocus = !has
	p.interruptWait()
}

// cut ends the wait under way. The lock is held.
func (p *Pace) interruptWait() {
	if p.endWait != nil {
		p.endWait()
	}
}

// take waits until the next frame is due and something is pending, and takes it.
func (p *Pace) take(ctx context.Context, from *updates.Mailbox) ([]updates.Update, error) {
	waiting, end := context.WithCancel(ctx)
	p.mu.Lock()
	p.endWait = end
	line, text := p.gaps(time.Now())
	last := p.lastTaken
	p.mu.Unlock()
	if !waitUntil(waiting, from, last.Add(line), updates.Immediate) {
		waitUntil(waiting, from, last.Add(text), updates.FullLine)
	}
	end()
	updates, err := from.Take(ctx)
	p.mu.Lock()
	p.endWait, p.lastTaken = nil, time.Now()
	p.mu.Unlock()
	return updates, err
}

// gaps are how long a complete line and a growing one wait behind the last frame. The
// lock is held.
func (p *Pace) gaps(now time.Time) (line, text time.Duration) {
	switch {
	case p.hasNoFocus:
		return unfocusedGap, unfocusedGap
	case now.Sub(p.lastInput) < inputPeriod:
		return inputGap, inputGap
	}
	return lineGap, textGap
}

// until waits until a moment, or until something that hasty is pending; true if it is.
func waitUntil(ctx context.Context, from *updates.Mailbox, end time.Time, least updates.Priority) bool {
	if !end.After(time.Now()) {
		return false
	}
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	return from.Await(ctx, least) == nil
}
