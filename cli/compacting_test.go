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

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// fileTurns are turns in each of which a file is read.
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

// logOf numbers bodies.
func logOf(bodies ...conversation.Body) []conversation.Event {
	var log conversation.Log
	return log.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)
}

// keep stores a conversation.
func keep(t *testing.T, a *app, id string, bodies ...conversation.Body) {
	t.Helper()
	keepLog(t, a, id, logOf(bodies...))
}

// keepLog stores a conversation with the events of a log.
func keepLog(t *testing.T, a *app, id string, events []conversation.Event) {
	t.Helper()
	store, err := a.resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Create(t.Context(), storage.NewConversation{ID: id, Workspace: a.settings.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(t.Context(), events), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// talking is a host in which a stored conversation is open.
func talking(t *testing.T, a *app, provider *agenttest.Provider) *screen.Host {
	t.Helper()
	return hosting(t, a, setup.Link{Provider: provider, Model: llm.Model{Provider: "test", ID: "m"}}, stored)
}

// hosting is a host in which a conversation is open, a new one for id "".
func hosting(t *testing.T, a *app, l setup.Link, id string) *screen.Host {
	t.Helper()
	r, err := a.agents.Start(t.Context(), l, session.OpenOptions{ID: id, Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	h := a.host(screen.ChatOptions{})
	h.Running = r
	return h
}

const stored = "abcdefgh2345"

func TestTranscriptsAreForTheirOwnerAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.resources.Close()
	view := projection.Project(logOf(fileTurns(1)...))
	seen := map[string]bool{}
	for range 3 {
		path, err := a.conversations.SaveTranscript(t.Context(), view)
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
		if ok, _ := filepath.Match("transcript_[0-9]*.jsonl", filepath.Base(path)); !ok || filepath.Dir(path) != a.settings.Paths.Transcripts() {
			t.Errorf("a transcript is at %s", path)
		}
		seen[path] = true
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.conversations.SaveTranscript(ctx, view); err == nil {
		t.Error("a cancelled transcript was saved")
	}
	if left, _ := filepath.Glob(filepath.Join(a.settings.Paths.Transcripts(), "*")); len(left) != len(seen) {
		t.Errorf("%d files are left, not %d", len(left), len(seen))
	}
}

func overlayIn(t *testing.T, a *app, id string) conversation.Kind {
	t.Helper()
	events, _, err := a.resources.Store.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Body.Kind().Overlay() {
			return e.Body.Kind()
		}
	}
	return ""
}

// Whoever interrupts a summary finds the conversation as it was.
func TestAnInterruptedSummaryLeavesNothingInForce(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.resources.Close()
	heard := newHeard()
	a.console.Stderr = heard
	keep(t, a, stored, fileTurns(5)...)
	l := setup.Link{Provider: agenttest.NewProvider(agenttest.Hold(agenttest.NewGate())), Model: llm.Model{Provider: "test", ID: "m"}}
	r, err := a.agents.Start(t.Context(), l, session.OpenOptions{ID: stored})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-heard.something
		cancel()
	}()
	w := edit.NewRequest()
	w.Profile = preset.ProfileHeavy
	if _, err := a.agents.Optimize(ctx, r, w, func(updates.Update) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := overlayIn(t, a, stored); got != "" {
		t.Errorf("the overlay %q is in force", got)
	}
}

// heard is standard error that says when something was written.
type heard struct {
	something chan struct{}
	once      sync.Once
}

func newHeard() *heard { return &heard{something: make(chan struct{})} }

func (w *heard) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.something) })
	return len(p), nil
}

func TestTheProfileStaysWithTheConversation(t *testing.T) {
	t.Parallel()
	a := bareApp(t, "compaction.profiles.off={reasoning: strip}")
	defer a.resources.Close()
	keep(t, a, stored, fileTurns(5)...)
	h := talking(t, a, agenttest.NewProvider())
	talk := h.Conversation(h.Running)
	if talk.Profile != preset.ProfileDefault {
		t.Errorf("the profile is %q", talk.Profile)
	}
	want := []tui.Profile{{Name: "default", Note: "shortens reasoning, arguments and results"}, {Name: "heavy", Note: "the model writes a summary", Summarises: true},
		{Name: "light", Note: "shortens reasoning"}, {Name: "off", Note: "shortens reasoning"}}
	if diff := cmp.Diff(want, talk.Profiles); diff != "" {
		t.Error(diff)
	}
	talk.Session.SetProfile("nope")
	talk.Session.SetProfile("off")
	await(t, talk.Session, func(u updates.Update) bool {
		e, ok := u.(updates.Appended)
		return ok && e.Events[0].Body.Kind() == conversation.KindConfig
	})
	h.Close()
	again := talking(t, a, agenttest.NewProvider())
	defer again.Close()
	if got := again.Conversation(again.Running).Profile; got != "off" {
		t.Errorf("reopened, the profile is %q", got)
	}
}

func TestTheConversationIsExportedFromTheScreen(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.resources.Close()
	keep(t, a, stored, fileTurns(1)...)
	h := talking(t, a, agenttest.NewProvider())
	defer h.Close()
	for about, file := range map[string]string{"": "plimsoll-" + stored + ".md", "talk.jsonl": "talk.jsonl", "~/talk.json": "talk.json"} {
		text, err := h.Page(t.Context(), tui.PageExport, about)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(a.console.Dir, file))
		if err != nil || !strings.Contains(string(data), "line of a file") || !strings.Contains(text, "~/"+file) {
			t.Errorf("%q: %v; the page says %q", about, err, text)
		}
		if _, err := h.Page(t.Context(), tui.PageExport, about); err == nil {
			t.Errorf("%q was overwritten", about)
		}
	}
}

// Everything that the next request depends on is on one page.
func TestTheStatusIsOnOnePage(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.resources.Close()
	keep(t, a, stored, fileTurns(1)...)
	if err := os.WriteFile(filepath.Join(a.settings.Workspace, "AGENTS.md"), []byte("Be brief.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := talking(t, a, agenttest.NewProvider())
	defer h.Close()
	page, err := h.Page(t.Context(), tui.PageStatus, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"model       ", "endpoint    ", "window      ", "compaction  preset plimsoll; by hand: profile default, shortens reasoning, arguments and results",
		"project     AGENTS.md, ~", "settings    ", "approvals   ask", "chat        " + stored + " in ", "cost        "} {
		if !strings.Contains(page, "\n"+want) && !strings.HasPrefix(page, want) {
			t.Errorf("%q is missing from\n%s", want, page)
		}
	}
	if lines := strings.Count(page, "\n"); lines > 18 {
		t.Errorf("%d lines do not fit a screen of 24:\n%s", lines, page)
	}
}
