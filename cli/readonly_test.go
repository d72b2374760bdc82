package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// What the log says of the owner's model counts, not what this run was started with.
func TestAConversationThatIsOpenElsewhereIsShownAsItsOwnerHasIt(t *testing.T) {
	t.Parallel()
	const owned = "abcdefgh2345"
	model := conversation.ModelChanged{Provider: "mine", Model: "big", BaseURL: "http://127.0.0.1:1/v1", Window: 12_345, Source: string(meter.WindowServer)}
	for name, set := range map[string]func(*setup.Flags){
		"no flag":          func(*setup.Flags) {},
		"another model":    func(f *setup.Flags) { f.Model = "openai/gpt-5.4" },
		"another window":   func(f *setup.Flags) { f.Window = 99 },
		"another endpoint": func(f *setup.Flags) { f.BaseURL, f.Model = "http://127.0.0.1:3/v1", "small" },
		"the demo":         func(f *setup.Flags) { f.Demo = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := bareApp(t, "providers.mine.base_url=http://127.0.0.1:2/v1")
			defer a.resources.Close()
			set(&a.settings.Flags)
			store, err := storage.Open(a.settings.Flags.Data, storage.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			w, err := store.Create(t.Context(), storage.NewConversation{ID: owned, Workspace: "/w"})
			if err == nil {
				err = w.Append(t.Context(), new(conversation.Log).Prepare(time.Now(), model, conversation.UserMessage{Text: "hello"}))
			}
			if err != nil {
				t.Fatal(err)
			}
			h := a.host(screen.ChatOptions{})
			defer h.Close()
			talk, err := h.Resume(t.Context(), owned)
			want := meter.Window{Tokens: model.Window, Source: meter.WindowServer}
			if err != nil || !strings.HasPrefix(talk.ReadOnly, "Read-only: open in another window (pid ") || talk.Model.Name() != "mine/big" || talk.Model.Window != want || talk.Meter.Window() != want {
				t.Fatalf("%q, %s with %+v, the gauge by %+v, %v", talk.ReadOnly, talk.Model.Name(), talk.Model.Window, talk.Meter.Window(), err)
			}
			talk.Session.Inspect()
			if list, err := talk.Session.Take(t.Context()); err != nil || len(list) != 1 || list[0].(updates.Inspected).Account.Events != 1 {
				t.Errorf("its account is %+v, %v", list, err)
			}
			mine := tui.Draft{Text: "of a reader"}
			if err := errors.Join(h.KeepDraft(t.Context(), owned, tui.Draft{Text: "of the owner"}), h.KeepDraft(t.Context(), owned+tui.ReadDraft, mine), w.Close()); err != nil {
				t.Fatal(err)
			}
			a.settings.Flags = setup.Flags{Data: a.settings.Flags.Data, Demo: true}
			if talk, err = h.Resume(t.Context(), owned); err != nil || talk.ReadOnly != "" || talk.Draft.Text != "of the owner" {
				t.Errorf("opened with %+v, %q, %v", talk.Draft, talk.ReadOnly, err)
			}
			if err := a.conversations.DeleteDraft(owned); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(filepath.Dir(a.settings.Paths.Draft(owned))); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
