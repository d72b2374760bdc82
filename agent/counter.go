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

// Where an endpoint counts the tokens of a prompt, it is asked while nothing goes on, so that the gauge shows a number
// and no estimate. Rules:
//
//   - It is asked about a model that answered in this run, so that nothing is sent anywhere by opening a conversation.
//   - It is asked where somebody looks at the gauge, a part of which is an estimate, and rarely.
//   - Who does not count is not asked again in this run.

const (
	countEvery = 30 * time.Second // at most once
	countTime  = 10 * time.Second // for an answer
)

// closing ends a conversation that is counted: requests end with the user.
const closing = "."

// tokenCounter asks endpoints how many tokens the next request has. All belongs to the owner of the conversation.
type tokenCounter struct {
	journal   *core.Journal
	windows   *windowKeeper
	requester *requester
	inbox     *core.Inbox

	refused map[string]bool // models whose endpoint does not count
	at      time.Time       // when it was asked last
	done    chan struct{}   // closed when the answer is there, nil while none is awaited
	failed  bool            // the last answer was a failure
	later   *time.Timer     // looks again when it may be asked again, nil if nobody does
}

// idle has the next request counted, if it is time for that. Nothing goes on.
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
				c.inbox.Put(func(context.Context) { c.later = nil }) // idle looks again behind every command
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
			case lasts(err):
				c.refused[m.Name()] = true
				c.journal.Logger().Info("the endpoint does not count tokens", "model", m.Name(), "error", err)
			case err == nil && same:
				c.failed = !c.windows.foldCount(n)
			}
		})
	}()
}

// lasts reports whether an endpoint that does not count will not do so later either.
func lasts(err error) bool {
	var e *llm.Error
	if errors.As(err, &e) {
		return !e.Retryable() && e.Class != llm.Cancelled
	}
	return err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// request is what is counted: the next request as it would be now, with a message of the user at its end.
func (c *tokenCounter) request() (llm.Request, bool) {
	v := c.journal.View()
	v.Messages = append(v.Messages[:len(v.Messages):len(v.Messages)], projection.Message{Role: projection.RoleUser, Text: closing})
	messages, err := projection.Harden(v, c.journal.Model().Caps)
	if err != nil {
		return llm.Request{}, false // there is nothing to count
	}
	return c.journal.Request(messages), true
}

// wait waits for the answer that is awaited, and looks no more.
func (c *tokenCounter) wait() {
	if c.later != nil {
		c.later.Stop()
	}
	if c.done != nil {
		<-c.done
	}
}

// foldCount anchors the meter on a count of the next request, and keeps what that taught. It reports whether the count can
// be right.
func (k *windowKeeper) foldCount(tokens int) bool {
	counted := float64(tokens) - meter.FramingTokens - 1 // of the closing message
	counts := k.journal.Meter().WithCount(counted)
	if counted <= 0 || counts.Reading().Estimated {
		return false
	}
	k.learn(counts)
	k.display.showMeter()
	return true
}
