package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// BenchmarkAppend appends an event of 1 KB, on disk when it returns. Measured
// for one transaction: 0.4 ms.
func BenchmarkAppend(b *testing.B) {
	s := openStore(b, storage.Options{})
	c := begin(b, s, idA, "/w", "hello")
	text := strings.Repeat("func main() { fmt.Println(\"x\") }\n", 30)
	b.ResetTimer()
	for range b.N {
		c.add(conversation.UserMessage{Text: text})
	}
}

// BenchmarkLoad loads 10,000 events of 1 KB. Budget: 60 ms of the 100 that
// opening such a conversation may take.
func BenchmarkLoad(b *testing.B) {
	s := openStore(b, storage.Options{})
	c := begin(b, s, idA, "/w", "hello")
	text := strings.Repeat("func main() { fmt.Println(\"x\") }\n", 30)
	for range 100 {
		bodies := make([]conversation.Body, 100)
		for i := range bodies {
			bodies[i] = reply(text)
		}
		c.add(bodies...)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		events, _, err := s.Load(b.Context(), idA)
		if err != nil || len(events) != 10_001 {
			b.Fatal(len(events), err)
		}
	}
}

// manyConversations fills a store with 1,000 conversations.
func manyConversations(b *testing.B) *storage.Store {
	s := openStore(b, storage.Options{})
	const digits = "abcdefghij"
	for i := range 1000 {
		id := fmt.Sprintf("%c%c%caaaaaaaaa", digits[i/100], digits[i/10%10], digits[i%10])
		begin(b, s, id, "/w", "what is in this project?").close()
	}
	return s
}

// BenchmarkList lists 1,000 conversations. Budget: 10 ms.
func BenchmarkList(b *testing.B) {
	s := manyConversations(b)
	b.ResetTimer()
	for range b.N {
		entries, err := s.List(b.Context(), storage.Filter{})
		if err != nil || len(entries) != 1000 {
			b.Fatal(len(entries), err)
		}
	}
}
