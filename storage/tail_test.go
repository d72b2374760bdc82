package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// newTail opens a conversation of one message for writing in another store, and returns a tail that begins
// after that message.
func newTail(t *testing.T) (*storage.Store, *testConversation, *storage.Tail) {
	t.Helper()
	s := openStore(t, storage.Options{Wait: 20 * time.Millisecond})
	c := begin(t, reopenStore(t, s.Dir(), storage.Options{}), idA, "/w", "hello")
	return s, c, s.Tail(idA, c.log.Events()[0])
}

func TestTailReadsEventsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	_, c, tail := newTail(t)
	for n, bodies := range [][]conversation.Body{
		nil, {reply("hi")}, nil, {conversation.UserMessage{Text: "and?"}, reply("so")},
	} {
		known := c.log.Len()
		if len(bodies) > 0 {
			c.add(bodies...)
		}
		events, err := tail.Next(t.Context())
		if diff := cmp.Diff(c.log.Events()[known:], events, cmp.Transformer("none", func(e []conversation.Event) []conversation.Event {
			return append([]conversation.Event{}, e...)
		})); err != nil || diff != "" {
			t.Errorf("step %d: error %v, events (-want +got):\n%s", n, err, diff)
		}
	}
	must(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(c.log.Len()), Text: "half a"}))
	if events, err := tail.Next(t.Context()); err != nil || len(events) > 0 {
		t.Errorf("events of a reply that is still arriving: %v, error %v", events, err)
	}
	if half := tail.Partial(); half.Text != "half a" {
		t.Errorf("the partial reply is %+v", half)
	}
	c.add(reply("half a reply"))
	if events, err := tail.Next(t.Context()); err != nil || len(events) != 1 {
		t.Errorf("events after the reply arrived: %v, want one; error %v", events, err)
	}
	if half := tail.Partial(); half.After != 0 {
		t.Errorf("there is still a partial reply: %+v", half)
	}
}

// Next opens a file only if it has changed, and tries again after ErrBusy.
func TestTailOpensAFileOnlyWhenItChanged(t *testing.T) {
	t.Parallel()
	s, c, tail := newTail(t)
	path := filepath.Join(s.Dir(), "conversations", idA+".db")
	past := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(path, past, past))
	if _, err := tail.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer busy.Close()
	must(t, unix.Flock(int(busy.Fd()), unix.LOCK_EX))
	if events, err := tail.Next(t.Context()); err != nil || len(events) > 0 {
		t.Errorf("events of an unchanged file: %v, error %v", events, err)
	}
	must(t, unix.Flock(int(busy.Fd()), unix.LOCK_UN))
	c.add(reply("hi"))
	must(t, unix.Flock(int(busy.Fd()), unix.LOCK_EX))
	_, err = tail.Next(t.Context())
	wantError(t, err, storage.ErrBusy)
	must(t, unix.Flock(int(busy.Fd()), unix.LOCK_UN))
	events, err := tail.Next(t.Context())
	for errors.Is(err, storage.ErrBusy) { // until the wait that was given up has given the lock back
		events, err = tail.Next(t.Context())
	}
	if err != nil || len(events) != 1 {
		t.Errorf("events after the lock was released: %v, want one; error %v", events, err)
	}
}

func TestTailReplacesDamagedEvents(t *testing.T) {
	t.Parallel()
	s, c, tail := newTail(t)
	c.add(reply("one"), conversation.UserMessage{Text: "and?"})
	if _, err := tail.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.add(reply("two"), reply("three"), reply("four"))
	must(t, s.UpdateConversation(idA, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("events")).Delete([]byte{0, 0, 0, 0, 0, 0, 0, 4})
	}))
	events, err := tail.Next(t.Context())
	if err != nil || len(events) != 3 {
		t.Fatalf("events %v, want 3; error %v", events, err)
	}
	whole, _, err := s.Load(t.Context(), idA)
	if diff := cmp.Diff(whole[3:], events); err != nil || diff != "" {
		t.Errorf("error %v, events (-load +tail):\n%s", err, diff)
	}
}
