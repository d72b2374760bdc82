package cli

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/cli/session"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// Conversations of every earlier format, with compactions by every preset, can be read, and each of their requests is rebuilt
// byte for byte.
func TestRequestsOfEarlierFormatsAreRebuilt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/earlier/format*/*.db.gz")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	reduced := map[conversation.Kind]int{}
	for _, file := range files {
		a := bareApp(t)
		defer a.Resources.Close()
		id := strings.TrimSuffix(filepath.Base(file), ".db.gz")
		unpack(t, file, filepath.Join(a.Settings.Flags.Data, "conversations", id+".db"))
		snapshot, err := a.Conversations.Read(t.Context(), []string{id})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		requests := inspect.SentRequests(snapshot.Events)
		if len(requests) < 14 {
			t.Errorf("%s has %d requests", file, len(requests))
		}
		for _, q := range requests {
			b, err := a.Conversations.Rebuild(t.Context(), session.RequestRef{Store: snapshot.Store, ID: snapshot.ID, Events: snapshot.Events, SentRequest: q})
			if err != nil || !b.MatchesSent {
				t.Errorf("%s, request %d for %s: %s, %v", file, q.Number, q.Usage.Purpose, b.Why, err)
			}
		}
		for _, e := range snapshot.Events {
			if e.Body.Kind().IsOverlay() {
				reduced[e.Body.Kind()]++
			}
		}
	}
	for _, k := range []conversation.Kind{conversation.KindCap, conversation.KindMask, conversation.KindSummary, conversation.KindDrop, conversation.KindRevert} {
		if reduced[k] == 0 {
			t.Errorf("no file has a %s", k)
		}
	}
}

// unpack decompresses a file.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	conversationtest.Must(t, os.MkdirAll(filepath.Dir(to), 0o700))
	conversationtest.Must(t, os.WriteFile(to, data, 0o600))
}
