package updates

import (
	"context"
	"io"
	"strings"
	"sync"
)

// Put never blocks the goroutine that reads the network, and no update is lost. To keep the queue short, neighbors
// merge: pieces of text and pieces of output of one call become one update, and of neighboring states (status,
// meter, progress of a call) the newest replaces the others. A slow watcher therefore takes fewer, larger updates,
// and no timer is needed to batch them. A watcher that wants to draw less often calls Await with a priority before
// Take.

// Mailbox hands updates from the agent to one watcher.
type Mailbox struct {
	mu      sync.Mutex // guards all below but wake
	pending []Update
	closed  bool
	highest Priority // of the pending updates
	awaited Priority // an update below it does not wake the watcher
	// The text of the last pending update, which may still grow. Builders, because joining strings piece by piece
	// takes quadratic time.
	text, reasoning strings.Builder

	wake chan struct{}
}

// Priority is how soon a watcher needs an update.
type Priority int

const (
	PartialLine Priority = iota // text in the middle of a line, a running count
	FullLine                    // text that completes a line
	Immediate                   // everything else
)

func priorityOf(u Update) Priority {
	switch u := u.(type) {
	case Delta:
		return textPriority(u.Text, u.Reasoning)
	case ToolOutput:
		return textPriority(u.Text)
	case CallStreaming:
		return PartialLine
	}
	return Immediate
}

func textPriority(texts ...string) Priority {
	for _, t := range texts {
		if strings.Contains(t, "\n") {
			return FullLine
		}
	}
	return PartialLine
}

// NewMailbox returns an empty mailbox.
func NewMailbox() *Mailbox { return &Mailbox{wake: make(chan struct{}, 1)} }

// Put adds an update. It never blocks.
func (m *Mailbox) Put(u Update) {
	m.mu.Lock()
	if !m.mergeIntoLast(u) {
		m.flushText()
		m.pending = append(m.pending, u)
		m.appendText(u)
	}
	m.highest = max(m.highest, priorityOf(u))
	wakes := m.highest >= m.awaited
	m.mu.Unlock()
	if wakes {
		m.signal()
	}
}

// Await waits until an update of at least this priority is pending, or the mailbox is closed. Updates of lower
// priority do not wake the caller. The error is that of ctx.
func (m *Mailbox) Await(ctx context.Context, least Priority) error {
	m.setAwaited(least)
	defer m.setAwaited(PartialLine)
	for {
		m.mu.Lock()
		ready := m.closed || len(m.pending) > 0 && m.highest >= least
		m.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// setAwaited sets the priority that wakes the watcher.
func (m *Mailbox) setAwaited(least Priority) {
	m.mu.Lock()
	m.awaited = least
	m.mu.Unlock()
}

// Take waits until an update is pending, then returns all of them, oldest first. The error is io.EOF after Close
// when none is left, or that of ctx.
func (m *Mailbox) Take(ctx context.Context) ([]Update, error) {
	for {
		m.mu.Lock()
		m.flushText()
		taken, closed := m.pending, m.closed
		m.pending, m.highest = nil, PartialLine
		m.mu.Unlock()
		switch {
		case len(taken) > 0:
			return taken, nil
		case closed:
			m.signal() // for the next call of Take
			return nil, io.EOF
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the mailbox: no update follows. Pending ones can still be taken.
func (m *Mailbox) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.signal()
}

func (m *Mailbox) signal() {
	select {
	case m.wake <- struct{}{}:
	default: // already awake
	}
}

// mergeIntoLast adds u to the last pending update, if the two can merge, and reports whether they did.
func (m *Mailbox) mergeIntoLast(u Update) bool {
	if len(m.pending) == 0 {
		return false
	}
	last := &m.pending[len(m.pending)-1]
	switch u := u.(type) {
	case Delta:
		if _, ok := (*last).(Delta); !ok {
			return false
		}
		m.appendText(u)
		return true
	case ToolOutput:
		if l, ok := (*last).(ToolOutput); !ok || l.CallID != u.CallID {
			return false
		}
		m.appendText(u)
		return true
	case Status:
		// A Retrying status stays even if the next try begins at once.
		l, ok := (*last).(Status)
		return ok && l.Phase != Retrying && replaceLast[Status](last, u)
	case Metered:
		return replaceLast[Metered](last, u)
	case Inspected:
		return replaceLast[Inspected](last, u)
	case CallStreaming:
		l, ok := (*last).(CallStreaming)
		return ok && l.Index == u.Index && l.Name == u.Name && replaceLast[CallStreaming](last, u)
	}
	return false
}

// replaceLast replaces the last update with u, if it has the same type, and reports whether it did.
func replaceLast[T Update](last *Update, u T) bool {
	if _, ok := (*last).(T); !ok {
		return false
	}
	*last = u
	return true
}

// appendText adds text to the builders of the last pending update.
func (m *Mailbox) appendText(u Update) {
	switch u := u.(type) {
	case Delta:
		m.text.WriteString(u.Text)
		m.reasoning.WriteString(u.Reasoning)
	case ToolOutput:
		m.text.WriteString(u.Text)
	}
}

// flushText moves the text from the builders into the last pending update.
func (m *Mailbox) flushText() {
	if len(m.pending) == 0 {
		return
	}
	last := &m.pending[len(m.pending)-1]
	switch l := (*last).(type) {
	case Delta:
		l.Text, l.Reasoning = m.text.String(), m.reasoning.String()
		*last = l
	case ToolOutput:
		l.Text = m.text.String()
		*last = l
	default:
		return
	}
	m.text.Reset()
	m.reasoning.Reset()
}
