package storage_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestOneStoreServesManyGoroutines(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	var all sync.WaitGroup
	for n := range 6 {
		id := fmt.Sprintf("%caaaaaaaaaaa", 'a'+n)
		c := begin(t, s, id, "/w", "hello")
		all.Go(func() {
			for i := range 20 {
				err := errors.Join(
					c.w.Append(t.Context(), []conversation.Event{{Seq: uint64(i + 2), Time: start, Body: reply("hi")}}),
					s.AddHistory(t.Context(), id, fmt.Sprint(i)))
				events, _, err2 := s.Load(t.Context(), id)
				_, err3 := s.List(t.Context(), storage.Filter{})
				if err := errors.Join(err, err2, err3); err != nil || len(events) != i+2 {
					t.Errorf("%d events are loaded, error %v", len(events), err)
				}
			}
		})
	}
	all.Wait()
	for _, e := range list(t, s, storage.Filter{}) {
		if e.Events != 21 {
			t.Errorf("listed as %+v, want 21 events", e)
		}
	}
}

func TestWriterServesManyGoroutines(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	events := c.prepare(reply("hi"))
	var all sync.WaitGroup
	results := make(chan error, 8)
	for range cap(results) {
		all.Go(func() {
			if _, err := c.w.PutBlob(t.Context(), "the same text"); err != nil {
				t.Error(err)
			}
			results <- c.w.Append(t.Context(), events)
		})
	}
	all.Wait()
	close(results)
	stored := 0
	for err := range results {
		if err == nil {
			stored++
		} else {
			wantError(t, err, storage.ErrConflict)
		}
	}
	if got, _, err := s.Load(t.Context(), idA); stored != 1 || err != nil || len(got) != 2 {
		t.Errorf("%d appends succeeded, %d events are stored, %v", stored, len(got), err)
	}
}

func TestReadOnlyDirectoryCanBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is read-only for the superuser")
	}
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	for _, dir := range []string{s.Dir() + "/conversations", s.Dir()} {
		must(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { must(t, os.Chmod(dir, 0o700)) })
	}
	if events, _, err := s.Load(t.Context(), idA); err != nil || len(events) != 1 {
		t.Errorf("%d events, want 1; error %v", len(events), err)
	}
	if got := list(t, s, storage.Filter{}); len(got) != 1 {
		t.Errorf("listed are %v, want one conversation", got)
	}
	_, err := s.OpenWriter(t.Context(), idA)
	wantError(t, err, fs.ErrPermission)
}
