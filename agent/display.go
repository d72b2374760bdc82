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

// display is what watchers and tools were told of the conversation last: they read it
// from any goroutine, or hear of it when it changes.
type display struct {
	journal  *core.Journal
	free     atomic.Int64 // tokens of the window that are free, -1 unknown
	arrival  atomic.Pointer[conversation.ArrivalCap]
	declared atomic.Pointer[[]string] // names of the tools that the model is given

	maxResult int // characters of a result that the user wants shown, 0 for what fits

	busy   bool      // the newest status says that something goes on
	coldAt time.Time // from when on the watcher was told that the provider's cache is cold
}

// status tells what the conversation is doing now.
func (d *display) status(s updates.Status) {
	s.Since, d.busy = d.journal.Now(), s.Phase != updates.Idle
	d.journal.Publish(s)
}

// showMeter tells how full the window is now.
func (d *display) showMeter() {
	r := d.journal.Reading()
	free := -1
	if r.Window.Known() {
		free = max(0, r.Window.Tokens-r.Used)
	}
	d.free.Store(int64(free))
	d.fitResults()
	d.journal.Publish(updates.Metered{Meter: d.journal.Meter()})
	d.tellCache()
}

// fitResults makes the cap of results follow the rules and the window.
func (d *display) fitResults() {
	most := compact.ArrivalCap(d.journal.Rules().Preset, d.maxResult, d.journal.Reading().Window.Tokens)
	d.arrival.Store(&most)
}

// tellCache tells from when on the provider's cache is cold, if that is new.
func (d *display) tellCache() {
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

// declare makes known which tools the model is given.
func (d *display) declare() {
	names := []string{}
	for _, t := range d.journal.Tools() {
		names = append(names, t.Name)
	}
	d.declared.Store(&names)
}

// Looking at the context changes nothing and costs no request. What the answer is made of
// is taken wherever the owner of the conversation drains its inbox, also while a reply
// streams. Adding it up goes through all messages, so another goroutine does that.

// inspector answers looks at the context.
type inspector struct {
	inbox   *core.Inbox
	updates *updates.Mailbox
	account func() func() inspect.Breakdown // takes what the answer is made of; the result adds it up

	asked   atomic.Int64 // looks so far
	running sync.WaitGroup
	one     chan struct{} // holds the next answer back while one is added up
}

// look asks for a look. Of several that wait the newest is answered.
func (i *inspector) look() {
	n := i.asked.Add(1)
	i.inbox.Put(func(context.Context) {
		if n != i.asked.Load() {
			return // a newer one is behind it
		}
		account := i.account()
		i.running.Go(func() {
			i.one <- struct{}{}
			defer func() { <-i.one }()
			if n == i.asked.Load() { // otherwise a newer one is behind it
				i.updates.Put(updates.Inspected{Account: account()})
			}
		})
	})
}
