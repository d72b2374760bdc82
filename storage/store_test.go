package storage_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestOpenTightensModes(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "secret")
	must(t, s.AddHistory(t.Context(), "/w", "secret"))
	err := filepath.WalkDir(s.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o755)
	})
	must(t, err)
	again := reopenStore(t, s.Dir(), storage.Options{})
	c.add(reply("secret"))
	if _, err := again.List(t.Context(), storage.Filter{}); err != nil {
		t.Fatal(err)
	}
	if _, err := again.History(t.Context(), "/w", 0); err != nil {
		t.Fatal(err)
	}
	again.IsOpenElsewhere(idA)
	c.close()
	err = filepath.WalkDir(s.Dir(), func(path string, d fs.DirEntry, err error) error {
		if st, err := os.Stat(path); err == nil && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesNFS(t *testing.T) {
	t.Parallel()
	_, err := storage.Open(t.TempDir(), storage.WithFilesystem(storage.Options{}, "NFS"))
	wantError(t, err, storage.ErrNetwork)
}

func TestNewerFileIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "from the future").close()
	must(t, s.UpdateConversation(idA, func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		return errors.Join(meta.Put([]byte("format"), []byte("3")), meta.Put([]byte("format.sealed"), storage.Seal("meta", []byte("format.sealed"), "3")))
	}))
	_, _, err := s.Load(t.Context(), idA)
	wantError(t, err, storage.ErrNewer)
	_, err = s.OpenWriter(t.Context(), idA)
	wantError(t, err, storage.ErrNewer)
	entries, err := s.List(t.Context(), storage.Filter{})
	if err != nil || len(entries) != 1 || !strings.Contains(entries[0].Problem, "newer version") {
		t.Errorf("listed as %+v, want the problem of a newer version; error %v", entries, err)
	}
	findings, err := s.Check(t.Context(), nil)
	if err != nil || len(findings) != 1 || findings[0].Repairable {
		t.Errorf("check found %+v, %v, want one finding beyond repair", findings, err)
	}
}

func TestFailedAppendStoresNothingAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	var failing string
	o := storage.WithCommitFaults(storage.Options{}, func(path string) error {
		if failing != "" && strings.Contains(path, failing) {
			return fmt.Errorf("write: %w", syscall.ENOSPC)
		}
		return nil
	})
	s := openStore(t, o)
	w, err := s.Create(t.Context(), storage.NewConversation{ID: idA})
	must(t, err)
	c := &testConversation{t: t, w: w}
	name, err := w.PutBlob(t.Context(), "text")
	must(t, err)
	failing = "conversations"
	hello := c.prepare(conversation.UserMessage{Text: "hello"})
	err = w.Append(t.Context(), hello)
	wantError(t, err, syscall.ENOSPC)
	if !strings.Contains(fmt.Sprint(err), "free some space") {
		t.Errorf("error is %q, want what to do about it", err)
	}
	_, _, err = s.Load(t.Context(), idA)
	wantError(t, err, storage.ErrNotFound)
	failing = ""
	c.add(conversation.UserMessage{Text: "hello"})
	if text, err := s.Blob(t.Context(), idA, name); err != nil || text != "text" {
		t.Errorf("text is %q, %v", text, err)
	}
	failing = "conversations"
	wantError(t, w.Append(t.Context(), c.prepare(reply("hi"))), syscall.ENOSPC)
	wantError(t, w.KeepPartial(t.Context(), conversation.PartialReply{After: 1}), syscall.ENOSPC)
	failing = "index.db" // an error of the index must not fail an append
	c.add(reply("hi"))
	failing = ""
	entries, err := s.List(t.Context(), storage.Filter{})
	if err != nil || len(entries) != 1 || entries[0].Events != 2 {
		t.Errorf("listed as %+v, %v", entries, err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	if h, err := s.History(t.Context(), "/a", 0); err != nil || len(h) != 0 {
		t.Errorf("empty history is %v, %v", h, err)
	}
	for _, in := range [][2]string{{"/a", "one"}, {"/b", "x"}, {"/a", "one"}, {"/a", "two"}, {"/b", "x"}, {"/a", ""},
		{"/a", strings.Repeat("long", 100_000)}, {"/a", "one"}} {
		must(t, s.AddHistory(t.Context(), in[0], in[1]))
	}
	for _, c := range []struct {
		workspace string
		limit     int
		want      []string
	}{
		{"/a", 0, []string{"one", "two", "one"}},
		{"/a", 2, []string{"two", "one"}},
		{"/b", 0, []string{"x"}},
		{"/elsewhere", 0, []string{"one", "x", "two", "one"}},
	} {
		got, err := s.History(t.Context(), c.workspace, c.limit)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("history of %s: %v (-want +got):\n%s", c.workspace, err, diff)
		}
	}
}

func TestCalibrations(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	if _, ok, err := s.Calibration(t.Context(), "e m"); ok || err != nil {
		t.Errorf("a calibration that was never saved is found: %v, %v", ok, err)
	}
	for i := range 3 {
		c := conversation.Calibration{Factor: 1.25, Samples: i, Window: 8192}
		must(t, errors.Join(s.SaveCalibration(t.Context(), "e m", c), s.SaveCalibration(t.Context(), "e m", c)))
	}
	got, ok, err := s.Calibration(t.Context(), "e m")
	if want := (conversation.Calibration{Factor: 1.25, Samples: 2, Window: 8192}); !ok || err != nil || got != want {
		t.Errorf("kept %+v, %v, %v, want %+v", got, ok, err, want)
	}
}
