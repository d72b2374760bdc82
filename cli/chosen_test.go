package cli

import (
	"errors"
	"testing"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestTheChatStartsOnlyForAConversationThatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := map[string]string{"HOME": dir}
	lookup := func(name string) (string, bool) { value, ok := home[name]; return value, ok }
	a := newApp(console.Env{Dir: dir, Lookup: lookup}, setup.Flags{Data: t.TempDir()})
	if err := a.settings.Configure(); err != nil {
		t.Fatal(err)
	}
	defer a.resources.Close()
	for _, o := range []screen.ChatOptions{{}, {Resume: screen.Pick}} {
		if got, err := a.chat().chosen(t.Context(), o); err != nil || got != o {
			t.Errorf("%+v became %+v, %v", o, got, err)
		}
	}
	if _, err := a.chat().chosen(t.Context(), screen.ChatOptions{Newest: true}); !errors.Is(err, session.ErrNoConversation) {
		t.Errorf("the newest of none: %v", err)
	}
	if _, err := a.chat().chosen(t.Context(), screen.ChatOptions{Resume: "zzzz"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a wrong ID: %v", err)
	}
	store, err := a.resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Create(t.Context(), storage.NewConversation{ID: "abcd22223333", Workspace: a.settings.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	var log conversation.Log
	said := log.Prepare(time.Now(), conversation.UserMessage{Text: "hello"})
	if err := errors.Join(w.Append(t.Context(), said), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, o := range []screen.ChatOptions{{Newest: true}, {Resume: "abcd2"}} {
		if got, err := a.chat().chosen(t.Context(), o); err != nil || got != (screen.ChatOptions{Resume: "abcd22223333"}) {
			t.Errorf("%+v became %+v, %v", o, got, err)
		}
	}
}
