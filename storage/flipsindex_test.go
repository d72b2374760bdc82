package storage_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// After any flipped bit in the index, the list is right, and the index is repaired.
func TestFlippedBitsOfTheIndex(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	for i := range 12 {
		begin(t, s, fmt.Sprintf("aaaabbbbccc%c", 'a'+i), "/w", "hello").close()
	}
	path := filepath.Join(s.Dir(), "index.db")
	is := list(t, s, storage.Filter{})
	sound, err := os.ReadFile(path)
	must(t, err)
	page := os.Getpagesize()
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		bit := r.IntN(len(sound) * 8)
		if r.IntN(2) == 0 { // the beginnings of pages, which hold the references to others
			bit = (r.IntN(len(sound)/page)*page + r.IntN(100)) * 8
		}
		data := bytes.Clone(sound)
		data[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(path, data, 0o600))
		s := reopenStore(t, s.Dir(), storage.Options{})
		if got := list(t, s, storage.Filter{}); !reflect.DeepEqual(is, got) {
			t.Errorf("bit %d of byte %d: the list of %d conversations differs", bit%8, bit/8, len(got))
		}
		must(t, s.Refresh(t.Context(), is[0].ID))
		if got := list(t, s, storage.Filter{}); !reflect.DeepEqual(is, got) {
			t.Errorf("bit %d of byte %d: after a write the list of %d conversations differs", bit%8, bit/8, len(got))
		}
	}
}

// Storing a text again replaces a damaged copy of it.
func TestDamagedTextIsStoredAgain(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	text := "the ferry leaves at noon"
	name, err := c.w.PutBlob(t.Context(), text)
	must(t, err)
	c.close()
	must(t, s.UpdateConversation(idA, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("blobs")).Put([]byte(name), []byte("rubbish"))
	}))
	if _, err := s.Blob(t.Context(), idA, name); err == nil {
		t.Fatal("the damaged text can be read")
	}
	c = reopen(t, s, idA)
	defer c.close()
	_, err = c.w.PutBlob(t.Context(), text)
	must(t, err)
	if got, err := s.Blob(t.Context(), idA, name); got != text || err != nil {
		t.Errorf("the text stored again is %q, error %v", got, err)
	}
	c.add(conversation.UserMessage{Text: "on"})
}
