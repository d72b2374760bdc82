package storage_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// bbolt refuses a page with a wrong number, and reads the pages around it. Salvaging then
// finds at least all that scanning the bytes of the file finds without bbolt.
func TestSalvageWithAWrongPageNumberLosesNothing(t *testing.T) {
	t.Parallel()
	s, stored, said := storedConversation(t)
	w, err := s.OpenWriter(t.Context(), idA)
	must(t, err)
	long := strings.Repeat("a reply of some length ", 400) // so that each part of the conversation fills several pages
	must(t, w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(len(said)), Text: long}))
	must(t, w.KeepWaiting(t.Context(), []string{long, "the last"}))
	must(t, w.Close())
	sound, err := os.ReadFile(stored)
	must(t, err)
	path := filepath.Join(t.TempDir(), "damaged.db")
	must(t, os.WriteFile(path, sound, 0o600))
	whole, undamaged, err := storage.Salvage(path, false)
	must(t, err)
	size := int(binary.NativeEndian.Uint32(sound[16+8:]))
	const branch, leaf = 1, 2
	harmed := map[uint16]int{}
	for page := 2; page < len(sound)/size; page++ {
		head := sound[page*size:]
		kind := binary.NativeEndian.Uint16(head[8:])
		if binary.NativeEndian.Uint64(head) != uint64(page) || kind != branch && kind != leaf {
			continue
		}
		data := slices.Clone(sound)
		data[page*size] ^= 0x40
		must(t, os.WriteFile(path, data, 0o600))
		byBytes, bytesValues, err := storage.Salvage(path, true)
		must(t, err)
		events, values, err := storage.Salvage(path, false)
		must(t, err)
		if !maps.Equal(events, whole) {
			t.Errorf("page %d of kind %d: %d events of %d", page, kind, len(events), len(whole))
		}
		for seq, text := range byBytes {
			if events[seq] != text {
				t.Errorf("page %d of kind %d: event %d is lost, but is in the file", page, kind, seq)
			}
		}
		for bucket, of := range bytesValues {
			for key := range of {
				if values[bucket][key] == nil {
					t.Errorf("page %d of kind %d: %q of %s is lost, but is in the file", page, kind, key, bucket)
				}
			}
		}
		for key, value := range values["meta"] {
			if !bytes.Equal(value, undamaged["meta"][key]) {
				t.Errorf("page %d of kind %d: %q of meta is an older one", page, kind, key)
			}
		}
		harmed[kind]++
	}
	if harmed[branch] == 0 || harmed[leaf] < 20 {
		t.Errorf("too few pages of some kind were damaged: %v", harmed)
	}
}
