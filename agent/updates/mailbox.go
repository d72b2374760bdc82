package updates

import (
	"context"
	"io"
	"strings"
	"sync"
)

// Putting never blocks whoever reads the network, and nothing is lost; what
// grows is merged instead: neighbouring deltas and neighbouring output of one
// call become one update, of neighbouring states (status, meter, progress of a
// call) the newest stands. So a watcher that is slow takes fewer, larger
// updates, and the batch adapts to what drawing costs without a timer. A watcher
// that paces itself awaits something that cannot wait before it takes.

// Mailbox hands updates from the agent to one watcher.
type Mailbox struct {
	mu      sync.Mutex // guards all below but wake
	pending []Update
	closed  bool
	haste   Haste // the most of what is pending
	awaited Haste // an update with less haste does not wake the reader
	// The text of the last pending update while it still grows. A builder,
	// because joining strings piece by piece costs the square of their number.
	text, reasoning strings.Builder

	wake chan struct{}
}

// Haste is how soon who watches wants to see an update.
type Haste int

const (
	Growing Haste = iota // text in the middle of a line, a count that goes on
	Line                 // text that completes a line
	AtOnce               // everything else
)

// hasteOf is the haste of an update.
func hasteOf(u Update) Haste {
	switch u := u.(type) {
	case Delta:
		return lines(u.Text, u.Reasoning)
	case ToolOutput:
		return lines(u.Text)
	case CallStreaming:
		return Growing
	}
	return AtOnce
}

// lines is the haste of texts that grow.
func lines(texts ...string) Haste {
	for _, t := range texts {
		if strings.Contains(t, "\n") {
			return Line
		}
	}
	return Growing
}

// NewMailbox returns an empty mailbox.
func NewMailbox() *Mailbox { return &Mailbox{wake: make(chan struct{}, 1)} }

// Put adds an update. It never blocks.
func (m *Mailbox) Put(u Update) {
	m.mu.Lock()
	if !m.merged(u) {
		m.settle()
		m.pending = append(m.pending, u)
		m.grow(u)
	}
	m.haste = max(m.haste, hasteOf(u))
	heard := m.haste >= m.awaited
	m.mu.Unlock()
	if heard {
		m.signal()
	}
}

// Await waits until something of at least this haste is pending, or nothing more will
// come. What has less haste does not wake the caller. The error is that of ctx.
func (m *Mailbox) Await(ctx context.Context, least Haste) error {
	m.await(least)
	defer m.await(Growing)
	for {
		m.mu.Lock()
		there := m.closed || len(m.pending) > 0 && m.haste >= least
		m.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// await sets which haste wakes who waits.
func (m *Mailbox) await(least Haste) {
	m.mu.Lock()
	m.awaited = least
	m.mu.Unlock()
}

// Take waits until something is pending, then returns all of it, oldest first.
// The error is io.EOF after Close when nothing is left, or that of ctx.
func (m *Mailbox) Take(ctx context.Context) ([]Update, error) {
	for {
		m.mu.Lock()
		m.settle()
		taken, closed := m.pending, m.closed
		m.pending, m.haste = nil, Growing
		m.mu.Unlock()
		switch {
		case len(taken) > 0:
			return taken, nil
		case closed:
			m.signal() // whoever takes next must not wait either
			return nil, io.EOF
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close says that nothing more will come. What is pending can still be taken.
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

// merged reports whether u became part of the last pending update.
func (m *Mailbox) merged(u Update) bool {
	if len(m.pending) == 0 {
		return false
	}
	last := &m.pending[len(m.pending)-1]
	switch u := u.(type) {
	case Delta:
		if _, ok := (*last).(Delta); !ok {
			return false
		}
		m.grow(u)
		return true
	case ToolOutput:
		if l, ok := (*last).(ToolOutput); !ok || l.CallID != u.CallID {
			return false
		}
		m.grow(u)
		return true
	case Status:
		// That a request is tried again is told even if the next try begins at once.
		l, ok := (*last).(Status)
		return ok && l.Phase != Retrying && replaced[Status](last, u)
	case Metered:
		return replaced[Metered](last, u)
	case Inspected:
		return replaced[Inspected](last, u)
	case CallStreaming:
		l, ok := (*last).(CallStreaming)
		return ok && l.Index == u.Index && l.Name == u.Name && replaced[CallStreaming](last, u)
	}
	return false
}

// replaced puts u in the place of an update of the same type.
func replaced[T Update](last *Update, u T) bool {
	if _, ok := (*last).(T); !ok {
		return false
	}
	*last = u
	return true
}

// grow collects the text of the last pending update.
func (m *Mailbox) grow(u Update) {
	switch u := u.(type) {
	case Delta:
		m.text.WriteString(u.Text)
		m.reasoning.WriteString(u.Reasoning)
	case ToolOutput:
		m.text.WriteString(u.Text)
	}
}

// settle puts the collected text into the last pending update.
func (m *Mailbox) settle() {
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
