package agent

import (
	"context"
	"io"
	"strings"
	"sync"
)

// Whoever asks something of the agent never waits: the request goes into
// the inbox, and the goroutine that owns the conversation carries it out wherever it
// waits: for the user, for the model, for a tool, for the end of a back-off.

// command is a request, carried out on the owner's goroutine.
type command func(ctx context.Context)

// inbox holds commands until the owner takes them, in order.
type inbox struct {
	mu       sync.Mutex // guards commands
	commands []command
	wake     chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put adds a command. It never blocks.
func (b *inbox) put(c command) {
	b.mu.Lock()
	b.commands = append(b.commands, c)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // already awake
	}
}

func (b *inbox) take() []command {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.commands
	b.commands = nil
	return taken
}

// drain carries out what is in the inbox.
func (b *inbox) drain(ctx context.Context) {
	for _, c := range b.take() {
		c(ctx)
	}
}

// receive waits for a value on ch and drains the inbox meanwhile. ok is false when ch is
// closed; the error is the cause of ctx's end.
func receive[T any](ctx context.Context, in *inbox, ch <-chan T) (v T, ok bool, err error) {
	for {
		select {
		case v, ok = <-ch:
			return v, ok, nil
		case <-in.wake:
			in.drain(ctx)
		case <-ctx.Done():
			return v, false, context.Cause(ctx)
		}
	}
}

// concurrently runs f on its own goroutine and drains the inbox until it has ended. It
// waits for f even when ctx has ended: f is given a ctx and ends with it.
func concurrently[T any](ctx context.Context, in *inbox, f func() T) T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	v, _, _ := receive(context.WithoutCancel(ctx), in, done) // nothing ends this wait but f
	return v
}

// A message that is sent while a turn runs waits, visibly, and becomes its own turn, in
// the order of sending. It returns to the composer when the turn before
// it was stopped or failed: it was written in the hope of an answer that never
// came. What asks for no answer stays until it is in the log.

// queue is the messages that wait for the running turn.
type queue struct {
	messages []queued
	shown    bool // the watcher knows of some
	backlog  *backlogKeeper
	updates  *Mailbox
}

// queued is a message that waits.
type queued struct {
	text  string
	quiet bool // no reply is asked for
}

// next takes the oldest message that waits.
func (q *queue) next() (m queued, ok bool) {
	if len(q.messages) == 0 {
		return queued{}, false
	}
	m = q.messages[0]
	q.messages = q.messages[1:]
	if q.shown || len(q.messages) > 0 {
		q.show()
	}
	return m, true
}

// show tells which messages wait.
func (q *queue) show() {
	q.updates.Put(Queued{Texts: q.texts()})
	q.shown = len(q.messages) > 0
}

// giveBack returns texts and then the queued messages to the composer, but for
// those that ask for no answer.
func (q *queue) giveBack(texts ...string) {
	var left []queued
	for _, m := range q.messages {
		if m.quiet {
			left = append(left, m)
			continue
		}
		texts = append(texts, m.text)
	}
	q.messages = left
	q.store()
	// In this order, so that a watcher who leaves between the two has them.
	if len(texts) > 0 {
		q.updates.Put(Returned{Texts: texts})
	}
	if q.shown {
		q.show()
	}
}

// store keeps what waits in the backlog, so that a crash does not lose it.
func (q *queue) store() { q.backlog.put(q.texts()) }

// texts lists what waits, oldest first.
func (q *queue) texts() []string {
	var texts []string
	for _, m := range q.messages {
		texts = append(texts, m.text)
	}
	return texts
}

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
	awaited Haste // less than this wakes nobody
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
