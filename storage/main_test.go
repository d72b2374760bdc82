package storage_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// The IDs of the conversations of most tests.
const (
	idA = "aaaabbbbcccc"
	idB = "aaaaddddeeee"
	idC = "zzzz22223333"
)

var start = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// TestMain runs a role of process_test.go when a test started this program for
// it. Tests keep their files in memory where the system has room for that: they kill
// programs and damage files, and do not turn the power off. Benchmarks use the disk.
func TestMain(m *testing.M) {
	flag.Parse()
	const memory = "/dev/shm"
	if st, err := os.Stat(memory); err == nil && st.IsDir() && flag.Lookup("test.bench").Value.String() == "" {
		_ = os.Setenv("TMPDIR", memory) // without it the tests are only slower
	}
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runRole(role))
	}
	os.Exit(m.Run())
}

// openStore opens a store in a new directory, and checks all its database
// files at the end of the test.
func openStore(t testing.TB, o storage.Options) *storage.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	checkFilesAtEnd(t, dir)
	return reopenStore(t, dir, o)
}

// reopenStore opens a store in a directory that may be used already.
func reopenStore(t testing.TB, dir string, o storage.Options) *storage.Store {
	t.Helper()
	s, err := storage.Open(dir, o)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkFilesAtEnd checks all files below dir with bbolt at the end of the test.
func checkFilesAtEnd(t testing.TB, dir string) {
	t.Cleanup(func() {
		for _, pattern := range []string{"*.db", "conversations/*.db"} {
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Error(err)
			}
			for _, f := range files {
				checkFile(t, f)
			}
		}
	})
}

func checkFile(t testing.TB, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 5 * time.Second})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		var all []error
		for err := range tx.Check() {
			all = append(all, err)
		}
		return errors.Join(all...)
	})
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// testConversation is a conversation open for writing, with a log that numbers its events.
type testConversation struct {
	t   testing.TB
	w   *storage.Writer
	log conversation.Log
}

func begin(t testing.TB, s *storage.Store, id, workspace, text string) *testConversation {
	t.Helper()
	w, err := s.Create(t.Context(), storage.NewConversation{ID: id, Workspace: workspace})
	must(t, err)
	c := &testConversation{t: t, w: w}
	c.add(conversation.UserMessage{Text: text})
	return c
}

func reopen(t testing.TB, s *storage.Store, id string) *testConversation {
	t.Helper()
	w, err := s.OpenWriter(t.Context(), id)
	must(t, err)
	events, report, err := s.Load(t.Context(), id)
	if err != nil || len(report.Damaged) > 0 {
		t.Fatal(err, report)
	}
	log, err := conversation.NewLog(events)
	must(t, err)
	return &testConversation{t: t, w: w, log: *log}
}

func (c *testConversation) prepare(bodies ...conversation.Body) []conversation.Event {
	return c.log.Prepare(start.Add(time.Duration(c.log.Len())*time.Second), bodies...)
}

func (c *testConversation) add(bodies ...conversation.Body) {
	c.t.Helper()
	events := c.prepare(bodies...)
	must(c.t, c.w.Append(c.t.Context(), events))
	must(c.t, c.log.Commit(events))
}

func (c *testConversation) close() {
	c.t.Helper()
	must(c.t, c.w.Close())
}

func reply(text string) conversation.AssistantMessage {
	return conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Model: "demo/demo-1"}
}

func wantError(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error is %v, want %v", err, target)
	}
}

// blobNameOf returns the name under which a text is stored.
func blobNameOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
