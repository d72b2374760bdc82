package summary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// extracted is the extract of a job, which is checked in every way it promises.
func extracted(t interface {
	Fatalf(string, ...any)
}, log []conversation.Event, j summary.Job) string {
	x := summary.Extractive{Log: log}
	a, err := x.Summarise(context.Background(), j)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if again, _ := x.Summarise(context.Background(), j); again != a {
		t.Fatalf("a second run gives %q, the first %q", again.Text, a.Text)
	}
	if a.Input != preset.InputExtract || a.Model != "" {
		t.Fatalf("%+v", a)
	}
	text, err := summary.Accept(j, a)
	if err != nil {
		t.Fatalf("%v: %s", err, a.Text)
	}
	if tokens := meter.Estimate(conversation.Measure(text)); j.MaxTokens > 0 && tokens > float64(j.MaxTokens) {
		t.Fatalf("%.1f tokens, at most %d were asked for", tokens, j.MaxTokens)
	}
	return text
}

func TestExtractSaysWhatBindsFirst(t *testing.T) {
	t.Parallel()
	l := compacttest.Harbor()
	j := rawJob(l)
	j.CoveredTokens = 2000 // room for everything
	compacttest.Golden(t, "extract", extracted(t, l.Events(), j)+"\n")

	j.CoveredTokens = 200
	text := extracted(t, l.Events(), j)
	if !strings.Contains(text, "t0 You must never touch hull/hull.go, and keep port 8080.") || !strings.Contains(text, "t0 The upload test fails on CI.") {
		t.Errorf("with little room the demands are lost: %s", text)
	}
}

func TestExtractPrefersWhatTheFocusNames(t *testing.T) {
	t.Parallel()
	l := &compacttest.Tale{}
	l.User("Begin.").User("Use port 9000 for the crane.")
	for i := range 60 {
		l.User(fmt.Sprintf("Move container %d to quay %d.", i, i+100))
	}
	j := rawJob(l)
	if text := extracted(t, l.Events(), j); strings.Contains(text, "crane") {
		t.Fatalf("everything has room, nothing is chosen: %s", text)
	}
	j.Focus = "the Crane, please"
	if text := extracted(t, l.Events(), j); !strings.Contains(text, "crane") {
		t.Errorf("the focus is not looked at: %s", text)
	}
}

func TestExtractIsAlwaysAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, err := conversation.NewLog(append([]conversation.Event(nil), conversationtest.Log(t)...))
		if err != nil {
			t.Fatal(err)
		}
		long := rapid.SampledFrom([]string{"-----", "Never touch port 8080, it's \"taken\". ", "漢字かな。", "x", "I can't help with that. ", "word\n", "\x1b[31m必ず", "https://example.org/a/b "})
		for range rapid.IntRange(1, 6).Draw(t, "longer texts") {
			text := strings.Repeat(long.Draw(t, "text"), rapid.SampledFrom([]int{1, 40, 5000}).Draw(t, "times"))
			reply := conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd}
			if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: text}, reply)); err != nil {
				t.Fatal(err)
			}
		}
		j := summary.RawJob(l.Events(), summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(l.Len())}}})
		j.MaxTokens = rapid.SampledFrom([]int{0, 50, 500, 20_000}).Draw(t, "max")
		if j.CoveredTokens > 200 {
			extracted(t, l.Events(), j)
		}
	})
}

func TestExtractOfAnyLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Malformed(t)
		j := summary.RawJob(events, summary.Options{Spans: []conversation.Span{{First: 0, Last: 1 << 60}}})
		j.CoveredTokens += 200
		extracted(t, events, j)
	})
}

// An extract is made of what was said, never of a summary of it.
func TestExtractReadsTheRawStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.PlainLog(t)
		j := summary.RawJob(events, summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(len(events))}}, Covered: 5000})
		plain, hidden := extracted(t, events, j), extracted(t, overlaid(t, events), j)
		if plain != hidden {
			t.Fatalf("%q behind overlays, %q without", hidden, plain)
		}
	})
}

func TestExtractStopsWhenItIsNoLongerWanted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (summary.Extractive{}).Summarise(ctx, summary.Job{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// BenchmarkExtract reads a conversation of 3 MB, as replay does again and again:
// budget 500 ms.
func BenchmarkExtract(b *testing.B) {
	l := &compacttest.Tale{}
	for i := range 1000 {
		l.User(fmt.Sprintf("You must never touch file%d.go. %s", i, strings.Repeat("And so on it goes. ", 20)))
		l.Call("read_file", fmt.Sprintf(`{"path":"file%d.go"}`, i), conversation.ResultOK, strings.Repeat("x := y\n", 300))
		l.Reply(strings.Repeat("A sentence about it. ", 20))
	}
	j := rawJob(l)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (summary.Extractive{Log: l.Events()}).Summarise(context.Background(), j); err != nil {
			b.Fatal(err)
		}
	}
}
