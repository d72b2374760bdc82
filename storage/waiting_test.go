package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/storage"
)

func TestWaitingMessagesAreLoadedOnReopening(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "one")
	must(t, c.w.KeepWaiting(t.Context(), []string{"two", "three\x00"}))
	must(t, c.w.KeepWaiting(t.Context(), []string{"two", "three\x00"}))
	c.close()
	again, err := s.OpenWriter(t.Context(), idA)
	must(t, err)
	if diff := cmp.Diff([]string{"two", "three\u2400"}, again.Waiting()); diff != "" {
		t.Error(diff)
	}
	must(t, again.KeepWaiting(t.Context(), nil))
	must(t, again.KeepWaiting(t.Context(), nil))
	if texts, err := s.Waiting(t.Context(), idA); err != nil || texts != nil {
		t.Errorf("%q, %v; want none", texts, err)
	}
}
