package storage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/storage"
)

// BenchmarkSearch searches conversations of a megabyte each, PLIMSOLL_SEARCH_MB
// megabytes in all, by default 64. Budget for 1024 MB on two cores with a
// warm page cache: under 5 s for any query, the aim is 2 s; first-ms is the time until
// the first hit.
func BenchmarkSearch(b *testing.B) {
	s, size := manyBooks(b)
	for _, c := range []struct{ name, query string }{
		{"rare word", "quaternion"},
		{"frequent word", "error"},
		{"frequent word, no limit", "error"},
		{"phrase", `"port is already in use"`},
		{"three words", "quaternion rotates camera"},
		{"does not occur", "xylophonist"},
		{"name of a field", "call_id"},
		{"name of a tool", "run_command"},
	} {
		q, err := find.Parse(c.query)
		must(b, err)
		o := storage.SearchOptions{}
		if strings.HasSuffix(c.name, "no limit") {
			o = storage.SearchOptions{Limit: 1 << 30, PerConversation: 1 << 30}
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			hits, first := 0, time.Duration(0)
			for b.Loop() {
				begun := time.Now()
				hits, first = 0, 0
				_, err := s.Search(b.Context(), q, o, func(find.Hit) bool {
					if hits++; hits == 1 {
						first = time.Since(begun)
					}
					return true
				})
				must(b, err)
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}

// manyBooks fills a store with conversations, and returns the size of their events in bytes of JSON.
func manyBooks(b *testing.B) (*storage.Store, int64) {
	megabytes := 64
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_SEARCH_MB")); err == nil && n > 0 {
		megabytes = n
	}
	s := reopenStore(b, filepath.Join(b.TempDir(), "data"), storage.Options{})
	conversations := max(1, megabytes*1000/1024)
	r := rand.New(rand.NewPCG(1, 2))
	size := 0
	for i := range conversations {
		size += writeBook(b, s, r, i, conversations)
	}
	list(b, s, storage.Filter{}) // makes the index
	return s, int64(size)
}

// writeBook stores one conversation of about a megabyte of prose, and returns the bytes of its events.
func writeBook(b *testing.B, s *storage.Store, r *rand.Rand, n, of int) (size int) {
	prose := func(size int) string {
		var text strings.Builder
		for text.Len() < size {
			text.WriteString(proseWords[r.IntN(len(proseWords))] + " ")
		}
		return text.String()
	}
	w, err := s.Create(b.Context(), storage.NewConversation{ID: fmt.Sprintf("%c%c%caaaaaaaaa", 'a'+n/676%26, 'a'+n/26%26, 'a'+n%26), Workspace: "/w"})
	must(b, err)
	full := prose(300_000)
	blob, err := w.PutBlob(b.Context(), full)
	must(b, err)
	shown, total := conversation.Cut(full, 30_000)
	bodies := []conversation.Body{conversation.UserMessage{Text: prose(300)}, conversation.ToolResult{CallID: "c", Tool: "run_command",
		Status: conversation.ResultOK, Text: shown, Total: total, Blob: blob}}
	for i := range 100 {
		call := conversation.ToolCall{ID: fmt.Sprint("call_", i), Name: "run_command", Arguments: `{"command":"go test ./upload -count=10","timeout":60}`}
		output := prose(1000 + r.IntN(8000))
		if r.IntN(300) == 0 {
			output += "listen tcp :8080: port is already in use\n"
		}
		bodies = append(bodies, conversation.UserMessage{Text: prose(200)},
			conversation.AssistantMessage{Reasoning: prose(2500), Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls, Model: "openai/gpt-5"},
			conversation.ToolResult{CallID: call.ID, Tool: call.Name, Status: conversation.ResultOK, Text: output, Detail: "exit 0"},
			conversation.AssistantMessage{Text: prose(1500), Stop: conversation.StopEnd, Model: "openai/gpt-5"})
	}
	if n == of/2 {
		bodies = append(bodies, conversation.UserMessage{Text: "The quaternion rotates the camera."})
	}
	var l conversation.Log
	events := l.Prepare(start.Add(time.Duration(n)*time.Hour), bodies...)
	must(b, w.Append(b.Context(), events))
	must(b, w.Close())
	for _, e := range events {
		raw, err := conversation.Marshal(e)
		must(b, err)
		size += len(raw)
	}
	return size
}

var proseWords = strings.Fields(`the the the of and and to to in is it that was for on are with as at be this have from or one had by
	but not what all were when we there can an your which their said if do will each about how up out them then she many some so
	these would other into has more two like him see time could no make than first been its who now people my made over did down
	only way find use may water long little very after words called just where most know test port server run fails returns error
	value request handler because between second shares state retry connection closed before buffer client upload`)
