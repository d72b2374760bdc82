package storagetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// Memory is a store in memory. Its zero value is empty and ready. What is
// stored goes through the codec, as on disk.
type Memory struct {
	// Fault, if not nil, is asked before each write whether it fails: op is
	// "append", "partial", "blob" or "calibration". Set it before use.
	Fault func(op string) error

	mu           sync.Mutex // guards the fields below
	chats        map[string]*chat
	calibrations map[string]conversation.Calibration
}

// chat is one conversation.
type chat struct {
	workspace string
	stored    bool     // the user has said something
	open      bool     // a MemoryLog has it
	events    [][]byte // as encoded, Seq i+1 at i
	partial   *conversation.Partial
	blobs     map[string]string
}

// MemoryLog is a conversation of a Memory that is open for writing. It is the
// log the agent writes to.
type MemoryLog struct {
	memory    *Memory
	id        string
	chat      *chat
	recovered *conversation.Partial
	closed    bool // guarded by memory.mu
}

// Create begins a conversation; see storage.Store.Create.
func (m *Memory) Create(ctx context.Context, n storage.NewConversation) (*MemoryLog, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n.ID == "" {
		n.ID = conversation.NewID()
	}
	if c := m.chats[n.ID]; c != nil && c.stored {
		return nil, fmt.Errorf("begin conversation %s: %w", n.ID, storage.ErrExists)
	} else if c != nil && c.open {
		return nil, &storage.LockedError{ID: n.ID, PID: os.Getpid()}
	}
	c := &chat{workspace: n.Workspace, open: true, blobs: map[string]string{}}
	if m.chats == nil {
		m.chats = map[string]*chat{}
	}
	m.chats[n.ID] = c
	return &MemoryLog{memory: m, id: n.ID, chat: c}, nil
}

// OpenWriter opens a stored conversation for writing; see
// storage.Store.OpenWriter.
func (m *Memory) OpenWriter(ctx context.Context, id string) (*MemoryLog, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if c.open {
		return nil, &storage.LockedError{ID: id, PID: os.Getpid()}
	}
	c.open = true
	c.dropStale()
	l := &MemoryLog{memory: m, id: id, chat: c}
	if c.partial != nil {
		p := *c.partial
		l.recovered = &p
	}
	return l, nil
}

// Load reads the events of a conversation; see storage.Store.Load.
func (m *Memory) Load(ctx context.Context, id string) ([]conversation.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	events := make([]conversation.Event, len(c.events))
	for i, data := range c.events {
		if events[i], err = conversation.Unmarshal(data); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// Partial reads the partial reply; see storage.Store.Partial.
func (m *Memory) Partial(ctx context.Context, id string) (conversation.Partial, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(ctx, id)
	if err != nil || c.partial == nil || c.partial.After != uint64(len(c.events)) {
		return conversation.Partial{}, false, err
	}
	return *c.partial, true, nil
}

// Blob reads a text; see storage.Store.Blob.
func (m *Memory) Blob(ctx context.Context, id, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.find(ctx, id)
	if err != nil {
		return "", err
	}
	return c.blob(name)
}

// SaveCalibration replaces what is kept under key.
func (m *Memory) SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx, "calibration"); err != nil {
		return err
	}
	if m.calibrations == nil {
		m.calibrations = map[string]conversation.Calibration{}
	}
	m.calibrations[key] = c
	return nil
}

// Calibrations reads all calibrations, by key.
func (m *Memory) Calibrations(ctx context.Context) (map[string]conversation.Calibration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.calibrations), ctx.Err()
}

func (m *Memory) find(ctx context.Context, id string) (*chat, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := m.chats[id]
	if c == nil || !c.stored {
		return nil, fmt.Errorf("conversation %s: %w", id, storage.ErrNotFound)
	}
	return c, nil
}

func (m *Memory) fault(ctx context.Context, op string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.Fault != nil {
		return m.Fault(op)
	}
	return nil
}

// dropStale removes a partial reply that does not follow the newest event.
func (c *chat) dropStale() {
	if c.partial != nil && c.partial.After != uint64(len(c.events)) {
		c.partial = nil
	}
}

// minBlobName is how much of a blob's name has to be given.
const minBlobName = 8

func (c *chat) blob(name string) (string, error) {
	var found []string
	for full, text := range c.blobs {
		if len(name) >= minBlobName && strings.HasPrefix(full, name) {
			found = append(found, text)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("text %q: %w", name, storage.ErrNotFound)
	}
	return found[0], nil
}

// ID is the conversation's.
func (l *MemoryLog) ID() string { return l.id }

// Workspace is the folder the conversation belongs to.
func (l *MemoryLog) Workspace() string { return l.chat.workspace }

// Partial is the reply found by OpenWriter.
func (l *MemoryLog) Partial() (conversation.Partial, bool) {
	if l.recovered == nil {
		return conversation.Partial{}, false
	}
	return *l.recovered, true
}

// Append stores events; see storage.Writer.Append.
func (l *MemoryLog) Append(ctx context.Context, events []conversation.Event) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if len(events) == 0 {
		return nil
	}
	if err := l.writable(ctx, "append"); err != nil {
		return err
	}
	added := make([][]byte, len(events))
	for i, e := range events {
		if want := uint64(len(l.chat.events) + i + 1); e.Seq != want {
			return fmt.Errorf("append event %d as %d: %w", e.Seq, want, storage.ErrConflict)
		}
		data, err := conversation.Marshal(e)
		if err != nil {
			return err
		}
		added[i] = data
	}
	l.chat.events = append(l.chat.events, added...)
	for _, e := range events {
		switch e.Body.Kind() {
		case conversation.KindUser:
			l.chat.stored = true
		case conversation.KindAssistant:
			l.chat.partial = nil
		}
	}
	return nil
}

// KeepPartial stores the reply so far; see storage.Writer.KeepPartial.
func (l *MemoryLog) KeepPartial(ctx context.Context, p conversation.Partial) error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if err := l.writable(ctx, "partial"); err != nil {
		return err
	}
	p.Text, p.Reasoning = conversation.Clean(p.Text), conversation.Clean(p.Reasoning)
	l.chat.partial = &p
	return nil
}

// PutBlob stores a text; see storage.Writer.PutBlob.
func (l *MemoryLog) PutBlob(ctx context.Context, text string) (string, error) {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if err := l.writable(ctx, "blob"); err != nil {
		return "", err
	}
	text = conversation.Clean(text)
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:])
	l.chat.blobs[name] = text
	return name, nil
}

// Blob reads a text of the conversation, also before the user has said
// anything.
func (l *MemoryLog) Blob(ctx context.Context, name string) (string, error) {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return l.chat.blob(name)
}

// Close ends writing.
func (l *MemoryLog) Close() error {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.chat.open = false
	return nil
}

func (l *MemoryLog) writable(ctx context.Context, op string) error {
	if l.closed {
		return fmt.Errorf("conversation %s: writer %w", l.id, storage.ErrClosed)
	}
	return l.memory.fault(ctx, op)
}
