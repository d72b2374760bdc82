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

// content is all that can be read of a conversation.
type content struct {
	Events  []conversation.Event
	Texts   map[string]string
	Partial conversation.PartialReply
	Waiting []string
}

// readContent reads a conversation. noticed reports that an error or a notice was returned.
func readContent(t testing.TB, s *storage.Store, names []string) (a content, noticed bool) {
	ctx := t.Context()
	events, report, err := s.Load(ctx, idA)
	a.Events, a.Texts = events, map[string]string{}
	set := slices.ContainsFunc(report.Notices, func(n string) bool { return strings.Contains(n, "corrected") })
	noticed = err != nil || len(report.Damaged) > 0 || len(report.Notices) > 0 && !set
	if err != nil && !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNewer) {
		t.Errorf("loading: %v", err)
	}
	for _, name := range names {
		text, err := s.Blob(ctx, idA, name)
		a.Texts[name] = text
		noticed = noticed || err != nil
	}
	var err2 error
	a.Partial, _, err = s.Partial(ctx, idA)
	a.Waiting, err2 = s.Waiting(ctx, idA)
	return a, noticed || errors.Join(err, err2) != nil
}

// fullConversation returns the file of a conversation that has every kind of content: events on several
// pages, texts, a partial reply, waiting messages.
func fullConversation(t testing.TB) (data []byte, names []string, stored content) {
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
			c.add(conversation.ToolResult{CallID: "x", Text: text, Blob: name, Status: conversation.ResultOK})
		}
		c.add(reply(text), conversation.UserMessage{Text: text})
	}
	must(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(c.log.Len()), Text: "the reply began"}))
	must(t, c.w.KeepWaiting(t.Context(), []string{"wait", "for me"}))
	c.close()
	data, err := os.ReadFile(filepath.Join(s.Dir(), "conversations", idA+".db"))
	must(t, err)
	stored, noticed := readContent(t, s, names)
	if noticed || len(stored.Texts) != 3 || stored.Partial.Text == "" || len(stored.Waiting) != 2 {
		t.Fatalf("the test's conversation is incomplete: %+v", stored)
	}
	return data, names, stored
}

// outcome is the effect of damage on reading and checking.
type outcome string

const (
	noEffect         outcome = "harmless"                // all content is read, and a check has no finding
	correctedOnRead  outcome = "put right while reading" // all content is read, and a check reports the damage
	fullyRepaired    outcome = "noticed and repaired"    // reading reports the damage, and after a repair all content is read
	partlyLost       outcome = "noticed, a part is lost" // reading reports the damage
	onlyFoundByCheck outcome = "noticed only by a check" // the content differs, and only a check reports it
	undetected       outcome = "silently something else" // the content differs, and nothing reports it
)

// damageTester damages the file of a stored conversation and checks the effect.
type damageTester struct {
	t         testing.TB
	s         *storage.Store
	undamaged []byte
	names     []string
	stored    content
}

// flipBit flips a bit and returns the outcome. With thorough it repairs the file
// and appends to it, whatever the outcome.
func (f *damageTester) flipBit(bit int, thorough bool) outcome {
	data := bytes.Clone(f.undamaged)
	data[bit/8] ^= 1 << (bit % 8)
	path := filepath.Join(f.s.Dir(), "conversations", idA+".db")
	must(f.t, os.WriteFile(path, data, 0o600))
	f.s.ForgetFile(idA)
	findings, err := f.s.Check(f.t.Context(), nil)
	must(f.t, err)
	got, noticed := readContent(f.t, f.s, f.names)
	same, found := reflect.DeepEqual(f.stored, got), len(findings) > 0
	switch {
	case !same && !noticed && found:
		return onlyFoundByCheck
	case !same && !noticed:
		return undetected
	}
	result := partlyLost
	if same && !noticed {
		result = noEffect
		if found {
			result = correctedOnRead
		}
	}
	if (result != partlyLost && !thorough) || !f.repairFile(findings) {
		return result
	}
	f.appendAndVerify()
	if result == partlyLost {
		return fullyRepaired
	}
	return result
}

// repairFile repairs findings, and reports whether all content can be read then.
func (f *damageTester) repairFile(findings []storage.Finding) bool {
	out, err := f.s.Repair(f.t.Context(), findings)
	must(f.t, err)
	for _, o := range out {
		if o.Repairable && !o.Repaired {
			f.t.Errorf("the finding is repairable, but not repaired: %+v", o)
		}
	}
	after, _ := readContent(f.t, f.s, f.names)
	if !reflect.DeepEqual(f.stored.Events, after.Events) {
		f.t.Errorf("an event is lost: %+v", findings) // unlike texts and partial replies, no event may be lost
	}
	copies, err := filepath.Glob(filepath.Join(f.s.Dir(), "conversations", "*.damaged*"))
	must(f.t, err)
	for _, a := range copies {
		must(f.t, os.Remove(a))
	}
	return reflect.DeepEqual(f.stored, after)
}

// appendAndVerify appends to an undamaged conversation, and checks that all events are read.
func (f *damageTester) appendAndVerify() {
	ctx := f.t.Context()
	w, err := f.s.OpenWriter(ctx, idA)
	must(f.t, err)
	log, err := conversation.NewLog(f.stored.Events)
	must(f.t, err)
	more := log.Prepare(start, reply("work goes on"))
	must(f.t, w.Append(ctx, more))
	must(f.t, w.Close())
	events, report, err := f.s.Load(ctx, idA)
	want := append(f.stored.Events[:len(f.stored.Events):len(f.stored.Events)], more...)
	if !reflect.DeepEqual(want, events) || err != nil || len(report.Damaged) > 0 {
		f.t.Errorf("after an append: %v %v\n%s", err, report, cmp.Diff(want, events))
	}
	if left, err := f.s.Check(ctx, nil); err != nil || len(left) > 0 {
		f.t.Errorf("findings after an append: %v, error %v", left, err)
	}
	f.removeIndex()
}

// removeIndex removes the index, so that it does not report that the next file has fewer events.
func (f *damageTester) removeIndex() { must(f.t, os.RemoveAll(filepath.Join(f.s.Dir(), "index.db"))) }

// After any flipped bit, reading returns the stored content or reports the damage, and a check
// agrees with that. No event is lost.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	flips := 60
	if text := os.Getenv(flipsVariable); text != "" {
		var err error
		flips, err = strconv.Atoi(text)
		must(t, err)
	}
	undamaged, names, stored := fullConversation(t)
	r := rand.New(rand.NewPCG(7, uint64(flips)))
	bits := make(chan int, flips)
	for range flips {
		bits <- r.IntN(len(undamaged) * 8)
	}
	close(bits)
	if at := bytes.Index(undamaged, []byte("partial{")); at >= 0 {
		f := &damageTester{t, reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{}), undamaged, names, stored}
		if result := f.flipBit(at*8+1, false); result == undetected || result == onlyFoundByCheck { // the name of a value
			t.Errorf("a flipped bit of a key: %s", result)
		}
	}
	var mu sync.Mutex
	count := map[outcome]int{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		f := &damageTester{t, reopenStore(t, filepath.Join(t.TempDir(), "data"), storage.Options{}), undamaged, names, stored}
		workers.Go(func() {
			for bit := range bits {
				result := f.flipBit(bit, bit%17 == 0)
				if result == undetected || result == onlyFoundByCheck || t.Failed() {
					t.Errorf("bit %d of byte %d: %s", bit%8, bit/8, result)
					return
				}
				mu.Lock()
				count[result]++
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("%d bytes, %d bits: %v", len(undamaged), flips, count)
	if !t.Failed() && (count[noEffect] == 0 || count[correctedOnRead] == 0 || count[fullyRepaired] == 0) {
		t.Errorf("some outcome was never met: %v", count)
	}
}
