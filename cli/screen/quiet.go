package screen

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"plimsoll/agent/updates"
)

// A long reply and the opening of a long conversation leave free memory, which the runtime returns to the system only after
// minutes. Usually the user reads then, and the program needs no memory. So after a moment without updates free memory is
// returned at once. Rules:
//
//   - once after a turn ended or a conversation was opened, and only if much is free: a garbage collection takes some
//     milliseconds for each 10 MB in use
//   - no goroutine and no timer of its own: the goroutine that waits for updates does it

const (
	idleAfter     = time.Second / 2
	minSpareBytes = 8 << 20 // bytes
)

// memoryReleaser returns free memory to the system when a conversation is idle.
type memoryReleaser struct {
	isDue   bool // a turn ended, and memory was not released since
	release func()
}

// releaseWhenIdle waits a moment for updates if a release is due, and releases memory if there are none.
func (m *memoryReleaser) releaseWhenIdle(ctx context.Context, from *updates.Mailbox) {
	if !m.isDue || waitUntil(ctx, from, time.Now().Add(idleAfter), updates.PartialLine) || ctx.Err() != nil {
		return
	}
	m.isDue = false
	m.release()
}

// observe makes a release due when a turn ends.
func (m *memoryReleaser) observe(list []updates.Update) {
	for _, u := range list {
		if s, ok := u.(updates.Status); ok {
			m.isDue = s.Phase == updates.Idle
		}
	}
}

// releaseSpareMemory returns free memory to the system if there is much of it.
func releaseSpareMemory() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	free, objects, live := s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64()
	if free+objects-min(objects, live) >= minSpareBytes { // free, or garbage in the newest collection
		debug.FreeOSMemory()
	}
}
