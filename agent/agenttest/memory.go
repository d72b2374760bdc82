package agenttest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"plimsoll/conversation"
)

// Memory is a log, a blob store and a calibration store in memory. Like a real store it checks that events are
// gapless and that writes do not overlap.
type Memory struct {
	// Fail is called before every write with its kind: "append", "partial", "blob" or "calibration". An error that
	// it returns becomes the error of the write. Nil: no write fails.
	Fail func(write string) error
	// Slow has a gate for each kind of write that shall wait.
	Slow map[string]*Gate

	writing      sync.Mutex // held by the one write of the conversation
	mu           sync.Mutex // guards all below
	events       []conversation.Event
	batches      [][]conversation.Event
	partial      *conversation.PartialReply
	partials     []conversation.PartialReply
	blobs        map[string]string
	calibrations map[string]conversation.Calibration
	waiting      []string
}

func (m *Memory) write(ctx context.Context, kind string, f func() error) error {
	if !m.writing.TryLock() {
		return fmt.Errorf("%s: two writes at the same time", kind)
	}
	defer m.writing.Unlock()
	return m.change(ctx, kind, f)
}

// change waits at the gate of a kind of write, then calls f, unless the write shall fail.
func (m *Memory) change(ctx context.Context, kind string, f func() error) error {
	if g := m.Slow[kind]; g != nil {
		if err := g.Pass(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s with a context that has ended: %w", kind, err)
	}
	if m.Fail != nil {
		if err := m.Fail(kind); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return f()
}

// Append stores events. They have to follow the newest one without a gap.
func (m *Memory) Append(ctx context.Context, events []conversation.Event) error {
	return m.write(ctx, "append", func() error {
		for i, e := range events {
			if want := uint64(len(m.events) + i + 1); e.Seq != want {
				return fmt.Errorf("event %d where %d follows", e.Seq, want)
			}
			if _, err := conversation.Marshal(e); err != nil {
				return err
			}
			if e.Body.Kind() == conversation.KindAssistant {
				m.partial = nil
			}
		}
		m.events = append(m.events, events...)
		m.batches = append(m.batches, slices.Clone(events))
		return nil
	})
}

// KeepPartial replaces the stored partial reply.
func (m *Memory) KeepPartial(ctx context.Context, p conversation.PartialReply) error {
	return m.write(ctx, "partial", func() error {
		m.partial = &p
		m.partials = append(m.partials, p)
		return nil
	})
}

// PutBlob stores text under its SHA-256.
func (m *Memory) PutBlob(ctx context.Context, text string) (string, error) {
	name := conversation.ContentHash(text)
	return name, m.write(ctx, "blob", func() error {
		if m.blobs == nil {
			m.blobs = map[string]string{}
		}
		m.blobs[name] = text
		return nil
	})
}

// ReadBlob reads a stored text.
func (m *Memory) ReadBlob(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.blobs[name], nil
}

// KeepWaiting replaces the stored queue of messages. It may overlap other writes.
func (m *Memory) KeepWaiting(ctx context.Context, texts []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = slices.Clone(texts)
	return nil
}

// Waiting is the stored queue of messages.
func (m *Memory) Waiting() []string { return copied(&m.mu, &m.waiting) }

// SaveCalibration stores a calibration under a key. It may overlap other writes.
func (m *Memory) SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error {
	return m.change(ctx, "calibration", func() error {
		if m.calibrations == nil {
			m.calibrations = map[string]conversation.Calibration{}
		}
		m.calibrations[key] = c
		return nil
	})
}

// Events are the stored events.
func (m *Memory) Events() []conversation.Event { return copied(&m.mu, &m.events) }

// Batches are the stored events, one slice for each transaction.
func (m *Memory) Batches() [][]conversation.Event { return copied(&m.mu, &m.batches) }

// Partial is the newest stored partial reply, nil after its reply was appended.
func (m *Memory) Partial() *conversation.PartialReply {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.partial
}

// Partials are all partial replies that were stored, in order.
func (m *Memory) Partials() []conversation.PartialReply { return copied(&m.mu, &m.partials) }

// Blob is the text stored under a name, "" for an unknown name.
func (m *Memory) Blob(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.blobs[name]
}

// Calibration is the calibration stored under a key.
func (m *Memory) Calibration(key string) conversation.Calibration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calibrations[key]
}

// copied returns a copy of a slice that mu guards.
func copied[E any](mu *sync.Mutex, s *[]E) []E {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(*s)
}
