package agenttest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// Watcher collects the updates of an agent.
type Watcher struct {
	mu      sync.Mutex // guards updates and changed
	updates []updates.Update
	changed chan struct{} // closed and replaced when updates come
	done    chan struct{}
}

// Watch collects updates until the mailbox is closed or ctx ends.
func Watch(ctx context.Context, m *updates.Mailbox) *Watcher {
	w := &Watcher{done: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			taken, err := m.Take(ctx)
			if err != nil {
				return
			}
			w.mu.Lock()
			w.updates = append(w.updates, taken...)
			close(w.changed)
			w.changed = make(chan struct{})
			w.mu.Unlock()
		}
	}()
	return w
}

// Done is closed when the watcher has ended.
func (w *Watcher) Done() <-chan struct{} { return w.done }

// Updates are the updates so far.
func (w *Watcher) Updates() []updates.Update { return copied(&w.mu, &w.updates) }

// Await waits for the first update that matches, and returns it. The error is that of ctx.
func (w *Watcher) Await(ctx context.Context, match func(updates.Update) bool) (updates.Update, error) {
	for seen := 0; ; {
		w.mu.Lock()
		updates, changed := w.updates, w.changed
		w.mu.Unlock()
		for ; seen < len(updates); seen++ {
			if match(updates[seen]) {
				return updates[seen], nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// UpdatesOf returns the updates of one type, in order.
func UpdatesOf[T updates.Update](w *Watcher) []T {
	var out []T
	for _, u := range w.Updates() {
		if u, ok := u.(T); ok {
			out = append(out, u)
		}
	}
	return out
}

// Events are the events that were appended.
func (w *Watcher) Events() []conversation.Event {
	var out []conversation.Event
	for _, u := range UpdatesOf[updates.Appended](w) {
		out = append(out, u.Events...)
	}
	return out
}

// Phases are the phases of the conversation so far, without repeats in a row.
func (w *Watcher) Phases() []updates.Phase {
	var out []updates.Phase
	for _, s := range UpdatesOf[updates.Status](w) {
		out = append(out, s.Phase)
	}
	return slices.Compact(out)
}

// OnScreen is the text of the streaming reply as a screen shows it: empty after an append or a discard.
func (w *Watcher) OnScreen() string {
	var b strings.Builder
	for _, u := range w.Updates() {
		switch u := u.(type) {
		case updates.Delta:
			b.WriteString(u.Text)
		case updates.Appended, updates.Discarded:
			b.Reset()
		}
	}
	return b.String()
}
