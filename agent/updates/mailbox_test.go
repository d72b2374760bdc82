package updates_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
)

func take(t *testing.T, m *updates.Mailbox) []updates.Update {
	t.Helper()
	got, err := m.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMailboxMergesNeighbours(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	for _, u := range []updates.Update{
		updates.Delta{Reasoning: "hm"}, updates.Delta{Text: "a"}, updates.Delta{Text: "b"},
		updates.ToolStarted{CallID: "1"},
		updates.Delta{Text: "c"},
		updates.ToolOutput{CallID: "1", Text: "x"}, updates.ToolOutput{CallID: "1", Text: "y"}, updates.ToolOutput{CallID: "2", Text: "z"},
		updates.Status{Phase: updates.Waiting}, updates.Status{Phase: updates.Streaming},
		updates.Discarded{}, updates.Discarded{},
		updates.Status{Phase: updates.Idle},
		updates.CallStreaming{Index: 0, Name: "f", Chars: 1}, updates.CallStreaming{Index: 0, Name: "f", Chars: 2},
		updates.CallStreaming{Index: 1, Name: "f", Chars: 1},
	} {
		m.Put(u)
	}
	want := []updates.Update{
		updates.Delta{Text: "ab", Reasoning: "hm"},
		updates.ToolStarted{CallID: "1"},
		updates.Delta{Text: "c"},
		updates.ToolOutput{CallID: "1", Text: "xy"}, updates.ToolOutput{CallID: "2", Text: "z"},
		updates.Status{Phase: updates.Streaming},
		updates.Discarded{}, updates.Discarded{},
		updates.Status{Phase: updates.Idle},
		updates.CallStreaming{Index: 0, Name: "f", Chars: 2}, updates.CallStreaming{Index: 1, Name: "f", Chars: 1},
	}
	if diff := cmp.Diff(want, take(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxTellsARetryThatBeginsAtOnce(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	m.Put(updates.Status{Phase: updates.Waiting})
	m.Put(updates.Status{Phase: updates.Retrying, Attempt: 2})
	m.Put(updates.Status{Phase: updates.Waiting})
	want := []updates.Update{updates.Status{Phase: updates.Retrying, Attempt: 2}, updates.Status{Phase: updates.Waiting}}
	if diff := cmp.Diff(want, take(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxKeepsTheNewestMeter(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	for _, n := range []int{1, 2, 3} {
		m.Put(updates.Metered{Meter: meter.New(meter.Options{Window: meter.Window{Tokens: n, Source: meter.WindowFlag}})})
	}
	got := take(t, m)
	if len(got) != 1 || got[0].(updates.Metered).Meter.Window().Tokens != 3 {
		t.Errorf("got %v, want the third meter alone", got)
	}
}

func TestMailboxDoesNotMergeAcrossATake(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	m.Put(updates.Delta{Text: "a"})
	first := take(t, m)
	m.Put(updates.Delta{Text: "b"})
	got := append(first, take(t, m)...)
	if diff := cmp.Diff([]updates.Update{updates.Delta{Text: "a"}, updates.Delta{Text: "b"}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxLosesNothing(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	const writers, each = 4, 500
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			id := fmt.Sprint(w)
			for i := range each {
				m.Put(updates.ToolOutput{CallID: id, Text: fmt.Sprintf("%d,", i)})
				if i%50 == 0 {
					m.Put(updates.ToolStarted{CallID: id})
				}
			}
		})
	}
	go func() {
		writing.Wait()
		m.Close()
	}()
	text, started := map[string]string{}, 0
	for {
		taken, err := m.Take(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range taken {
			switch u := u.(type) {
			case updates.ToolOutput:
				text[u.CallID] += u.Text
			case updates.ToolStarted:
				started++
			}
		}
	}
	var want strings.Builder
	for i := range each {
		fmt.Fprintf(&want, "%d,", i)
	}
	for w := range writers {
		if text[fmt.Sprint(w)] != want.String() {
			t.Errorf("writer %d: text was lost or reordered", w)
		}
	}
	if started != writers*each/50 {
		t.Errorf("%d starts arrived, want %d", started, writers*each/50)
	}
}

func TestMailboxTakeWaitsAndHeedsItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := updates.NewMailbox()
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := m.Take(ctx)
			got <- err
		}()
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatalf("Take returned %v from an empty mailbox", err)
		default:
		}
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}

func TestMailboxAwaitWaitsForThePriority(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := updates.NewMailbox()
		wakes := func(least updates.Priority, u updates.Update) bool {
			ctx, stop := context.WithCancel(t.Context())
			got := make(chan error, 1)
			go func() { got <- m.Await(ctx, least) }()
			synctest.Wait()
			m.Put(u)
			synctest.Wait()
			stop()
			return <-got == nil
		}
		for _, c := range []struct {
			least updates.Priority
			u     updates.Update
			want  bool
		}{
			{updates.FullLine, updates.Delta{Text: "half a"}, false},
			{updates.FullLine, updates.Delta{Text: " line\nand"}, true},
			{updates.Immediate, updates.Delta{Reasoning: "a line\n"}, false},
			{updates.Immediate, updates.Status{Phase: updates.Running}, true},
			{updates.Immediate, updates.Delta{Text: "behind it"}, true},
		} {
			if got := wakes(c.least, c.u); got != c.want {
				t.Errorf("waiting for %d, %#v was heard: %v", c.least, c.u, got)
			}
		}
		if got := take(t, m); len(got) != 3 {
			t.Errorf("%d updates were kept, not 3", len(got))
		}
		if wakes(updates.FullLine, updates.Delta{Text: "more"}) {
			t.Error("a taken update still counts for the priority")
		}
		m.Close()
		if err := m.Await(t.Context(), updates.Immediate); err != nil {
			t.Errorf("a closed mailbox is awaited: %v", err)
		}
	})
}

func TestMailboxGivesWhatIsPendingAfterClose(t *testing.T) {
	t.Parallel()
	m := updates.NewMailbox()
	m.Put(updates.Discarded{})
	m.Close()
	if got := take(t, m); len(got) != 1 {
		t.Errorf("got %v, want the pending update", got)
	}
	for range 2 {
		if _, err := m.Take(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want io.EOF", err)
		}
	}
}

// A reply of 100,000 tokens that nobody takes meanwhile: the merge must cost
// no more than the text, well under 50 ms.
func BenchmarkMailboxPutDelta(b *testing.B) {
	for b.Loop() {
		m := updates.NewMailbox()
		for range 100_000 {
			m.Put(updates.Delta{Text: "word "})
		}
	}
}
