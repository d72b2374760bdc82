package storage_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// These tests build the files that a loss of power could leave. A commit writes in three
// steps: pages that are not referenced yet, the header, the copy of the header. The
// first two are each synced before the next begins. If a step was not synced, any of its
// sectors may be missing.

const sector = 512

// powerLoss is a commit during which the power fails.
type powerLoss struct {
	before, after               []byte
	contentBefore, contentAfter content
}

func mixSectors(from, to []byte, keep func(at int) bool) []byte {
	out := bytes.Clone(from)
	if len(out) < len(to) {
		out = append(out, make([]byte, len(to)-len(out))...)
	}
	for at := 0; at < len(to); at += sector {
		if keep(at) {
			copy(out[at:at+sector], to[at:at+sector])
		}
	}
	return out
}

// eachState calls found with files that a loss of power may leave. done means that the file must contain the
// commit, open that it may.
func (o *powerLoss) eachState(r *rand.Rand, found func(data []byte, done, open bool)) {
	page := os.Getpagesize()
	head := newestHeaderOffset(o.after)
	inHead := func(at int) bool { return at >= head && at < head+page }
	spare := page - head + sector
	for range 2 {
		share := r.Float64()
		pages := mixSectors(o.before, o.after, func(at int) bool { return at >= 2*page && r.Float64() < share })
		found(pages, false, false)
		clear(pages[head+sector : head+2*sector]) // the header copy of the commit before is missing, too
		found(pages, false, false)
	}
	written := mixSectors(o.before, o.after, func(at int) bool { return at >= 2*page })
	found(bytes.Clone(written[:max(len(o.before), len(written))]), false, false)
	for _, which := range []int{0, 1} {
		found(mixSectors(written, o.after, func(at int) bool { return inHead(at) && at%page/sector == which }), false, true)
	}
	committed := mixSectors(written, o.after, inHead)
	found(bytes.Clone(committed), true, true)
	for _, n := range []int{3, 20, 60, 83} { // bytes of the header copy
		copy(committed[spare:spare+n], o.after[spare:])
		found(bytes.Clone(committed), true, true)
	}
	found(bytes.Clone(o.after), true, true)
}

// testPowerLoss runs a commit, and reads and checks each file that a loss of power may leave. The conversation may have
// an older format before.
func (f *damageTester) testPowerLoss(r *rand.Rand, commit func(w *storage.Writer, l *conversation.Log)) {
	path := filepath.Join(f.s.Dir(), "conversations", idA+".db")
	read := func() ([]byte, content) {
		data, err := os.ReadFile(path)
		must(f.t, err)
		a, noticed := readContent(f.t, f.s, f.names)
		if noticed {
			f.t.Fatal("the file is damaged before the power loss")
		}
		return data, a
	}
	var o powerLoss
	o.before, o.contentBefore = read()
	w, err := f.s.OpenWriter(f.t.Context(), idA)
	must(f.t, err)
	log, err := conversation.NewLog(o.contentBefore.Events)
	must(f.t, err)
	commit(w, log)
	must(f.t, w.Close())
	o.after, o.contentAfter = read()
	f.removeIndex()
	must(f.t, os.WriteFile(path, o.before, 0o600))
	f.s.ForgetFile(idA)
	was, missing := readContent(f.t, f.s, f.names) // a text of f.names may be missing before the commit
	o.contentBefore = was
	if bytes.Equal(o.before, o.after) {
		f.t.Fatal("the operation did not change the file")
	}
	n := 0
	o.eachState(r, func(data []byte, done, open bool) {
		n++
		must(f.t, os.WriteFile(path, data, 0o600))
		f.s.ForgetFile(idA)
		findings, err := f.s.Check(f.t.Context(), nil)
		got, noticed := readContent(f.t, f.s, f.names)
		was, is := reflect.DeepEqual(o.contentBefore, got), reflect.DeepEqual(o.contentAfter, got)
		if noticed != (was && missing) || err != nil || len(findings) > 0 || !(was && !done || is && open) {
			f.t.Errorf("state %d: done %v, equal to before %v, to after %v, noticed %v, %v, %v\n%s", n, done, was, is, noticed, findings, err, cmp.Diff(o.contentAfter, got))
		}
		if f.stored = got; n%5 == 0 {
			f.appendAndVerify()
		}
	})
	must(f.t, os.WriteFile(path, o.after, 0o600))
	f.s.ForgetFile(idA)
}

func TestPowerLossLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	f := &damageTester{t: t, s: s}
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 3 {
		text := string(bytes.Repeat([]byte("ferry "), 1+i*i*i*700))
		f.testPowerLoss(r, func(w *storage.Writer, l *conversation.Log) {
			must(t, w.Append(t.Context(), l.Prepare(start, reply(text), conversation.UserMessage{Text: text})))
		})
		f.testPowerLoss(r, func(w *storage.Writer, l *conversation.Log) {
			must(t, w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(l.Len()), Text: text}))
		})
		f.testPowerLoss(r, func(w *storage.Writer, _ *conversation.Log) {
			name, err := w.PutBlob(t.Context(), text)
			must(t, err)
			f.names = append(f.names[:i:i], name)
			must(t, w.KeepWaiting(t.Context(), nil))
		})
	}
}

func TestPowerLossDuringMigrationLosesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	names, _ := writeFormat1(t, dir)
	f := &damageTester{t: t, s: reopenStore(t, dir, storage.Options{}), names: names}
	r := rand.New(rand.NewPCG(13, 14))
	f.testPowerLoss(r, func(w *storage.Writer, l *conversation.Log) {
		must(t, w.Append(t.Context(), l.Prepare(start, reply("By ferry."))))
	})
}
