package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"

	"plimsoll/compact/projection"

	"plimsoll/agent/agenttest"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// fileTurns returns n turns, each of which reads a file.
func fileTurns(n int) []conversation.Body {
	var out []conversation.Body
	for range n {
		out = append(out, conversation.UserMessage{Text: "look at it"},
			conversation.AssistantMessage{Reasoning: "so I do", Stop: conversation.StopCalls,
				Calls: []conversation.ToolCall{{ID: "c", Name: "read_file", Arguments: `{"path":"a.go"}`}}},
			conversation.ToolResult{CallID: "c", Tool: "read_file", Status: conversation.ResultOK, Text: strings.Repeat("line of a file\n", 120)},
			conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd})
	}
	return out
}

func newEvents(bodies ...conversation.Body) []conversation.Event {
	var log conversation.Log
	return log.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)
}

func storeBodies(t *testing.T, a *app, id string, bodies ...conversation.Body) {
	t.Helper()
	storeLog(t, a, id, newEvents(bodies...))
}

func storeLog(t *testing.T, a *app, id string, events []conversation.Event) {
	t.Helper()
	store, err := a.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Create(t.Context(), storage.NewConversation{ID: id, Workspace: a.Settings.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(t.Context(), events), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// openHost returns a host with an open conversation, a new one if id is "".
func openHost(t *testing.T, a *app, conn setup.Connection, id string) *screen.Host {
	t.Helper()
	running, err := a.Agents.Start(t.Context(), conn, session.OpenOptions{ID: id, Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	h.Running = running
	return h
}

const stored = "abcdefgh2345"

func TestTranscriptsArePrivateAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.Resources.Close()
	view := projection.Project(newEvents(fileTurns(1)...))
	seen := map[string]bool{}
	for range 3 {
		path, err := a.Conversations.SaveTranscript(t.Context(), view)
		if err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != 0o600 || strings.Count(string(data), "\n") != 4 || seen[path] {
			t.Errorf("%s: mode %v, %d lines, written before: %v", path, st.Mode(), strings.Count(string(data), "\n"), seen[path])
		}
		if ok, _ := filepath.Match("transcript_[0-9]*.jsonl", filepath.Base(path)); !ok || filepath.Dir(path) != a.Settings.Paths.Transcripts() {
			t.Errorf("a transcript is at %s", path)
		}
		seen[path] = true
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Conversations.SaveTranscript(ctx, view); err == nil {
		t.Error("a cancelled transcript was saved")
	}
	if left, _ := filepath.Glob(filepath.Join(a.Settings.Paths.Transcripts(), "*")); len(left) != len(seen) {
		t.Errorf("%d files are left, not %d", len(left), len(seen))
	}
}

func overlayIn(t *testing.T, a *app, id string) conversation.Kind {
	t.Helper()
	events, _, err := a.Resources.Store.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Body.Kind().IsOverlay() {
			return e.Body.Kind()
		}
	}
	return ""
}

// An interrupted summary leaves the conversation unchanged.
func TestAnInterruptedSummaryChangesNothing(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.Resources.Close()
	notifyingWriter := newNotifyingWriter()
	a.Console.Stderr = notifyingWriter
	storeBodies(t, a, stored, fileTurns(5)...)
	conn := setup.Connection{Provider: agenttest.NewProvider(agenttest.WaitAtGate(agenttest.NewGate())), Model: llm.Model{Provider: "test", ID: "m"}}
	running, err := a.Agents.Start(t.Context(), conn, session.OpenOptions{ID: stored})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-notifyingWriter.something
		cancel()
	}()
	request := edit.NewRequest()
	request.Profile = preset.ProfileHeavy
	if _, err := a.Agents.CompactRunning(ctx, running, request, func(updates.Update) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := running.Close(); err != nil {
		t.Error(err)
	}
	if got := overlayIn(t, a, stored); got != "" {
		t.Errorf("the overlay %q is in force", got)
	}
}

// notifyingWriter is standard error that closes a channel at the first write.
type notifyingWriter struct {
	something chan struct{}
	once      sync.Once
}

func newNotifyingWriter() *notifyingWriter { return &notifyingWriter{something: make(chan struct{})} }

func (w *notifyingWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.something) })
	return len(p), nil
}
