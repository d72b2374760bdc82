package compactor

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// fakeLoop stands in for the agent's turn loop: tests call the compactor as the loop does, without tools and goroutine.
type fakeLoop struct {
	*Compactor
	stored []conversation.Event
}

// Append stores events.
func (l *fakeLoop) Append(_ context.Context, events []conversation.Event) error {
	l.stored = append(l.stored, events...)
	return nil
}

// KeepPartial does nothing.
func (*fakeLoop) KeepPartial(context.Context, conversation.PartialReply) error { return nil }

// PutBlob stores nothing.
func (*fakeLoop) PutBlob(context.Context, string) (string, error) { return "blob", nil }

// ShowCompacting does nothing.
func (*fakeLoop) ShowCompacting() {}

// ShowIdle does nothing.
func (*fakeLoop) ShowIdle() {}

// HasQueued returns false.
func (*fakeLoop) HasQueued() bool { return false }

// ShowQueued does nothing.
func (*fakeLoop) ShowQueued() {}

// ReturnQueued does nothing.
func (*fakeLoop) ReturnQueued(string) {}

// Usage returns no events.
func (*fakeLoop) Usage(llm.Outgoing, *llm.Reply) []conversation.Body { return nil }

// LearnWindow does nothing.
func (*fakeLoop) LearnWindow(context.Context, int) {}

// DropThinking does nothing.
func (*fakeLoop) DropThinking(context.Context) {}

// RunHooks does nothing: there are no hooks.
func (*fakeLoop) RunHooks(context.Context, conversation.HookInput) (conversation.HookOutput, error) {
	return conversation.HookOutput{}, nil
}

// fixedReply is a provider that answers every request with text, once gate is closed.
type fixedReply struct {
	text string
	gate chan struct{}
}

// Stream implements Provider.
func (p fixedReply) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		select {
		case <-p.gate:
		case <-ctx.Done():
			yield(llm.Chunk{}, context.Cause(ctx))
			return
		}
		_ = yield(llm.Chunk{Text: p.text}, nil) && yield(llm.Chunk{Stop: conversation.StopEnd}, nil)
	}
}

// newFakeLoop returns a loop with a conversation of four turns with long results. The provider answers with text.
func newFakeLoop(t *testing.T, text string) (l *fakeLoop, gate chan struct{}) {
	t.Helper()
	l, gate = &fakeLoop{}, make(chan struct{})
	o, err := core.Options{
		Log: l, Provider: fixedReply{text, gate}, Interactive: true,
		Model: llm.Model{Provider: "test", ID: "m", Window: meter.Window{Tokens: 100_000, Source: meter.WindowServer}},
	}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	j, err := core.NewJournal(o, func([]conversation.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	l.Compactor = New(j, core.NewInbox(), l, o)
	for i := range 4 {
		id := fmt.Sprintf("c%d", i)
		l.append(t,
			conversation.UserMessage{Text: fmt.Sprintf("show me listing %d of the uploads", i)},
			conversation.AssistantMessage{Model: "test/m", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "look", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "look", Status: conversation.ResultOK, Text: strings.Repeat(fmt.Sprintf("a line of listing %d\n", i), 200)},
			conversation.AssistantMessage{Model: "test/m", Stop: conversation.StopEnd, Text: fmt.Sprintf("that was listing %d", i)})
	}
	return l, gate
}

func (l *fakeLoop) append(t *testing.T, bodies ...conversation.Body) {
	t.Helper()
	if _, err := l.journal.Append(t.Context(), bodies...); err != nil {
		t.Fatal(err)
	}
}

// startSummary requests a manual compaction and runs a boundary, which starts writing its summary.
func (l *fakeLoop) startSummary(t *testing.T) *job {
	t.Helper()
	request := edit.NewRequest()
	request.Profile, request.KeepLast = preset.ProfileHeavy, 1
	l.operations.add(operation{what: edit.OpCompact, request: request})
	l.RunDueOperations(t.Context())
	if l.job == nil || l.job.state != statePreparing {
		t.Fatalf("no summary is being prepared: %+v", l.job)
	}
	return l.job
}

// newest returns the body of the newest event.
func (l *fakeLoop) newest() conversation.Body { return l.stored[len(l.stored)-1].Body }

const listingsSummary = "### Goal\nThe user goes through the listings of the uploads, one in each turn (t0 and later).\n" +
	"### Done\nEach listing was fetched with look and shown; every one has two hundred lines and none of them names a failure.\n" +
	"### Next step\nShow the next listing when the user asks for it, as before: \"show me listing\"."

func TestASummaryIsAppliedBetweenTwoRequestsOfTheLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, gate := newFakeLoop(t, listingsSummary)
		l.journal.SetInTurn(true)
		j, before := l.startSummary(t), len(l.stored)
		synctest.Wait()
		l.RunDueOperations(t.Context()) // the loop sends its next request while the summary is written
		if l.job != j || j.state != statePreparing || len(l.stored) != before {
			t.Fatalf("state %d, %d events, want the summary still in preparation and no new event", j.state, len(l.stored)-before)
		}
		close(gate)
		<-j.done
		if used := l.journal.Reading().Used; j.state != statePreparing || len(l.stored) != before {
			t.Errorf("state %d, %d tokens: a summary took effect outside a boundary", j.state, used)
		}
		l.RunDueOperations(t.Context())
		s, ok := l.newest().(conversation.Summary)
		if j.state != stateApplied || l.job != nil || !ok || s.Text != listingsSummary {
			t.Errorf("state %d, newest %T: want the summary applied", j.state, l.newest())
		}
	})
}

func TestASummaryIsStaleAfterTheWindowShrinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := newFakeLoop(t, listingsSummary)
		j := l.startSummary(t)
		smaller := l.journal.Model().Window
		smaller.Tokens /= 2
		l.journal.UseWindow(smaller)
		l.WindowChanged(smaller)
		<-j.done
		l.RunDueOperations(t.Context())
		a, ok := l.newest().(conversation.Attempt)
		if j.state != stateStale || l.job != nil || !ok || a.Outcome != conversation.AttemptStale {
			t.Errorf("state %d, newest %+v: want it stale, and that recorded", j.state, l.newest())
		}
	})
}

func TestASummaryThatTheUserStopsIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := newFakeLoop(t, listingsSummary)
		j := l.startSummary(t)
		l.discard(j, ErrCancelled)
		<-j.done
		l.RunDueOperations(t.Context())
		if a, ok := l.newest().(conversation.Attempt); j.state != stateCancelled || !ok || a.Outcome != conversation.AttemptCancelled {
			t.Errorf("state %d, newest %+v: want it cancelled, and that recorded", j.state, l.newest())
		}
	})
}

func TestAFailedSummaryLeavesTheViewUnchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, gate := newFakeLoop(t, "I cannot do that.")
		close(gate)
		j, used := l.startSummary(t), l.journal.Reading().Used
		<-j.done
		l.RunDueOperations(t.Context())
		a, ok := l.newest().(conversation.Attempt)
		if j.state != stateFailed || !ok || a.Outcome != conversation.AttemptFailed || l.journal.Reading().Used != used {
			t.Errorf("state %d, newest %+v, %d tokens of %d", j.state, l.newest(), l.journal.Reading().Used, used)
		}
	})
}

func TestARewindWaitsForTheEndOfTheTurn(t *testing.T) {
	t.Parallel()
	l, _ := newFakeLoop(t, listingsSummary)
	l.journal.SetInTurn(true)
	l.operations.add(operation{what: opRewind, turn: -1})
	before := len(l.stored)
	l.RunDueOperations(t.Context())
	if len(l.stored) != before || l.operations.hasDue(true) || !l.operations.hasDue(false) {
		t.Fatalf("%d events, want no rewind within a turn", len(l.stored)-before)
	}
	l.journal.SetInTurn(false)
	l.RunDueOperations(t.Context())
	if r, ok := l.newest().(conversation.Rewind); !ok || r.Turn != 3 || len(l.operations) != 0 {
		t.Errorf("newest %+v, want the newest turn undone", l.newest())
	}
}

func TestOnlyARestoreWaitsForTheEndOfTheTurn(t *testing.T) {
	t.Parallel()
	var o operations
	for _, op := range []operation{{what: edit.OpUndo}, {what: opRestore}, {what: edit.OpRedo}} {
		o.add(op)
	}
	if !o.hasDue(true) || o.takeOldest().what != edit.OpUndo {
		t.Error("the undo is not due within a turn")
	}
	if o.hasDue(true) || !o.hasDue(false) || !o.hasRestore() {
		t.Error("the restore is due within a turn")
	}
	if o.takeOldest(); o.hasRestore() || !o.hasDue(true) || len(o) != 1 {
		t.Errorf("remaining operations %+v, want only the redo", o)
	}
}
