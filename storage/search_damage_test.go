package storage_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestSearchContinuesAfterDamage(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	createAt(t, s, idA, "/w", 1, conversation.UserMessage{Text: "heron 1"}, conversation.UserMessage{Text: "heron 2"}, conversation.UserMessage{Text: "heron 3"})
	createAt(t, s, idB, "/w", 2, conversation.UserMessage{Text: "heron of the middle"})
	createAt(t, s, idC, "/w", 3, conversation.UserMessage{Text: "heron of the newest"})
	editFile(t, filepath.Join(s.Dir(), "conversations", idA+".db"), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("events")).Put([]byte{0, 0, 0, 0, 0, 0, 0, 2}, []byte(`{"seq":2,"turn":1,"time":"now","user":{"text":"heron`))
	})
	hits, report := search(t, s, "heron", storage.SearchOptions{})
	want := []string{
		"zzzz/1 user: [heron] of the newest", "aaaa/1 user: [heron] of the middle",
		"aaaa/3 user: [heron] 3", "aaaa/1 user: [heron] 1",
	}
	if d := cmp.Diff(want, formatHits(hits)); d != "" || report.Damaged != 1 || report.Conversations != 3 {
		t.Errorf("%+v (-want +got)\n%s", report, d)
	}
	must(t, os.WriteFile(filepath.Join(s.Dir(), "conversations", idC+".db"), []byte("no database"), 0o600))
	hits, report = search(t, s, "heron", storage.SearchOptions{})
	if len(hits) != 3 || report.Unread != 1 || report.Conversations != 3 {
		t.Errorf("hits %v, want 3; report %+v, want 1 unread of 3", formatHits(hits), report)
	}
	must(t, os.Remove(filepath.Join(s.Dir(), "conversations", idC+".db"))) // else the check of all files at the end would fail
}

// In a file with a damaged page a search finds the newer events, and reports that it could
// not read all.
func TestSearchFindsEventsNewerThanADamagedPage(t *testing.T) {
	t.Parallel()
	s := reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	var bodies []conversation.Body
	for i := range 300 {
		bodies = append(bodies, conversation.UserMessage{Text: fmt.Sprintf("heron %d. %s", i+1, strings.Repeat("words ", 100))})
	}
	createAt(t, s, idA, "/w", 1, bodies...)
	createAt(t, s, idB, "/w", 0, conversation.UserMessage{Text: "heron"})
	list(t, s, storage.Filter{})
	path := filepath.Join(s.Dir(), "conversations", idA+".db")
	data, err := os.ReadFile(path)
	must(t, err)
	page := bytes.Index(data, []byte("heron 100.")) / os.Getpagesize() * os.Getpagesize()
	copy(data[page:], bytes.Repeat([]byte{0xff}, 16))
	must(t, os.WriteFile(path, data, 0o600))
	for _, look := range []func(){func() {}, func() { s.ForgetFile(idA) }} { // verified by the store already, and not
		look()
		hits, report := search(t, s, "heron", storage.SearchOptions{PerConversation: 1000, Limit: 1000})
		if report.Unread != 1 || report.Conversations != 2 || len(hits) < 190 || len(hits) > 202 {
			t.Fatalf("%d hits, %+v, page %d of %d", len(hits), report, page/os.Getpagesize(), len(data)/os.Getpagesize())
		}
		for i, h := range hits[:len(hits)-1] {
			if h.Conversation != idA || h.Event != uint64(300-i) {
				t.Fatalf("hit %d is event %d of %s", i, h.Event, h.Conversation)
			}
		}
		if last := hits[len(hits)-1]; last.Conversation != idB {
			t.Errorf("the last hit is in %s", last.Conversation)
		}
	}
}

// A missing or damaged full text is counted once, and only if it had to be
// searched.
func TestSearchCountsUnreadableFullTexts(t *testing.T) {
	t.Parallel()
	s, path, names := conversationWithTexts(t)
	heron := []string{"aaaa/4 grep (stored): two [heron]s", "aaaa/3 grep (stored): one [heron]"}
	for i, c := range []struct {
		harm    func()
		query   string
		want    []string
		damaged int
	}{
		{func() {}, "heron", heron, 0},
		{func() { deleteTexts(t, path, names[4]) }, "heron", heron, 1},
		{func() {}, "ibis", nil, 1},
		{func() {}, "part it", []string{"aaaa/6 grep: [part] of it", "aaaa/5 grep: [part] of it", "aaaa/4 grep: [part] of it", "aaaa/3 grep: [part] of it"}, 0},
		{func() { deleteTexts(t, path, names[3]) }, "heron", heron[1:], 2},
		{func() {
			editFile(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("blobs")).Put([]byte(names[2]), []byte("zother")) })
		}, "heron", nil, 3},
		{func() { deleteTexts(t, path, names[0], names[1]) }, "careful", nil, 3}, // is not searched
	} {
		c.harm()
		hits, report := search(t, s, c.query, storage.SearchOptions{})
		if d := cmp.Diff(c.want, formatHits(hits)); d != "" || report.Damaged != c.damaged || report.Unread != 0 || report.Conversations != 1 {
			t.Errorf("search %d for %s: %+v (-want +got)\n%s", i, c.query, report, d)
		}
	}
}
