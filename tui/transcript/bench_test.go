package transcript_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
)

// longLog returns a conversation of n events: turns of a message, a reply with two calls, their results of 1 KB each, and a
// reply of some paragraphs.
func longLog(n int) []conversation.Event {
	var log conversation.Log
	epoch := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := 0; log.Len() < n; i++ {
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		events := log.Prepare(epoch, user(fmt.Sprintf("question %d, of a line or so, about `something.go`", i)),
			conversation.AssistantMessage{Text: "I will look.", Reasoning: thoughts, Stop: conversation.StopCalls,
				Calls: []conversation.ToolCall{call(a, "read_file", `{"path":"a/b/c.go"}`), call(b, "run_command", `{"command":"go test ./..."}`)}},
			result(a, conversation.ResultOK, strings.Repeat("a line of the file\n", 50)),
			result(b, conversation.ResultOK, strings.Repeat("ok  	plimsoll/tui\n", 50)), reply(answer))
		if err := log.Commit(events); err != nil {
			panic(err)
		}
	}
	return log.Events()[:n]
}

// Budget: 20 ms to the first view of 10,000 events.
func BenchmarkOpen(b *testing.B) {
	events := longLog(10_000)
	for b.Loop() {
		r := openTranscript(b, 120, 40)
		r.Reset(events)
		r.View()
	}
}

// Budget: 20 ms with a hundred compactions of a hundred results each, half of them undone.
func BenchmarkOpenCompacted(b *testing.B) {
	r := openTranscript(b, 120, 40)
	events := longLog(9_850)
	if err := r.log.Commit(events); err != nil {
		b.Fatal(err)
	}
	for i := range uint64(100) {
		var results []uint64
		for j := range uint64(100) {
			results = append(results, 90*i+j)
		}
		epoch := r.addCompaction(timeAt(14, 2), manualOrigin(90_000, 30_000), maskOf(results...))
		if i%2 == 1 {
			r.addUndo(b, timeAt(14, 3), epoch)
		}
	}
	events = r.log.Events()
	for b.Loop() {
		r.Reset(events)
		r.View()
	}
}

// Budget: 5 MB besides the texts for 10,000 events opened and paged through. Items outside the screen keep no lines.
func BenchmarkMemory(b *testing.B) {
	events := longLog(10_000)
	var before, after runtime.MemStats
	r := openTranscript(b, 120, 40)
	r.View()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		r.Reset(events)
		r.ToTop()
		for range 100 { // some 4,000 lines pass by
			r.PageBy(1)
			r.View()
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
	runtime.KeepAlive(r)
	runtime.KeepAlive(events)
}

// Budget: 1 ms, for 60 wheel steps in a second.
func BenchmarkScrollALine(b *testing.B) {
	r := openTranscript(b, 120, 40)
	r.Reset(longLog(10_000))
	r.View()
	up := true
	for i := 0; b.Loop(); i++ {
		if i%2000 == 0 {
			up = !up
		}
		if up {
			r.ScrollBy(1)
		} else {
			r.ScrollBy(-1)
		}
		r.View()
	}
}

// Budget: 3 ms, most of which new items may take.
func BenchmarkScrollAPage(b *testing.B) {
	r := openTranscript(b, 120, 40)
	r.Reset(longLog(10_000))
	for i := 0; b.Loop(); i++ {
		if i%100 == 0 {
			r.ToEnd()
		}
		r.PageBy(-1)
		r.View()
	}
}

// Budget: 2 ms for a delta and the view of it, with 10,000 events and a reply
// of 100 KB so far.
func BenchmarkDelta(b *testing.B) {
	r := openTranscript(b, 120, 40)
	r.Reset(longLog(10_000))
	paragraph := strings.Repeat("words of a paragraph with `code` and **more** ", 8) + "\n\n"
	for i := 0; b.Loop(); i++ {
		if i%2000 == 0 {
			b.StopTimer()
			r.Discard()
			r.Delta(strings.Repeat(paragraph, 100<<10/len(paragraph)), "")
			r.View()
			b.StartTimer()
		}
		r.Delta("a few words ", "")
		if i%20 == 19 {
			r.Delta("\n\n", "")
		}
		r.View()
	}
}

// Budget: 2 ms, with 100 KB of reasoning unfolded.
func BenchmarkReasoningDelta(b *testing.B) {
	r := openTranscript(b, 120, 40)
	r.ToggleExpanded()
	r.Delta("", strings.Repeat("The user wants to know why, so I look at every line of it in turn.\n", 1500))
	for b.Loop() {
		r.Delta("", "and on ")
		r.View()
	}
}

// Budget: 5 ms at any width, with a paste of 5 MB in view.
func BenchmarkResizeWithPaste(b *testing.B) {
	r := openTranscript(b, 120, 40, user(strings.Repeat("2026-01-02 ERROR connection refused\n", 5<<20/36)), reply("ok"))
	for i := 0; b.Loop(); i++ {
		r.SetSize(60+i%100, 40)
		r.View()
	}
}

// Budget: 100 ms to unfold it.
func BenchmarkUnfoldPaste(b *testing.B) {
	r := openTranscript(b, 120, 40, user(strings.Repeat("2026-01-02 ERROR connection refused\n", 5<<20/36)), reply("ok"))
	for b.Loop() {
		r.ToggleExpanded()
		r.View()
		r.ToggleExpanded()
		r.View()
	}
}

// Budget: 100 ns: an idle program does nothing.
func BenchmarkViewUnchanged(b *testing.B) {
	r := openTranscript(b, 120, 40)
	r.Reset(longLog(1000))
	for b.Loop() {
		r.View()
	}
}
