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
	"plimsoll/conversation"
)

// display holds what watchers and tools know of the conversation: the newest published values, and those that other
// goroutines read.
type display struct {
	journal  *core.Journal
	free     atomic.Int64 // tokens of the window that are free, -1 unknown
	arrival  atomic.Pointer[conversation.ArrivalCap]
	declared atomic.Pointer[[]string] // names of the tools that the model is given

	maxResult int // characters of a result that the user wants shown; 0: as many as fit

	busy   bool      // the newest status is not idle
	coldAt time.Time // the newest published time at which the provider's cache gets cold
}

// status publishes what the conversation is doing.
func (d *display) status(s updates.Status) {
	s.Since, d.busy = d.journal.Now(), s.Phase != updates.Idle
	d.journal.Publish(s)
}

// showMeter publishes the meter.
func (d *display) showMeter() {
	r := d.journal.Reading()
	free := -1
	if r.Window.IsKnown() {
		free = max(0, r.Window.Tokens-r.Used)
	}
	d.free.Store(int64(free))
	d.updateResultCap()
	d.journal.Publish(updates.Metered{Meter: d.journal.Meter()})
	d.showCacheCold()
}

// updateResultCap sets the cap of results by the rules and the window.
func (d *display) updateResultCap() {
	most := compact.ArrivalCap(d.journal.Rules().Preset, d.maxResult, d.journal.Reading().Window.Tokens)
	d.arrival.Store(&most)
}

// showCacheCold publishes the time at which the provider's cache gets cold, if it changed.
func (d *display) showCacheCold() {
	m := d.journal.Model()
	at, changed := d.journal.LastReply(m)
	switch {
	case m.NoCache:
		at = time.Time{}
	case !at.IsZero() && !changed:
		at = at.Add(m.Sheet().CacheLifetime())
	}
	if !at.Equal(d.coldAt) {
		d.coldAt = at
		d.journal.Publish(updates.CacheCold{At: at})
	}
}

// storeToolNames stores the names of the tools that the model is given.
func (d *display) storeToolNames() {
	names := []string{}
	for _, t := range d.journal.Tools() {
		names = append(names, t.Name)
	}
	d.declared.Store(&names)
}

// The breakdown of the context changes nothing and costs no request. Its input is copied when the owner drains its
// inbox, also while a reply streams. Adding it up takes longer, so another goroutine does that.

// inspector answers Inspect.
type inspector struct {
	inbox   *core.Inbox
	updates *updates.Mailbox
	account func() func() inspect.Breakdown // copies the input; the returned function adds it up

	asked   atomic.Int64 // calls so far
	running sync.WaitGroup
	one     chan struct{} // lets one goroutine at a time add up
}

// inspect starts a breakdown. Of several that wait only the newest is made.
func (i *inspector) inspect() {
	n := i.asked.Add(1)
	i.inbox.Put(func(context.Context) {
		if n != i.asked.Load() {
			return // a newer one follows
		}
		account := i.account()
		i.running.Go(func() {
			i.one <- struct{}{}
			defer func() { <-i.one }()
			if n == i.asked.Load() { // otherwise a newer one follows
				i.updates.Put(updates.Inspected{Account: account()})
			}
		})
	})
}
