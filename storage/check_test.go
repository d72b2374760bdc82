package storage_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// storedConversation stores and closes a conversation of some size, which the tests damage.
func storedConversation(t *testing.T) (*storage.Store, string, []conversation.Event) {
	t.Helper()
	s := reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	for i := range 60 {
		text := strings.Repeat(fmt.Sprintf("reply %d ", i), 40)
		name, err := c.w.PutBlob(t.Context(), strings.Repeat(text, 5))
		must(t, err)
		c.add(reply(text), conversation.UserMessage{Text: text},
			conversation.ToolResult{CallID: "x", Text: text, Blob: name, Status: conversation.ResultOK})
	}
	c.close()
	path := filepath.Join(s.Dir(), "conversations", idA+".db")
	must(t, os.Chtimes(path, start, start)) // long enough ago for the index to trust it
	list(t, s, storage.Filter{})
	return s, path, c.log.Events()
}

func checkStore(t *testing.T, s *storage.Store) []storage.Finding {
	t.Helper()
	last, total := -1, 0
	findings, err := s.Check(t.Context(), func(done, of int) {
		if done <= last {
			t.Errorf("progress goes from %d to %d", last, done)
		}
		last, total = done, of
	})
	must(t, err)
	if last != total {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	return findings
}

// onlyFinding checks the store and fails the test unless there is exactly one finding.
func onlyFinding(t *testing.T, s *storage.Store) []storage.Finding {
	t.Helper()
	findings := checkStore(t, s)
	if len(findings) != 1 {
		t.Fatalf("findings %+v, want one", findings)
	}
	return findings
}

func mustRepair(t *testing.T, s *storage.Store, findings []storage.Finding) []storage.Finding {
	t.Helper()
	out, err := s.Repair(t.Context(), findings)
	must(t, err)
	for _, f := range out {
		if !f.Repaired || f.Note == "" {
			t.Errorf("the finding is not repaired: %+v", f)
		}
	}
	if left := checkStore(t, s); len(left) > 0 {
		t.Errorf("findings after the repair: %+v", left)
	}
	return out
}

func editFile(t *testing.T, path string, change func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *bbolt.Tx) error { return errors.Join(change(tx), storage.PutRecord(tx)) }))
}

func eventKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func TestDamagedEventsAreReplacedAndRepaired(t *testing.T) {
	t.Parallel()
	s, path, said := storedConversation(t)
	editFile(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("events"))
		other := bytes.Clone(b.Get(eventKey(8)))
		return errors.Join(b.Put(eventKey(5), storage.Seal("events", eventKey(5), `{"seq":5,"turn":`)), b.Put(eventKey(7), other), b.Delete(eventKey(20)))
	})
	events, report, err := s.Load(t.Context(), idA)
	if err != nil || len(events) != len(said) || len(report.Damaged) != 3 {
		t.Fatalf("%d events, report %v, want 3 damaged; error %v", len(events), report, err)
	}
	for i, seq := range []uint64{5, 7, 20} {
		if report.Damaged[i].Seq != seq {
			t.Errorf("reported %+v, want event %d", report.Damaged[i], seq)
		}
		u, ok := events[seq-1].Body.(conversation.Unknown)
		if !ok {
			t.Errorf("event %d is %+v, want an unknown one", seq, events[seq-1])
		}
		if seq == 5 && string(u.Raw) != `"{\"seq\":5,\"turn\":"` {
			t.Errorf("the raw text of event 5 is %s", u.Raw)
		}
	}
	if _, err := conversation.NewLog(events); err != nil {
		t.Error(err)
	}
	c := &testConversation{t: t}
	c.w, err = s.OpenWriter(t.Context(), idA)
	must(t, err)
	must(t, c.log.Commit(events))
	c.add(reply("work goes on"))
	findings := checkStore(t, s)
	if len(findings) != 1 || findings[0].ID != idA {
		t.Fatalf("findings %+v, want one of this conversation", findings)
	}
	held, err := s.Repair(t.Context(), findings)
	if err != nil || held[0].Repaired || !strings.Contains(held[0].Note, "is open in") {
		t.Errorf("repair of an open conversation: %+v, want refused; error %v", held, err)
	}
	c.close()
	mustRepair(t, s, findings)
	after, report, err := s.Load(t.Context(), idA)
	if err != nil || len(report.Damaged) > 0 || len(after) != len(said)+1 {
		t.Errorf("after the repair: %d events, %v, %v", len(after), report, err)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Errorf("the damaged file is not kept: %v", err)
	}
}

func TestDamagedTextIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	s, path, said := storedConversation(t)
	name := said[3].Body.(conversation.ToolResult).Blob
	data, err := os.ReadFile(path)
	must(t, err)
	for at := range data { // damage every copy: the repair would use an undamaged one
		if v, ok := bytes.CutPrefix(data[at:], []byte(name)); ok && (v[0] == 'r' || v[0] == 'z') {
			v[1] ^= 0x55
		}
	}
	must(t, os.WriteFile(path, data, 0o600))
	_, err = s.Blob(t.Context(), idA, name)
	wantError(t, err, storage.ErrDamaged)
	out, err := s.Repair(t.Context(), onlyFinding(t, s))
	if err != nil || !out[0].Repaired || out[0].Note == "" {
		t.Fatalf("findings %+v, want the first repaired; error %v", out, err)
	}
	if left := checkStore(t, s); len(left) != 1 || !isMissingText(left[0]) { // its text is lost
		t.Errorf("findings after the repair: %+v, want one missing text", left)
	}
	_, err = s.Blob(t.Context(), idA, name)
	wantError(t, err, storage.ErrNotFound)
	events, _, err := s.Load(t.Context(), idA)
	if diff := cmp.Diff(said, events); err != nil || diff != "" {
		t.Errorf("%v, events (-said +repaired):\n%s", err, diff)
	}
	if text, err := s.Blob(t.Context(), idA, said[6].Body.(conversation.ToolResult).Blob); err != nil || text == "" {
		t.Errorf("the intact text cannot be read: %v", err)
	}
}

// A file that lost its events may still hold them in pages that are no longer referenced.
func TestConversationWithoutEventsIsSalvaged(t *testing.T) {
	t.Parallel()
	s, path, said := storedConversation(t)
	editFile(t, path, func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket([]byte("events")); err != nil {
			return err
		}
		_, err := tx.CreateBucket([]byte("events"))
		return err
	})
	mustRepair(t, s, onlyFinding(t, s))
	events, _, err := s.Load(t.Context(), idA)
	if diff := cmp.Diff(said, events); err != nil || diff != "" {
		t.Errorf("%v, events (-said +repaired):\n%s", err, diff)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Errorf("the damaged file is not kept: %v", err)
	}
}

func TestWrongIndexIsFoundAndRepaired(t *testing.T) {
	t.Parallel()
	s, _, _ := storedConversation(t)
	before := list(t, s, storage.Filter{})
	editFile(t, filepath.Join(s.Dir(), "index.db"), func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("entries"))
		wrong := strings.Replace(string(storage.StripSeal(b.Get([]byte(idA)))), `"turns":61`, `"turns":62`, 1)
		return b.Put([]byte(idA), storage.Seal("entries", []byte(idA), wrong))
	})
	mustRepair(t, s, onlyFinding(t, s))
	if diff := cmp.Diff(before, list(t, s, storage.Filter{})); diff != "" {
		t.Errorf("list (-before +repaired):\n%s", diff)
	}
}

func TestDamagedSharedFileIsRepaired(t *testing.T) {
	t.Parallel()
	s, _, _ := storedConversation(t)
	must(t, s.AddHistory(t.Context(), "/w", "one"))
	must(t, s.AddHistory(t.Context(), "/w", "two"))
	must(t, s.SaveCalibration(t.Context(), "e m", conversation.Calibration{Factor: 2}))
	editFile(t, filepath.Join(s.Dir(), "shared.db"), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("history")).Put(eventKey(1), []byte("{"))
	})
	mustRepair(t, s, checkStore(t, s))
	must(t, s.AddHistory(t.Context(), "/w", "three"))
	h, err := s.History(t.Context(), "/w", 0)
	if diff := cmp.Diff([]string{"two", "three"}, h); err != nil || diff != "" {
		t.Errorf("%v, history (-want +got):\n%s", err, diff)
	}
	if c, ok, err := s.Calibration(t.Context(), "e m"); !ok || err != nil || c.Factor != 2 {
		t.Errorf("calibration: %+v, %v, %v", c, ok, err)
	}
}

// A draft that a killed program left is not reported. A check removes it, unless another program
// holds the directory lock and may be writing it.
func TestAbandonedDraftsAreRemoved(t *testing.T) {
	t.Parallel()
	s, path, _ := storedConversation(t)
	quick := reopenStore(t, s.Dir(), storage.Options{Wait: 20 * time.Millisecond})
	drafts := []string{path + ".new", filepath.Join(s.Dir(), "index.db.new")}
	for _, d := range drafts {
		must(t, os.WriteFile(d, []byte("draft"), 0o600))
	}
	stopped := startHolder(t, "stop", s.Dir(), filepath.Join(s.Dir(), "gate"))
	checkStore(t, quick)
	for _, d := range drafts {
		if _, err := os.Stat(d); err != nil {
			t.Errorf("the draft of a live program is gone: %v", err)
		}
	}
	stopped.kill()
	if findings := checkStore(t, s); len(findings) > 0 {
		t.Errorf("findings %+v, want none", findings)
	}
	for _, d := range drafts {
		if _, err := os.Stat(d); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the abandoned draft %s is not removed: %v", d, err)
		}
	}
}

// damageRandomly overwrites or truncates a file in a random way, as broken disks and copies do.
func damageRandomly(r *rand.Rand, data []byte) []byte {
	switch r.IntN(4) {
	case 0: // cut
		return data[:r.IntN(len(data))]
	case 1: // a page of zeros
		at := r.IntN(len(data)/4096) * 4096
		clear(data[at : at+4096])
	case 2: // rubbish
		at := r.IntN(len(data) - 512)
		for i := range 512 {
			data[at+i] = byte(r.Uint32())
		}
	case 3: // bits in the head of a page
		at := r.IntN(len(data)/4096) * 4096
		for range 1 + r.IntN(8) {
			data[at+r.IntN(64)] ^= 1 << r.IntN(8)
		}
	}
	return data
}

// With any damage to a file, no call panics or hangs, every difference from the stored
// content is reported, and a repair removes all findings but those of lost
// texts.
func TestAnyDamageIsAnErrorAndCanBeRepaired(t *testing.T) {
	t.Parallel()
	s, path, said := storedConversation(t)
	sound, err := os.ReadFile(path)
	must(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 14 {
		must(t, os.WriteFile(path, damageRandomly(r, bytes.Clone(sound)), 0o600))
		if _, _, err := s.Load(t.Context(), idA); err != nil && !errors.Is(err, storage.ErrDamaged) {
			t.Fatalf("round %d: loading: %v, want damaged", round, err)
		}
		w, err := s.OpenWriter(t.Context(), idA)
		if err == nil {
			_ = w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(len(said)), Text: "x"}) // may fail, not panic
			must(t, w.Close())
		} else if !errors.Is(err, storage.ErrDamaged) {
			t.Fatalf("round %d: %v", round, err)
		}
		list(t, s, storage.Filter{})
		findings := checkStore(t, s)
		out, err := s.Repair(t.Context(), findings)
		must(t, err)
		for _, f := range out {
			if !f.Repaired && !isMissingText(f) {
				t.Errorf("round %d: the finding is not repaired: %+v", round, f)
			}
		}
		if left := slices.DeleteFunc(checkStore(t, s), isMissingText); len(left) > 0 {
			t.Fatalf("round %d: %+v\nafter the repair: %+v", round, out, left)
		}
		if _, err := os.Stat(path); err == nil {
			checkFile(t, path)
		}
		damaged, err := filepath.Glob(path + ".damaged*")
		must(t, err)
		for _, d := range damaged {
			must(t, os.Remove(d))
		}
	}
}
