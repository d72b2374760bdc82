package storage_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// writeFormat1 writes a data directory in format 1, from files that such a program wrote, and returns
// the content of its conversation.
func writeFormat1(t testing.TB, dir string) (names []string, stored content) {
	t.Helper()
	for from, to := range map[string]string{"index.db": "index.db", "shared.db": "shared.db", idA + ".db": "conversations/" + idA + ".db"} {
		f, err := os.Open(filepath.Join("testdata", "format1", from+".gz"))
		must(t, err)
		defer f.Close()
		r, err := gzip.NewReader(f)
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		must(t, os.MkdirAll(filepath.Join(dir, "conversations"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, to), data, 0o600))
	}
	var log conversation.Log
	stored = content{Texts: map[string]string{}, Waiting: []string{"and bridges?"}}
	say := func(bodies ...conversation.Body) {
		must(t, log.Commit(log.Prepare(start.Add(time.Duration(log.Len())*time.Second), bodies...)))
	}
	say(conversation.UserMessage{Text: "What crosses the river?"})
	for i := range 12 {
		text := strings.Repeat(fmt.Sprintf("ferry %d ", i), 20)
		name := blobNameOf(strings.Repeat(text, 5))
		names, stored.Texts[name] = append(names, name), strings.Repeat(text, 5)
		call := conversation.ToolCall{ID: fmt.Sprint("c", i), Name: "read_file", Arguments: `{"path":"a.go"}`}
		say(conversation.AssistantMessage{Text: text, Reasoning: "ferries", Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls, Model: "demo/demo-1"},
			conversation.ToolResult{CallID: call.ID, Tool: "read_file", Text: text, Blob: name, Status: conversation.ResultOK},
			conversation.UserMessage{Text: text})
	}
	say(conversation.Renamed{Title: "Ferries", By: "user"})
	stored.Events = log.Events()
	stored.Partial = conversation.PartialReply{After: uint64(log.Len()), Text: "Ferries cross"}
	return names, stored
}

func formatOf(t testing.TB, path string) string {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must(t, err)
	defer db.Close()
	var format string
	must(t, db.View(func(tx *bbolt.Tx) error {
		format = string(tx.Bucket([]byte("meta")).Get([]byte("format")))
		return nil
	}))
	return format
}

func TestFilesOfFormat1AreReadUnchanged(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	names, want := writeFormat1(t, dir)
	path := filepath.Join(dir, "conversations", idA+".db")
	before, err := os.ReadFile(path)
	must(t, err)
	s := reopenStore(t, dir, storage.Options{})
	got, damageReported := readContent(t, s, names)
	if d := cmp.Diff(want, got); d != "" || damageReported {
		t.Errorf("damage reported: %v (-stored +read)\n%s", damageReported, d)
	}
	if e := list(t, s, storage.Filter{}); len(e) != 1 || e[0].Title != "Ferries" || e[0].Turns != 13 {
		t.Errorf("listed as %+v, want one conversation with 13 turns", e)
	}
	if hits, report := search(t, s, `"ferry 7"`, storage.SearchOptions{}); len(hits) != 3 || report.Damaged > 0 {
		t.Errorf("found %v, want 3; report %+v", formatHits(hits), report)
	}
	h, err := s.History(t.Context(), "/w", 0)
	if d := cmp.Diff([]string{"one", "two"}, h); err != nil || d != "" {
		t.Errorf("%v, history (-want +got):\n%s", err, d)
	}
	if c, ok, err := s.Calibration(t.Context(), "e m"); !ok || err != nil || c.Factor != 2 {
		t.Errorf("calibration: %+v, %v, %v", c, ok, err)
	}
	if findings := checkStore(t, s); len(findings) > 0 {
		t.Errorf("findings %+v, want none", findings)
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
		t.Errorf("reading has changed the file: %v", err)
	}
}

func TestFilesOfFormat1AreMigratedByTheFirstWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	names, want := writeFormat1(t, dir)
	checkFilesAtEnd(t, dir)
	s := reopenStore(t, dir, storage.Options{})
	must(t, s.AddHistory(t.Context(), "/w", "three"))
	c := reopen(t, s, idA)
	must(t, c.w.KeepWaiting(t.Context(), []string{"and tunnels?"}))
	want.Waiting = []string{"and tunnels?"}
	got, damageReported := readContent(t, s, names)
	if d := cmp.Diff(want, got); d != "" || damageReported {
		t.Errorf("damage reported: %v (-stored +read)\n%s", damageReported, d)
	}
	c.add(reply("By ferry."))
	c.close()
	for _, f := range []string{"conversations/" + idA + ".db", "shared.db", "index.db"} {
		if v := formatOf(t, filepath.Join(dir, f)); v != "2" {
			t.Errorf("%s has format %s, want 2", f, v)
		}
	}
	h, err := s.History(t.Context(), "/w", 0)
	if d := cmp.Diff([]string{"one", "two", "three"}, h); err != nil || d != "" {
		t.Errorf("%v, history (-want +got):\n%s", err, d)
	}
	if findings := checkStore(t, s); len(findings) > 0 {
		t.Errorf("findings %+v, want none", findings)
	}
}

// Format 1 has no checksums (seals). Its damage is repaired, too.
func TestDamagedFileOfFormat1IsRepaired(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	names, want := writeFormat1(t, dir)
	path := filepath.Join(dir, "conversations", idA+".db")
	sound, err := os.ReadFile(path)
	must(t, err)
	s := reopenStore(t, dir, storage.Options{})
	r := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		page := (2 + r.IntN(len(sound)/4096-2)) * 4096
		data := slices.Clone(sound)
		clear(data[page : page+64])
		must(t, os.WriteFile(path, data, 0o600))
		s.ForgetFile(idA)
		_, err := s.Repair(t.Context(), checkStore(t, s))
		must(t, err)
		if left := slices.DeleteFunc(checkStore(t, s), isMissingText); len(left) > 0 {
			t.Errorf("page %d: after the repair: %+v", page/4096, left)
		}
		got, _ := readContent(t, s, names)
		if len(got.Events) > 0 && !reflect.DeepEqual(want.Events[0], got.Events[0]) {
			t.Errorf("page %d: %s", page/4096, cmp.Diff(want.Events[0], got.Events[0]))
		}
	}
}
