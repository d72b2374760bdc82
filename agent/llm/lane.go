package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Servers exist (llama.cpp, by default) whose slots share one cache: two requests
// at the same time can fill it though each would fit, and then both fail as too
// long. Rules:
//
//   - Such an error, without a number, on a request that is known to be smaller than the
//     window is no overflow: the request is sent again.
//   - From then on a summary is not written while the conversation's request is made.
//     The conversation goes first: it cancels the request for the summary, which is sent
//     again.
//   - Nobody but the summary waits, and its time does not run meanwhile.

// ErrYielded is the cause of a summary's request that made way.
var ErrYielded = errors.New("the conversation's request goes first")

// Lane keeps a summary's requests apart from the conversation's where a model's
// server wants that.
type Lane struct {
	mu      sync.Mutex
	shared  map[string]bool         // models whose server's requests share one cache, by name
	busy    string                  // the model that the conversation's request is made to, "" for none
	free    chan struct{}           // closed when that is done
	summary string                  // the model that a summary's request is made to
	yield   context.CancelCauseFunc // ends that, nil if there is none
	over    chan struct{}           // closed when that has ended
}

func NewLane() *Lane { return &Lane{shared: map[string]bool{}} }

// Take says that the conversation's request is about to be made, and waits until a summary's
// request that makes way has ended, or ctx has. Who took gives.
func (l *Lane) Take(ctx context.Context, model string) {
	l.mu.Lock()
	l.busy, l.free = model, make(chan struct{})
	over := l.part()
	l.mu.Unlock()
	if over == nil {
		return
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}

// Give says that it is done.
func (l *Lane) Give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = ""
	close(l.free)
}

// Share notes that requests to a model share one cache. It reports whether that is
// new.
func (l *Lane) Share(model string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.shared[model]
	l.shared[model] = true
	l.part()
	return !known
}

// part ends a summary's request where it must not be made now, and returns what is
// closed when it has ended, nil if nothing has to.
func (l *Lane) part() <-chan struct{} {
	if l.yield == nil || l.busy != l.summary || !l.shared[l.summary] {
		return nil
	}
	l.yield(ErrYielded)
	return l.over
}

// Enter waits until a summary's request may be made, with the clock stopped. The
// request ends with the context, whose cause is ErrYielded if it has to make way,
// and is over with done. The error is the cause of ctx's end.
func (l *Lane) Enter(ctx context.Context, model string, c *Clock) (inside context.Context, done func(), err error) {
	if l == nil {
		return ctx, func() {}, nil
	}
	for {
		l.mu.Lock()
		if l.busy != model || !l.shared[model] {
			inside, cancel := context.WithCancelCause(ctx)
			over := make(chan struct{})
			l.summary, l.yield, l.over = model, cancel, over
			l.mu.Unlock()
			return inside, func() {
				l.mu.Lock()
				l.yield = nil
				l.mu.Unlock()
				cancel(nil)
				close(over)
			}, nil
		}
		free := l.free
		l.mu.Unlock()
		c.Stop()
		select {
		case <-free:
			c.restart()
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// Clock bounds the time of a summary. It belongs to one goroutine.
type Clock struct {
	limit time.Duration
	end   time.Time
	timer *time.Timer
}

func NewClock(limit time.Duration, over func()) *Clock {
	return &Clock{limit: limit, end: time.Now().Add(limit), timer: time.AfterFunc(limit, over)}
}

func (c *Clock) Stop() {
	if c != nil {
		c.timer.Stop()
	}
}

// restart gives the whole time again.
func (c *Clock) restart() {
	if c != nil {
		c.end = time.Now().Add(c.limit)
		c.timer.Reset(c.limit)
	}
}

// Left is the time that is left.
func (c *Clock) Left() time.Duration { return time.Until(c.end) }

// The share of the window up to which a request is known to be smaller than it:
// where reports taught how the model counts, and where none did.
const (
	surelySmaller  = 0.8
	likelySmaller  = 0.5
	bytesPerToken  = 3.0 // of a reply, rather more tokens than less
	cacheFullHint  = "other requests share its cache: try again when they are done, or give the server a larger one (-c), or fewer slots (-np 1)"
	cacheFullWords = "the server's cache is full, though this request is smaller than its window"
)

// Smaller reports whether a request with what came of its reply is known to be
// smaller than the window of its model.
func Smaller(m Model, factor float64, r Outgoing, rep *Reply) bool {
	if !SaidByServer(m.Window) {
		return false
	}
	share := likelySmaller
	if m.Calibration.Samples > 0 {
		share = surelySmaller
	}
	if factor <= 0 {
		factor = 1
	}
	return factor*r.Estimate+float64(rep.Bytes)/bytesPerToken <= share*float64(m.Window.Tokens)
}

// CacheFull is the failure in place of words about size that mean a full cache.
func CacheFull(e *Error) *Error {
	return &Error{
		Class: Overloaded, Message: cacheFullWords, Hint: cacheFullHint, Status: e.Status, RetryAfter: e.RetryAfter, Shared: true,
		Err: fmt.Errorf("taken for a full cache: %w", e),
	}
}
