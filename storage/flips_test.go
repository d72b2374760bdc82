package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// flipsVariable is how many bits TestFlippedBits flips, in place of its default.
const flipsVariable = "PLIMSOLL_STORAGE_FLIPS"

// all is everything that a conversation holds for its reader.
type all struct {
	Events  []conversation.Event
	Texts   map[string]string
	Partial conversation.PartialReply
	Waiting []string
}

// readAll reads everything. Told says that something was noticed.
func readAll(t testing.TB, s *storage.Store, names []string) (a all, told bool) {
	ctx := t.Context()
	events, report, err := s.Load(ctx, idA)
	a.Events, a.Texts = events, map[string]string{}
	set := slices.ContainsFunc(report.Notices, func(n string) bool { return strings.Contains(n, "corrected") })
	told = err != nil || len(report.Damaged) > 0 || len(report.Notices) > 0 && !set
	if err != nil && !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNewer) {
		t.Errorf("loading: %v", err)
	}
	for _, name := range names {
		text, err := s.Blob(ctx, idA, name)
		a.Texts[name] = text
		told = told || err != nil
	}
	var err2 error
	a.Partial, _, err = s.Partial(ctx, idA)
	a.Waiting, err2 = s.Waiting(ctx, idA)
	return a, told || errors.Join(err, err2) != nil
}

// subject is a stored conversation of which every part is used: events of several
// pages, texts, a reply that had begun, messages that wait.
func subject(t testing.TB) (data []byte, names []string, is all) {
	s := reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	for i := range 24 {
		text := ""
		for n := range 1 + i%7*3 {
			text += fmt.Sprintf("reply %d, line %d\n", i, n*i)
		}
		if i%8 == 0 {
			name, err := c.w.PutBlob(t.Context(), text+text)
			must(t, err)
			names = append(names, name)
			c.say(conversation.ToolResult{CallID: "x", Text: text, Blob: name, Status: conversation.ResultOK})
		}
		c.say(reply(text), conversation.UserMessage{Text: text})
	}
	must(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(c.log.Len()), Text: "the reply began"}))
	must(t, c.w.KeepWaiting(t.Context(), []string{"wait", "for me"}))
	c.close()
	data, err := os.ReadFile(filepath.Join(s.Dir(), "conversations", idA+".db"))
	must(t, err)
	is, told := readAll(t, s, names)
	if told || len(is.Texts) != 3 || is.Partial.Text == "" || len(is.Waiting) != 2 {
		t.Fatalf("the subject is not sound: %+v", is)
	}
	return data, names, is
}

// fate is what became of a flipped bit.
type fate string

const (
	harmless  fate = "harmless"                // nothing that is read differs, and no check finds anything
	putRight  fate = "put right while reading" // nothing that is read differs, and a check tells of it
	recovered fate = "noticed and repaired"    // a notice appeared, and after a repair nothing differs
	noticed   fate = "noticed, a part is lost" // a notice appeared
	unnoticed fate = "noticed only by a check" // what is read differs, and only a check tells
	silent    fate = "silently something else" // what is read differs, and nothing tells
)

// flipper tries bits of a stored conversation.
type flipper struct {
	t     testing.TB
	s     *storage.Store
	sound []byte
	names []string
	is    all
}

// try flips a bit and says what became of it. Thorough means that the file is repaired
// and written to, whatever became of it.
func (f *flipper) try(bit int, thorough bool) fate {
	data := bytes.Clone(f.sound)
	data[bit/8] ^= 1 << (bit % 8)
	path := filepath.Join(f.s.Dir(), "conversations", idA+".db")
	must(f.t, os.WriteFile(path, data, 0o600))
	f.s.Forget(idA)
	findings, err := f.s.Check(f.t.Context(), nil)
	must(f.t, err)
	got, told := readAll(f.t, f.s, f.names)
	same, found := reflect.DeepEqual(f.is, got), len(findings) > 0
	switch {
	case !same && !told && found:
		return unnoticed
	case !same && !told:
		return silent
	}
	became := noticed
	if same && !told {
		became = harmless
		if found {
			became = putRight
		}
	}
	if (became != noticed && !thorough) || !f.repair(findings) {
		return became
	}
	f.goesOn()
	if became == noticed {
		return recovered
	}
	return became
}

// repair repairs findings, and reports whether nothing is lost.
func (f *flipper) repair(findings []storage.Finding) bool {
	out, err := f.s.Repair(f.t.Context(), findings)
	must(f.t, err)
	for _, o := range out {
		if o.Repairable && !o.Repaired {
			f.t.Errorf("not repaired: %+v", o)
		}
	}
	after, _ := readAll(f.t, f.s, f.names)
	if !reflect.DeepEqual(f.is.Events, after.Events) {
		f.t.Errorf("an event is lost: %+v", findings) // a text or a partial reply may be, no event
	}
	aside, err := filepath.Glob(filepath.Join(f.s.Dir(), "conversations", "*.damaged*"))
	must(f.t, err)
	for _, a := range aside {
		must(f.t, os.Remove(a))
	}
	return reflect.DeepEqual(f.is, after)
}

// goesOn appends to a conversation that is said to be sound, and looks for all of it.
func (f *flipper) goesOn() {
	ctx := f.t.Context()
	w, err := f.s.OpenWriter(ctx, idA)
	must(f.t, err)
	log, err := conversation.NewLog(f.is.Events)
	must(f.t, err)
	more := log.Prepare(start, reply("work goes on"))
	must(f.t, w.Append(ctx, more))
	must(f.t, w.Close())
	events, report, err := f.s.Load(ctx, idA)
	want := append(f.is.Events[:len(f.is.Events):len(f.is.Events)], more...)
	if !reflect.DeepEqual(want, events) || err != nil || len(report.Damaged) > 0 {
		f.t.Errorf("after an append: %v %v\n%s", err, report, cmp.Diff(want, events))
	}
	if left, err := f.s.Check(ctx, nil); err != nil || len(left) > 0 {
		f.t.Errorf("after an append: %v, %v", left, err)
	}
	f.unlist()
}

// unlist makes the list forget how many events there are: the next file has fewer.
func (f *flipper) unlist() { must(f.t, os.RemoveAll(filepath.Join(f.s.Dir(), "index.db"))) }

// Whichever bit of a stored conversation flips: what is read is what was stored, or it
// is told, and so is what a check finds. No event is lost.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	flips := 120
	if text := os.Getenv(flipsVariable); text != "" {
		var err error
		flips, err = strconv.Atoi(text)
		must(t, err)
	}
	sound, names, is := subject(t)
	r := rand.New(rand.NewPCG(7, uint64(flips)))
	bits := make(chan int, flips)
	for range flips {
		bits <- r.IntN(len(sound) * 8)
	}
	close(bits)
	if at := bytes.Index(sound, []byte("partial{")); at >= 0 {
		f := &flipper{t, reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{}), sound, names, is}
		if became := f.try(at*8+1, false); became == silent || became == unnoticed { // the name of a value
			t.Errorf("a bit of a name: %s", became)
		}
	}
	var mu sync.Mutex
	count := map[fate]int{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		f := &flipper{t, reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{}), sound, names, is}
		workers.Go(func() {
			for bit := range bits {
				became := f.try(bit, bit%17 == 0)
				if became == silent || became == unnoticed || t.Failed() {
					t.Errorf("bit %d of byte %d: %s", bit%8, bit/8, became)
					return
				}
				mu.Lock()
				count[became]++
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("%d bytes, %d bits: %v", len(sound), flips, count)
	if !t.Failed() && (count[harmless] == 0 || count[putRight] == 0 || count[recovered] == 0) {
		t.Errorf("the bits were not spread: %v", count)
	}
}
