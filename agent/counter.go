package agent

import (
	"context"
	"errors"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// An endpoint that counts the tokens of a prompt is asked while the conversation is idle, so that the gauge shows a
// number and not an estimate. Rules:
//
//   - It is asked only for a model that replied in this run: opening a conversation sends nothing.
//   - It is asked only if a user sees the gauge and part of its value is an estimate, and rarely.
//   - An endpoint that cannot count is not asked again in this run.

const (
	countEvery = 30 * time.Second // the shortest interval
	countTime  = 10 * time.Second // time limit of a count
)

// closing is the user message at the end of a counted request.
const closing = "."

// tokenCounter asks endpoints for the tokens of the next request. It belongs to the owner of the conversation.
type tokenCounter struct {
	journal   *core.Journal
	windows   *windowKeeper
	requester *requester
	inbox     *core.Inbox

	refused map[string]bool // models whose endpoint cannot count
	at      time.Time       // of the last count
	done    chan struct{}   // closed when the running count has ended, nil without one
	failed  bool            // the last count failed
	later   *time.Timer     // wakes the owner when the next count is allowed, or nil
}

// idle starts a count of the next request, if one is useful now. It is called while the conversation is idle.
func (c *tokenCounter) idle(ctx context.Context) {
	m := c.journal.Model()
	counter, ok := c.journal.Provider().(llm.Counter)
	now := c.journal.Now()
	if !ok || !c.journal.Interactive() || c.done != nil || c.refused[m.Name()] || !c.requester.answered[m.Name()] || !c.journal.Reading().Estimated {
		return
	}
	if since := now.Sub(c.at); !c.at.IsZero() && since < countEvery {
		if c.later == nil && !c.failed { // after a failure the next message asks again
			c.later = time.AfterFunc(countEvery-since, func() {
				c.inbox.Put(func(context.Context) { c.later = nil }) // idle is called after every command
			})
		}
		return
	}
	r, ok := c.request()
	if !ok {
		return
	}
	c.at = now
	revision, length := c.journal.View().Revision, c.journal.Len()
	done := make(chan struct{})
	c.done = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		n, err := counter.CountTokens(ctx, r)
		c.inbox.Put(func(context.Context) {
			c.done, c.failed = nil, err != nil
			same := c.journal.Model().Name() == m.Name() && c.journal.View().Revision == revision && c.journal.Len() == length
			switch {
			case cannotCount(err):
				c.refused[m.Name()] = true
				c.journal.Logger().Info("the endpoint does not count tokens", "model", m.Name(), "error", err)
			case err == nil && same:
				c.failed = !c.windows.foldCount(n)
			}
		})
	}()
}

// cannotCount reports whether an error means that the endpoint will not count later either.
func cannotCount(err error) bool {
	var e *llm.Error
	if errors.As(err, &e) {
		return !e.Retryable() && e.Class != llm.Cancelled
	}
	return err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// request is the next request as it would be now, with a user message at its end; false if there is nothing to
// count.
func (c *tokenCounter) request() (llm.Request, bool) {
	v := c.journal.View()
	v.Messages = append(v.Messages[:len(v.Messages):len(v.Messages)], projection.Message{Role: projection.RoleUser, Text: closing})
	messages, err := projection.Harden(v, c.journal.Model().Caps)
	if err != nil {
		return llm.Request{}, false
	}
	return c.journal.Request(messages), true
}

// wait stops the timer and waits for the running count.
func (c *tokenCounter) wait() {
	if c.later != nil {
		c.later.Stop()
	}
	if c.done != nil {
		<-c.done
	}
}

// foldCount anchors the meter to a count of the next request, and calibrates it. It reports whether the count is
// plausible.
func (k *windowKeeper) foldCount(tokens int) bool {
	counted := float64(tokens) - meter.FramingTokens - 1 // of the closing message
	counts := k.journal.Meter().WithTokenCount(counted)
	if counted <= 0 || counts.Reading().Estimated {
		return false
	}
	k.learn(counts)
	k.display.showMeter()
	return true
}
