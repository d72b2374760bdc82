package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/compact/edit"
	"plimsoll/compact/preset"

	"plimsoll/compact/projection"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/storage"
)

// storeAndCloseLog stores a log as a new conversation and returns its ID.
func storeAndCloseLog(t *testing.T, store *storage.Store, log []conversation.Event) string {
	ctx := context.Background()
	id := conversation.NewID()
	w, err := store.Create(ctx, storage.NewConversation{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(ctx, log), w.Close()); err != nil {
		t.Fatal(err)
	}
	return id
}

// anyRequest draws requests for compactions that need no model.
func anyRequest(t *rapid.T) edit.Request {
	request := edit.NewRequest()
	request.Profile = rapid.SampledFrom([]string{"", "omit", "responses", preset.ProfileLight}).Draw(t, "profile")
	request.KeepLast = rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "keep last")
	if rapid.IntRange(0, 3).Draw(t, "from") == 3 {
		b := edit.AtTurn(rapid.IntRange(0, 3).Draw(t, "first turn"))
		request.From = &b
	}
	return request
}

// A dry run predicts the result of the run exactly and writes nothing. Both refuse the same requests.
func TestTheDryRunPredictsTheRun(t *testing.T) {
	t.Parallel()
	a := bareApp(t, "compaction.profiles.omit={tool_calls: omit}", "compaction.profiles.responses={tool_calls: strip-responses}",
		"compaction.mask.min_chars=100")
	defer a.Resources.Close()
	store, err := a.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for i := range dryRuns {
		c := planned.Example(i)
		if !hasMessage(c.log) {
			continue // a conversation without messages is not stored
		}
		id := storeAndCloseLog(t, store, c.log)
		if done := compareDryRun(t, a, id, c); done {
			made++
		}
	}
	if made < dryRuns/4 {
		t.Errorf("only %d of %d were compacted: the test shows too little", made, dryRuns)
	}
}

// dryRuns is the number of random compactions; each takes several transactions.
const dryRuns = 12

// plan is a compaction of a log.
type plan struct {
	log     []conversation.Event
	request edit.Request
}

var planned = rapid.Custom(func(t *rapid.T) plan {
	w := conversationtest.NewWriter(t, conversationtest.WithOverlays(t, conversationtest.Rich(t)))
	for range 3 {
		w.Turn(t)
	}
	return plan{w.Events(), anyRequest(t)}
})

// compareDryRun compares a dry run with the run, and reports whether anything was compacted.
func compareDryRun(t *testing.T, a *app, id string, c plan) bool {
	t.Helper()
	ctx := context.Background()
	file := filepath.Join(a.Resources.Store.Dir(), "conversations", id+".db")
	bytes := readFile(t, file)
	s, err := a.Conversations.StateOf(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	proposal, refused := s.Propose(c.request)
	var told session.Compaction
	if refused == nil {
		told = session.NewCompaction(s, proposal.Preview())
	}
	if !slices.Equal(bytes, readFile(t, file)) {
		t.Fatal("the dry run has written")
	}
	done, err := a.Conversations.CompactWithoutModel(ctx, s, c.request)
	if (err == nil) != (refused == nil) {
		t.Fatalf("the dry run says %v, the run %v", refused, err)
	}
	then, err := a.Conversations.StateOf(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if refused != nil {
		if len(then.Events) != len(c.log) {
			t.Fatalf("%d events after a refusal, not %d", len(then.Events), len(c.log))
		}
		return false
	}
	told.Epoch = done.Epoch
	if diff := cmp.Diff(told, done, cmp.AllowUnexported(session.Compaction{})); diff != "" {
		t.Fatalf("the dry run tells something else (- told, + done):\n%s", diff)
	}
	if got := then.Inputs.Meter.WithView(then.View).EstimatedTokens(); got != done.After {
		t.Fatalf("%d tokens afterwards, not %d", got, done.After)
	}
	if made, _ := conversation.OriginOf(then.Events[*done.Epoch-1].Body); made.Epoch != *done.Epoch {
		t.Fatalf("event %d begins the epoch %d", *done.Epoch, made.Epoch)
	}
	return true
}

func hasMessage(log []conversation.Event) bool {
	for _, e := range log {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return true
		}
	}
	return false
}

func readFile(t *testing.T, file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The printed states are those of the view, and the printed texts are those of the log.
func TestEveryPrintedMessageHasTheStateOfTheView(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := conversationtest.WithOverlays(t, conversationtest.Rich(t))
		snapshot := &session.Snapshot{Events: log, WithPartial: log, View: projection.Project(log)}
		in := map[uint64][]*projection.Message{}
		for i := range snapshot.View.Messages {
			for _, seq := range snapshot.View.Messages[i].Events {
				in[seq] = append(in[seq], &snapshot.View.Messages[i])
			}
		}
		rows := snapshot.OriginalMessages()
		n := 0
		for _, e := range log {
			text, sent := textOf(e.Body)
			if !sent {
				continue
			}
			if n == len(rows) || len(rows[n].Events) != 1 || rows[n].Events[0] != e.Seq || rows[n].Text != text {
				t.Fatalf("event %d is not row %d as it was said", e.Seq, n)
			}
			m := &rows[n]
			n++
			whole := len(in[e.Seq]) == 1 && in[e.Seq][0].Text == m.Text && len(in[e.Seq][0].Calls) == len(m.Calls)
			switch m.State {
			case projection.StateVerbatim, projection.StatePinned:
				if !whole {
					t.Fatalf("event %d is %s, but the model is not shown it", e.Seq, m.State)
				}
			case projection.StateDropped, projection.StateSummarised:
				if whole && len(in[e.Seq][0].Events) == 1 && in[e.Seq][0].State == projection.StateVerbatim {
					t.Fatalf("event %d is %s, but the model is shown it", e.Seq, m.State)
				}
			}
		}
		if n != len(rows) {
			t.Fatalf("%d rows for %d messages", len(rows), n)
		}
	})
}

// textOf returns the text of a body in the view, and false for a body without a message.
func textOf(b conversation.Body) (string, bool) {
	switch b := b.(type) {
	case conversation.UserMessage:
		return b.Text, true
	case conversation.AssistantMessage:
		return b.Text, true
	case conversation.ToolResult:
		return b.Text, true
	}
	return "", false
}
