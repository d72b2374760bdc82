package agent_test

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

	"plimsoll/agent"
	"plimsoll/compact/meter"
)

func take(t *testing.T, m *agent.Mailbox) []agent.Update {
	t.Helper()
	got, err := m.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMailboxMergesNeighbours(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	for _, u := range []agent.Update{
		agent.Delta{Reasoning: "hm"}, agent.Delta{Text: "a"}, agent.Delta{Text: "b"},
		agent.ToolStarted{CallID: "1"},
		agent.Delta{Text: "c"},
		agent.ToolOutput{CallID: "1", Text: "x"}, agent.ToolOutput{CallID: "1", Text: "y"}, agent.ToolOutput{CallID: "2", Text: "z"},
		agent.Status{Phase: agent.Waiting}, agent.Status{Phase: agent.Streaming},
		agent.Discarded{}, agent.Discarded{},
		agent.Status{Phase: agent.Idle},
		agent.CallStreaming{Index: 0, Name: "f", Chars: 1}, agent.CallStreaming{Index: 0, Name: "f", Chars: 2},
		agent.CallStreaming{Index: 1, Name: "f", Chars: 1},
	} {
		m.Put(u)
	}
	want := []agent.Update{
		agent.Delta{Text: "ab", Reasoning: "hm"},
		agent.ToolStarted{CallID: "1"},
		agent.Delta{Text: "c"},
		agent.ToolOutput{CallID: "1", Text: "xy"}, agent.ToolOutput{CallID: "2", Text: "z"},
		agent.Status{Phase: agent.Streaming},
		agent.Discarded{}, agent.Discarded{},
		agent.Status{Phase: agent.Idle},
		agent.CallStreaming{Index: 0, Name: "f", Chars: 2}, agent.CallStreaming{Index: 1, Name: "f", Chars: 1},
	}
	if diff := cmp.Diff(want, take(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxTellsARetryThatBeginsAtOnce(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	m.Put(agent.Status{Phase: agent.Waiting})
	m.Put(agent.Status{Phase: agent.Retrying, Attempt: 2})
	m.Put(agent.Status{Phase: agent.Waiting})
	want := []agent.Update{agent.Status{Phase: agent.Retrying, Attempt: 2}, agent.Status{Phase: agent.Waiting}}
	if diff := cmp.Diff(want, take(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxKeepsTheNewestMeter(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	for _, n := range []int{1, 2, 3} {
		m.Put(agent.Metered{Meter: meter.New(meter.Options{Window: meter.Window{Tokens: n, Source: meter.WindowFlag}})})
	}
	got := take(t, m)
	if len(got) != 1 || got[0].(agent.Metered).Meter.Window().Tokens != 3 {
		t.Errorf("got %v, want the third meter alone", got)
	}
}

func TestMailboxDoesNotMergeAcrossATake(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	m.Put(agent.Delta{Text: "a"})
	first := take(t, m)
	m.Put(agent.Delta{Text: "b"})
	got := append(first, take(t, m)...)
	if diff := cmp.Diff([]agent.Update{agent.Delta{Text: "a"}, agent.Delta{Text: "b"}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMailboxLosesNothing(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	const writers, each = 4, 500
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			id := fmt.Sprint(w)
			for i := range each {
				m.Put(agent.ToolOutput{CallID: id, Text: fmt.Sprintf("%d,", i)})
				if i%50 == 0 {
					m.Put(agent.ToolStarted{CallID: id})
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
			case agent.ToolOutput:
				text[u.CallID] += u.Text
			case agent.ToolStarted:
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
		m := agent.NewMailbox()
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

func TestMailboxAwaitsTheHasteAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := agent.NewMailbox()
		heard := func(least agent.Haste, u agent.Update) bool {
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
			least agent.Haste
			u     agent.Update
			want  bool
		}{
			{agent.Line, agent.Delta{Text: "half a"}, false},
			{agent.Line, agent.Delta{Text: " line\nand"}, true},
			{agent.AtOnce, agent.Delta{Reasoning: "a line\n"}, false},
			{agent.AtOnce, agent.Status{Phase: agent.Running}, true},
			{agent.AtOnce, agent.Delta{Text: "behind it"}, true},
		} {
			if got := heard(c.least, c.u); got != c.want {
				t.Errorf("waiting for %d, %#v was heard: %v", c.least, c.u, got)
			}
		}
		if got := take(t, m); len(got) != 3 {
			t.Errorf("%d updates were kept, not 3", len(got))
		}
		if heard(agent.Line, agent.Delta{Text: "more"}) {
			t.Error("what was taken still hastens")
		}
		m.Close()
		if err := m.Await(t.Context(), agent.AtOnce); err != nil {
			t.Errorf("a closed mailbox is awaited: %v", err)
		}
	})
}

func TestMailboxGivesWhatIsPendingAfterClose(t *testing.T) {
	t.Parallel()
	m := agent.NewMailbox()
	m.Put(agent.Discarded{})
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
		m := agent.NewMailbox()
		for range 100_000 {
			m.Put(agent.Delta{Text: "word "})
		}
	}
}
