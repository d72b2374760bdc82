package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"plimsoll/cli/screen"
	"plimsoll/conversation"
)

// hostWithTwoStored returns a host with a stored conversation, and one that is open in another store.
func hostWithTwoStored(t *testing.T) (*app, *screen.Host) {
	t.Helper()
	a := bareApp(t, "discovery.local=false")
	t.Cleanup(func() { _ = a.Resources.Close() })
	storeBodies(t, a, stored, conversation.UserMessage{Text: "an older one"}, conversation.AssistantMessage{Text: "yes", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "the newest\n  question"}, conversation.AssistantMessage{Text: "a reply " + strings.Repeat("that goes on ", 100), Stop: conversation.StopEnd})
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	t.Cleanup(h.Close)
	return a, h
}

func TestTheListShowsWhereConversationsAreOpen(t *testing.T) {
	t.Parallel()
	a, h := hostWithTwoStored(t)
	const other = "bcdefghi2345"
	storeBodies(t, a, other, conversation.UserMessage{Text: "elsewhere"})
	far := newApp(a.Console.Env, a.Settings.Flags)
	defer far.Resources.Close()
	store, err := far.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.OpenWriter(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	list, err := h.Conversations(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list {
		want := ""
		if c.ID == other {
			want = fmt.Sprintf("open in process %d", os.Getpid())
		}
		if !strings.HasPrefix(c.Open, want) || want == "" && c.Open != "" || c.Size <= 0 || c.Workspace != "" || c.Turns == 0 || c.Updated.IsZero() {
			t.Errorf("%+v", c)
		}
	}
	for what, err := range map[string]error{"rename": h.RenameStored(t.Context(), other, "x"), "delete": h.RemoveStored(t.Context(), other)} {
		if err == nil || err.Error() != fmt.Sprintf("conversation %s is open in another window (process %d)", other, os.Getpid()) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheListShowsRenamesForksAndDeletes(t *testing.T) {
	t.Parallel()
	a, h := hostWithTwoStored(t)
	question, reply, err := h.LastExchange(t.Context(), stored)
	if err != nil || question != "the newest\n  question" || !strings.HasPrefix(reply, "a reply that goes on") || len(reply) > 700 {
		t.Errorf("%q, %q, %v", question, reply, err)
	}
	if err := h.RenameStored(t.Context(), stored, "another\ntitle"); err != nil {
		t.Fatal(err)
	}
	if list, _ := h.Conversations(t.Context()); list[0].Title != "another title" {
		t.Errorf("%+v", list)
	}
	a.Settings.Flags.Demo = true
	copied, err := h.ForkStored(t.Context(), stored)
	if err != nil || copied.ID == stored || copied.Title != "another title (fork)" || !strings.Contains(strings.Join(copied.Notes, " "), stored) {
		t.Fatalf("%s %q %q, %v", copied.ID, copied.Title, copied.Notes, err)
	}
	if err := h.RemoveStored(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	if list, _ := h.Conversations(t.Context()); len(list) != 1 || list[0].ID != copied.ID || list[0].Open != "open here" {
		t.Errorf("%+v", list)
	}
	if err := h.RemoveStored(t.Context(), copied.ID); err == nil {
		t.Error("the open one was removed")
	}
}

func TestFavoritesAndRecentModelsAreKept(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	for _, name := range []string{"a/1", "a/2", "a/3", "a/1", "a/4", "a/5", "a/6"} {
		if err := a.Settings.AddRecent(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"x/1", "x/2", "x/1"} {
		if err := a.Settings.SetFavorite(name, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Settings.SetFavorite("x/2", false); err != nil {
		t.Fatal(err)
	}
	p := a.Settings.Picks()
	if got := strings.Join(p.Recent, " ") + " | " + strings.Join(p.Favorites, " "); got != "a/6 a/5 a/4 a/1 a/3 | x/1" {
		t.Errorf("stored are %s", got)
	}
}
