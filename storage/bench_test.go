package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
		c.say(conversation.UserMessage{Text: text})
	}
}

// BenchmarkAppendFourWriters appends to four conversations of one data
// directory in four processes. Budget: p95 under 2 ms, also of the wait for the
// files all share.
func BenchmarkAppendFourWriters(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	s := reopenStore(b, dir, storage.Options{})
	exe, err := os.Executable()
	must(b, err)
	for range b.N {
		var all []*actor
		for i := range 4 {
			all = append(all, launch(b, exe, "measure", dir, fmt.Sprintf("bbbbbbbbbbb%c", 'a'+i)))
		}
		var waits []time.Duration
		for _, a := range all {
			for _, l := range a.end() {
				d, err := time.ParseDuration(l)
				must(b, err)
				waits = append(waits, d)
			}
		}
		slices.Sort(waits)
		b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "p50-µs")
		b.ReportMetric(float64(waits[len(waits)*95/100].Microseconds()), "p95-µs")
		b.ReportMetric(float64(waits[len(waits)-1].Microseconds()), "max-µs")
		for _, e := range must1(b)(s.List(b.Context(), storage.Filter{})) {
			must(b, s.Delete(b.Context(), e.ID))
		}
	}
}

func must1(b *testing.B) func([]storage.Entry, error) []storage.Entry {
	return func(e []storage.Entry, err error) []storage.Entry {
		must(b, err)
		return e
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
		c.say(bodies...)
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
