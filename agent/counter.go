package agent

import (
	"context"
	"errors"
	"sync"
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
	countEvery   = 30 * time.Second // the shortest interval
	countTimeout = 10 * time.Second // time limit of a count
)

// closingText is the user message at the end of a counted request.
const closingText = "."

// tokenCounter asks endpoints for the tokens of the next request. It belongs to the owner of the conversation.
type tokenCounter struct {
	journal   *core.Journal
	windows   *windowKeeper
	requester *requester
	inbox     *core.Inbox

	refusedModels map[string]bool // models whose endpoint cannot count
	lastCount     time.Time       // of the last count
	isCounting    bool            // a count runs
	lastFailed    bool            // the last count failed, so the next message asks again
}

// idle starts a count of the next request, if one is useful now, on a goroutine of running. Otherwise it returns a channel that
// receives when one is allowed, nil if none is useful. It is called while the conversation is idle.
func (c *tokenCounter) idle(ctx context.Context, running *sync.WaitGroup) <-chan time.Time {
	m := c.journal.Model()
	counter, ok := c.journal.Provider().(llm.Counter)
	now := c.journal.Now()
	if !ok || !c.journal.Interactive || c.isCounting || c.refusedModels[m.Name()] || !c.requester.answeredModels[m.Name()] || !c.journal.Reading().Estimated {
		return nil
	}
	if since := now.Sub(c.lastCount); !c.lastCount.IsZero() && since < countEvery {
		if c.lastFailed {
			return nil
		}
		return time.After(countEvery - since)
	}
	r, ok := c.request()
	if !ok {
		return nil
	}
	c.lastCount, c.isCounting = now, true
	revision, length := c.journal.View().Revision, c.journal.Len()
	running.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, countTimeout)
		defer cancel()
		n, err := counter.CountTokens(ctx, r)
		c.inbox.Put(func(context.Context) {
			c.isCounting, c.lastFailed = false, err != nil
			same := c.journal.Model().Name() == m.Name() && c.journal.View().Revision == revision && c.journal.Len() == length
			switch {
			case cannotCount(err):
				c.refusedModels[m.Name()] = true
				c.journal.Logger.Info("the endpoint does not count tokens", "model", m.Name(), "error", err)
			case err == nil && same:
				c.lastFailed = !c.windows.learnFromCount(n)
			}
		})
	})
	return nil
}

// cannotCount reports whether an error means that the endpoint will not count later either.
func cannotCount(err error) bool {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return !e.Retryable() && e.Class != llm.Cancelled
	}
	return err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// request is the next request as it would be now, with a user message at its end. It is false if the view cannot be
// sent.
func (c *tokenCounter) request() (llm.Request, bool) {
	v := c.journal.View()
	v.Messages = append(v.Messages[:len(v.Messages):len(v.Messages)], projection.Message{Role: projection.RoleUser, Text: closingText})
	messages, err := projection.Harden(v, c.journal.Model().Caps)
	if err != nil {
		return llm.Request{}, false
	}
	return c.journal.Request(messages), true
}

// learnFromCount sets the meter to the endpoint's count of the next request, and calibrates it. It reports whether the
// count is plausible.
func (k *windowKeeper) learnFromCount(tokens int) bool {
	counted := float64(tokens) - meter.FramingTokens - 1 // without the tokens of the closing message
	counts := k.journal.Meter().WithTokenCount(counted)
	if counted <= 0 || counts.Reading().Estimated {
		return false
	}
	k.useLearnedMeter(counts)
	k.display.showMeter()
	return true
}
