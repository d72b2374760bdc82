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

// These tests make the files that a loss of power could leave. A commit writes in three
// steps: pages that nothing leads to yet, the head of the transaction, the spare. The
// first two are each on disk before the next begins. Of a step that was not, any sector
// may be there or not.

const sector = 512

// outage is a commit that the power may fail in.
type outage struct {
	before, after []byte
	was, is       all
}

// torn returns from with those sectors of to that keep chooses.
func torn(from, to []byte, keep func(at int) bool) []byte {
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

// states are files that may be found after the power failed. Done says that the commit
// has to be in it, open that it may be.
func (o *outage) states(r *rand.Rand, found func(data []byte, done, open bool)) {
	page := os.Getpagesize()
	head := newestHead(o.after)
	inHead := func(at int) bool { return at >= head && at < head+page }
	spare := page - head + sector
	for range 2 {
		share := r.Float64()
		pages := torn(o.before, o.after, func(at int) bool { return at >= 2*page && r.Float64() < share })
		found(pages, false, false)
		clear(pages[head+sector : head+2*sector]) // nor was the last spare on disk
		found(pages, false, false)
	}
	written := torn(o.before, o.after, func(at int) bool { return at >= 2*page })
	found(bytes.Clone(written[:max(len(o.before), len(written))]), false, false)
	for _, which := range []int{0, 1} {
		found(torn(written, o.after, func(at int) bool { return inHead(at) && at%page/sector == which }), false, true)
	}
	committed := torn(written, o.after, inHead)
	found(bytes.Clone(committed), true, true)
	for _, n := range []int{3, 20, 60, 83} { // bytes of the spare
		copy(committed[spare:spare+n], o.after[spare:])
		found(bytes.Clone(committed), true, true)
	}
	found(bytes.Clone(o.after), true, true)
}

// blackout runs a commit and tries what may be left of it. The conversation may be of
// an older format before.
func (f *flipper) blackout(r *rand.Rand, commit func(w *storage.Writer, l *conversation.Log)) {
	path := filepath.Join(f.s.Dir(), "conversations", idA+".db")
	read := func() ([]byte, all) {
		data, err := os.ReadFile(path)
		must(f.t, err)
		a, told := readAll(f.t, f.s, f.names)
		if told {
			f.t.Fatal("it is damaged already")
		}
		return data, a
	}
	var o outage
	o.before, o.was = read()
	w, err := f.s.OpenWriter(f.t.Context(), idA)
	must(f.t, err)
	log, err := conversation.NewLog(o.was.Events)
	must(f.t, err)
	commit(w, log)
	must(f.t, w.Close())
	o.after, o.is = read()
	f.unlist()
	must(f.t, os.WriteFile(path, o.before, 0o600))
	f.s.Forget(idA)
	was, missing := readAll(f.t, f.s, f.names) // a text that is stored now was missing
	o.was = was
	if bytes.Equal(o.before, o.after) {
		f.t.Fatal("nothing was committed")
	}
	n := 0
	o.states(r, func(data []byte, done, open bool) {
		n++
		must(f.t, os.WriteFile(path, data, 0o600))
		f.s.Forget(idA)
		findings, err := f.s.Check(f.t.Context(), nil)
		got, told := readAll(f.t, f.s, f.names)
		was, is := reflect.DeepEqual(o.was, got), reflect.DeepEqual(o.is, got)
		if told != (was && missing) || err != nil || len(findings) > 0 || !(was && !done || is && open) {
			f.t.Errorf("state %d: done %v, read as before %v, as after %v, told %v, %v, %v\n%s", n, done, was, is, told, findings, err, cmp.Diff(o.is, got))
		}
		if f.is = got; n%5 == 0 {
			f.goesOn()
		}
	})
	must(f.t, os.WriteFile(path, o.after, 0o600))
	f.s.Forget(idA)
}

func TestLossOfPowerLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	f := &flipper{t: t, s: s}
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 3 {
		text := string(bytes.Repeat([]byte("ferry "), 1+i*i*i*2000))
		f.blackout(r, func(w *storage.Writer, l *conversation.Log) {
			must(t, w.Append(t.Context(), l.Prepare(start, reply(text), conversation.UserMessage{Text: text})))
		})
		f.blackout(r, func(w *storage.Writer, l *conversation.Log) {
			must(t, w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(l.Len()), Text: text}))
		})
		f.blackout(r, func(w *storage.Writer, _ *conversation.Log) {
			name, err := w.PutBlob(t.Context(), text)
			must(t, err)
			f.names = append(f.names[:i:i], name)
			must(t, w.KeepWaiting(t.Context(), nil))
		})
	}
}

func TestLossOfPowerWhileBringingForwardLosesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	names, _ := format1(t, dir)
	f := &flipper{t: t, s: reopenStore(t, dir, storage.Options{}), names: names}
	r := rand.New(rand.NewPCG(13, 14))
	f.blackout(r, func(w *storage.Writer, l *conversation.Log) {
		must(t, w.Append(t.Context(), l.Prepare(start, reply("By ferry."))))
	})
}
