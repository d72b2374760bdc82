package storage_test

import (
	"strings"
	"testing"
	"time"

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

// What is stored at once is not copied again each time the file outgrows its map.
// Allocations are counted, which no other work on the machine changes; not
// parallel for that.
func TestStoringALongConversationCopiesItsPagesOnce(t *testing.T) {
	const n, most = 20_000, 16 // allocations for an event; with copies there are over 30
	s := openStore(t, storage.Options{})
	events := longEvents(n)
	if got := testing.AllocsPerRun(1, func() { storeLong(t, s, events) }) / n; got > most {
		t.Errorf("%.0f allocations for each event, at most %d wanted", got, most)
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
