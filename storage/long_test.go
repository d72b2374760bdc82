package storage_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// longEvents are n events of 0.5 KB.
func longEvents(n int) []conversation.Event {
	var l conversation.Log
	text := strings.Repeat("func main() { fmt.Println(\"x\") }\n", 15)
	bodies := []conversation.Body{conversation.UserMessage{Text: "hello"}}
	for len(bodies) < n {
		bodies = append(bodies, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
	}
	return l.Prepare(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), bodies...)
}

// storeLong stores events as a new conversation, in one append as an import does.
func storeLong(t testing.TB, s *storage.Store, events []conversation.Event) {
	w, err := s.Create(t.Context(), storage.NewConversation{Workspace: "/w"})
	must(t, err)
	must(t, w.Append(t.Context(), events))
	must(t, w.Close())
}

// Storing many events at once must not copy all pages each time the file outgrows its memory map.
// The test counts allocations, which do not depend on the load of the machine. It is not
// parallel, because other tests would add to them.
func TestStoringALongConversationCopiesPagesOnce(t *testing.T) {
	const n, most = 8_000, 16 // allocations for an event; with copies there are over 30
	s := openStore(t, storage.Options{})
	events := longEvents(n)
	if got := testing.AllocsPerRun(1, func() { storeLong(t, s, events) }) / n; got > most {
		t.Errorf("%.0f allocations for each event, at most %d wanted", got, most)
	}
}

// A long conversation is decoded in chunks. Damaged events do not affect the others, whether they
// are first or last in a chunk, or longer than one.
func TestDamageInALongConversationDoesNotSpread(t *testing.T) {
	t.Parallel()
	s := reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{})
	var l conversation.Log
	bodies := []conversation.Body{conversation.UserMessage{Text: "hello"}}
	for i := range 400 {
		size := 1 + i*i*7919%9000
		if i%97 == 0 {
			size = 150_000 + i
		}
		bodies = append(bodies, reply(strings.Repeat("é\n\"", size/5+1)))
	}
	said := l.Prepare(start, bodies...)
	storeLong(t, s, said)
	id := list(t, s, storage.Filter{})[0].ID
	damaged := map[uint64]bool{1: true, 2: true, 98: true, 99: true, 100: true, 250: true, uint64(len(said)): true}
	editFile(t, s.ConversationPath(id), func(tx *bbolt.Tx) error {
		for seq := range damaged {
			must(t, tx.Bucket([]byte("events")).Put(eventKey(seq), storage.Seal("events", eventKey(seq), "no event")))
		}
		return nil
	})
	events, report, err := s.Load(t.Context(), id)
	must(t, err)
	if len(events) != len(said) || len(report.Damaged) != len(damaged) {
		t.Fatalf("%d events, want %d; damaged %v", len(events), len(said), report.Damaged)
	}
	for i, e := range events {
		if u, ok := e.Body.(conversation.Unknown); ok != damaged[e.Seq] || ok && string(u.Raw) != `"no event"` {
			t.Errorf("event %d is read as %T", e.Seq, e.Body)
		} else if d := cmp.Diff(said[i], e); !ok && d != "" {
			t.Errorf("event %d changed (-want +got):\n%s", e.Seq, d)
		}
	}
}

// BenchmarkStoreLong stores a conversation of 50,000 events. Budget: 1.5 s.
func BenchmarkStoreLong(b *testing.B) {
	s := openStore(b, storage.Options{})
	events := longEvents(50_000)
	b.ReportAllocs()
	for b.Loop() {
		storeLong(b, s, events)
	}
}
