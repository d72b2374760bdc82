package agent

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact"
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// display publishes the state of the conversation to watchers. It also holds the values that tools read from other
// goroutines.
type display struct {
	journal    *core.Journal
	freeTokens atomic.Int64 // free tokens of the window; -1: unknown
	resultCap  atomic.Pointer[conversation.ArrivalCap]
	tools      atomic.Pointer[[]conversation.ToolSpec] // tools that the model is given
	toolTokens atomic.Int64                            // what they take of the next request

	maxResult int // configured limit on a tool result, in characters; 0: as many as fit

	phase       updates.Phase // of the newest status
	cacheColdAt time.Time     // the newest published time at which the provider's cache gets cold
}

// status publishes what the conversation is doing.
func (d *display) status(s updates.Status) {
	s.Since, d.phase = d.journal.Now(), s.Phase
	d.journal.Publish(s)
}

// isBusy reports whether the newest status is not idle.
func (d *display) isBusy() bool { return d.phase != "" && d.phase != updates.Idle }

func (d *display) showMeter() {
	r := d.journal.Reading()
	free := -1
	if r.Window.IsKnown() {
		free = max(0, r.Window.Tokens-r.Used)
	}
	d.freeTokens.Store(int64(free))
	d.toolTokens.Store(int64(r.Segments[projection.Tools]))
	d.updateResultCap()
	d.journal.Publish(updates.Metered{Meter: d.journal.Meter()})
	d.showCacheCold()
}

// updateResultCap computes the cap on tool results from the rules and the window.
func (d *display) updateResultCap() {
	resultCap := compact.ArrivalCap(d.journal.Rules().Preset, d.maxResult, d.journal.Reading().Window.Tokens)
	d.resultCap.Store(&resultCap)
}

// showCacheCold publishes the time at which the provider's cache gets cold, if it changed.
func (d *display) showCacheCold() {
	m := d.journal.Model()
	last, changed := d.journal.LastReport(m)
	at := last.Time
	switch {
	case m.NoCache:
		at = time.Time{}
	case !at.IsZero() && !changed:
		at = at.Add(m.Sheet().CacheLifetime())
	}
	if !at.Equal(d.cacheColdAt) {
		d.cacheColdAt = at
		d.journal.Publish(updates.CacheCold{At: at})
	}
}

func (d *display) storeTools() {
	tools := d.journal.Tools()
	d.tools.Store(&tools)
}

// inspector computes breakdowns of the context. The goroutine that owns the conversation copies the input when it reads
// its inbox, even while a reply streams. Adding up takes longer, so another goroutine does it.
type inspector struct {
	inbox     *core.Inbox
	updates   *updates.Mailbox
	breakdown func() func() inspect.Breakdown // copies the input; the returned function computes the breakdown

	inspectCalls atomic.Int64 // calls so far
	running      sync.WaitGroup
	computing    chan struct{} // a semaphore: one goroutine at a time computes a breakdown
}

// inspect publishes a breakdown when it is computed. Of several waiting calls, only the newest is answered.
func (i *inspector) inspect() {
	n := i.inspectCalls.Add(1)
	i.inbox.Put(func(context.Context) {
		if n != i.inspectCalls.Load() {
			return // a newer call follows
		}
		breakdown := i.breakdown()
		i.running.Go(func() {
			i.computing <- struct{}{}
			defer func() { <-i.computing }()
			if n == i.inspectCalls.Load() { // otherwise a newer call follows
				i.updates.Put(updates.Inspected{Breakdown: breakdown()})
			}
		})
	})
}
