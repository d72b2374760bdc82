package screen

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"plimsoll/agent/updates"
)

// A long reply and the opening of a long conversation leave memory behind that the runtime keeps for what comes next,
// and gives back to the system in the course of minutes. Here most of the time nothing comes next: the user reads. So
// when nothing happens for a moment, what is spare is given back at once. Rules:
//
//   - once after a turn ended or a conversation was opened, and only if there is much: collecting garbage costs some
//     milliseconds for each 10 MB that are in use
//   - no goroutine and no timer of its own: whoever waits for updates does it while there are none

const (
	idleAfter     = time.Second / 2
	minSpareBytes = 8 << 20 // bytes
)

// quiet watches updates for a moment without any.
type memoryReleaser struct {
	isDue   bool // something ended, and nothing was given back since
	release func()
}

// wait waits for updates where something ended, and gives memory back if none come.
func (q *memoryReleaser) releaseWhenIdle(ctx context.Context, from *updates.Mailbox) {
	if !q.isDue || waitUntil(ctx, from, time.Now().Add(idleAfter), updates.PartialLine) || ctx.Err() != nil {
		return
	}
	q.isDue = false
	q.release()
}

// watch sees turns begin and end.
func (q *memoryReleaser) observe(list []updates.Update) {
	for _, u := range list {
		if s, ok := u.(updates.Status); ok {
			q.isDue = s.Phase == updates.Idle
		}
	}
}

// giveBackSpare gives memory back to the system if there is much that holds nothing.
func releaseSpareMemory() {
	if spareBytes() >= minSpareBytes {
		debug.FreeOSMemory()
	}
}

// spare is how many bytes hold nothing, or were in use no more when garbage was last collected.
func spareBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	free, objects, live := s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64()
	return free + objects - min(objects, live)
}
