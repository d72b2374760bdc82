package storage_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// newestHeaderOffset is the offset of the page with the newest header in a bbolt file.
func newestHeaderOffset(data []byte) int {
	size := int(binary.NativeEndian.Uint32(data[16+8:]))
	commit := func(at int) uint64 { return binary.NativeEndian.Uint64(data[at+16+48:]) }
	if commit(size) > commit(0) {
		return size
	}
	return 0
}

// Without the header copy, a file whose newest header is damaged would lose its
// newest transaction.
func TestDamagedNewestHeaderLosesNothing(t *testing.T) {
	t.Parallel()
	undamaged, names, stored := fullConversation(t)
	at := newestHeaderOffset(undamaged)
	for name, damage := range map[string]func(data []byte){
		"a bit":                 func(data []byte) { data[at+16+20] ^= 4 },
		"a bit of its number":   func(data []byte) { data[at+16+48] ^= 1 },
		"all of its page":       func(data []byte) { clear(data[at : at+os.Getpagesize()]) },
		"a bit, without a copy": func(data []byte) { clear(data[os.Getpagesize()-at:][512:1024]); data[at+16+40] ^= 1 },
		"a bit of its kind":     func(data []byte) { data[at+8] ^= 1 },
		"the other one":         func(data []byte) { data[os.Getpagesize()-at+20] ^= 1 },
		"all of the other page": func(data []byte) { clear(data[os.Getpagesize()-at:][:os.Getpagesize()]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t, storage.Options{})
			data := bytes.Clone(undamaged)
			damage(data)
			path := filepath.Join(s.Dir(), "conversations", idA+".db")
			must(t, os.WriteFile(path, data, 0o600))
			f := &damageTester{t, s, undamaged, names, stored}
			findings := checkStore(t, s)
			if untouched, err := os.ReadFile(path); err != nil || !bytes.Equal(data, untouched) {
				t.Errorf("a check has changed the file: %v", err)
			}
			got, noticed := readContent(t, s, names)
			if !reflect.DeepEqual(stored, got) {
				t.Errorf("%d events, %d were stored", len(got.Events), len(stored.Events))
			}
			if newest := bytes.Contains([]byte(name), []byte("bit")) || name == "all of its page"; newest && (!noticed || len(findings) != 1 || !findings[0].Repairable) {
				t.Errorf("damage noticed on reading: %v, findings %+v", noticed, findings)
			}
			if left := checkStore(t, s); len(left) > 0 && name != "all of the other page" {
				t.Errorf("findings after reading: %+v", left)
			}
			f.appendAndVerify()
		})
	}
}

// If it is unknown whether the damaged header was the newer one, loading returns a notice and a check reports
// the possible loss.
func TestPossiblyLostCommitIsReported(t *testing.T) {
	t.Parallel()
	sound, _, is := fullConversation(t)
	s := openStore(t, storage.Options{})
	data := bytes.Clone(sound)
	at := newestHeaderOffset(data)
	clear(data[at:][:os.Getpagesize()])
	clear(data[os.Getpagesize()-at:][512:1024])
	must(t, os.WriteFile(filepath.Join(s.Dir(), "conversations", idA+".db"), data, 0o600))
	if _, report, err := s.Load(t.Context(), idA); err != nil || len(report.Notices) != 1 {
		t.Errorf("loading: report %v, want one notice; error %v", report, err)
	}
	findings := checkStore(t, s)
	if len(findings) != 1 || !strings.Contains(findings[0].What, fmt.Sprintf("event %d", len(is.Events))) {
		t.Errorf("%d events were stored; findings: %+v", len(is.Events), findings)
	}
	mustRepair(t, s, findings)
}

// A read-only file with a damaged newest header is an error, and is not read without its newest
// transaction.
func TestDamagedNewestHeaderInReadOnlyFileIsAnError(t *testing.T) {
	t.Parallel()
	sound, _, _ := fullConversation(t)
	s := openStore(t, storage.WithReadOnlyConversations(storage.Options{}))
	data := bytes.Clone(sound)
	data[newestHeaderOffset(data)+16] ^= 1
	path := filepath.Join(s.Dir(), "conversations", idA+".db")
	must(t, os.WriteFile(path, data, 0o600))
	if events, _, err := s.Load(t.Context(), idA); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%d events, error %v, want no permission", len(events), err)
	}
	must(t, os.WriteFile(path, sound, 0o600))
	if _, report, err := s.Load(t.Context(), idA); err != nil || len(report.Notices) > 0 {
		t.Errorf("loading the undamaged file: report %v, error %v", report, err)
	}
}

// A damaged page loses only its own content, not texts or the partial reply.
// Reading does not need the list of free pages.
func TestDamagedPageLosesOnlyItsOwnContent(t *testing.T) {
	t.Parallel()
	sound, names, stored := fullConversation(t)
	number := func(at int) int { return int(binary.NativeEndian.Uint64(sound[newestHeaderOffset(sound)+16+at:])) }
	branch := 0
	for at := 2 * os.Getpagesize(); at < len(sound); at += os.Getpagesize() {
		if sound[at+8] == 1 {
			branch = at / os.Getpagesize() // the last one that was written
		}
	}
	for name, page := range map[string]int{"free pages": number(32), "ways to the events": branch} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if page == 0 {
				t.Fatal("the file has no page of this kind")
			}
			s := openStore(t, storage.Options{})
			data := bytes.Clone(sound)
			data[page*os.Getpagesize()+2] ^= 1
			must(t, os.WriteFile(filepath.Join(s.Dir(), "conversations", idA+".db"), data, 0o600))
			if got, noticed := readContent(t, s, names); name == "free pages" && (noticed || !reflect.DeepEqual(stored, got)) {
				t.Errorf("damaged free pages changed the content, or were noticed: %v", noticed)
			}
			mustRepair(t, s, checkStore(t, s))
			if got, noticed := readContent(t, s, names); noticed || !reflect.DeepEqual(stored, got) {
				t.Errorf("after a repair, noticed %v: %d events, %d texts, %q, %q", noticed, len(got.Events), len(got.Texts), got.Partial.Text, got.Waiting)
			}
		})
	}
}

// A value whose stored length exceeds the file is one damaged event. It takes no memory of that
// length, and all other events are read.
func TestValueLongerThanItsFileDamagesNoOther(t *testing.T) {
	t.Parallel()
	data, names, stored := fullConversation(t)
	for at := 2 * os.Getpagesize(); at < len(data); at += os.Getpagesize() {
		if data[at+8] != 2 {
			continue // no values
		}
		for i := range min(int(data[at+10]), 200) {
			e := at + 16 + 16*i
			key := e + int(binary.NativeEndian.Uint32(data[e+4:]))
			if key+8 <= len(data) && binary.NativeEndian.Uint32(data[e+8:]) == 8 && binary.BigEndian.Uint64(data[key:]) == 50 {
				binary.NativeEndian.PutUint32(data[e+12:], 1<<30)
			}
		}
	}
	s := openStore(t, storage.Options{})
	must(t, os.WriteFile(filepath.Join(s.Dir(), "conversations", idA+".db"), data, 0o600))
	events, report, err := s.Load(t.Context(), idA)
	if err != nil || len(events) != len(stored.Events) || len(report.Damaged) != 1 || report.Damaged[0].Seq != 50 {
		t.Errorf("%d events, damaged %v, want event 50 alone; error %v", len(events), report.Damaged, err)
	}
	mustRepair(t, s, checkStore(t, s))
	if got, noticed := readContent(t, s, names); noticed || !reflect.DeepEqual(stored, got) {
		t.Errorf("after a repair, noticed %v: %d events, %d texts", noticed, len(got.Events), len(got.Texts))
	}
}

// A flipped bit can turn the key of the first event into 0; the event is read all the same.
func TestFirstEventWithDamagedKeyIsRead(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	must(t, s.UpdateConversation(idA, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("events"))
		k, v := b.Cursor().First()
		value := bytes.Clone(v)
		return errors.Join(b.Delete(k), b.Put(make([]byte, 8), value))
	}))
	events, report, err := s.Load(t.Context(), idA)
	if err != nil || len(events) != 1 || events[0].Body.Kind() != conversation.KindUser || len(report.Damaged) > 0 {
		t.Errorf("events %v, want one of the user; report %v, error %v", events, report, err)
	}
}
