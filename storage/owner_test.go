package storage_test

import (
	"os"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestAListKnowsSizesAndWhoHasAConversationOpen(t *testing.T) {
	t.Parallel()
	s, err := storage.Open(t.TempDir(), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, err := s.Create(t.Context(), storage.NewConversation{ID: "abcdefgh2345"})
	if err != nil {
		t.Fatal(err)
	}
	var log conversation.Log
	if err := w.Append(t.Context(), log.Prepare(time.Now(), conversation.UserMessage{Text: "hello"})); err != nil {
		t.Fatal(err)
	}
	if got := s.Owner("abcdefgh2345"); got != os.Getpid() {
		t.Errorf("owned by %d", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.Owner("abcdefgh2345"); got != 0 {
		t.Errorf("owned by %d once it is closed", got)
	}
	if got := s.Owner("../../etc"); got != 0 {
		t.Errorf("what is no ID is owned by %d", got)
	}
	list, err := s.List(t.Context(), storage.Filter{})
	if err != nil || len(list) != 1 || list[0].Bytes < 1000 {
		t.Errorf("%+v, %v", list, err)
	}
}
