package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of salvaging:
//   - What bbolt finds counts first, as far as it comes in pages that lead nowhere wrong.
//   - What is missing is looked for in every page that has values, whatever leads to it. One
//     whose seal fits is the one that was stored. Where bbolt could not read all, the page
//     with the newest record fills the gaps of meta.
//   - Events that are then still missing are looked for in the bytes of the file, where bbolt
//     also leaves old copies: they have a form of their own, and an event never changes.

// salvaged is what could be read of a conversation.
type salvaged struct {
	events map[uint64][]byte // stored forms, without seals
	texts  map[string][]byte // likewise
	meta   map[string][]byte // likewise
	sealed bool              // a seal was found that fits
}

// salvage reads what it can of the file at path. The error is one of the
// system; a file of which nothing can be read is no error.
func salvage(path string, text *compressor) (*salvaged, error) {
	got := &salvaged{events: map[uint64][]byte{}, texts: map[string][]byte{}, meta: map[string][]byte{}}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := pages.ReadHeads(f)
	size, whole := os.Getpagesize(), false
	if newest := pages.Newest(h.Pages); newest != nil {
		size = int(newest.PageSize())
		whole = pages.Survey(f, newest, false) == nil && got.walk(f, text) == nil // else bbolt might read in circles for ever
	}
	_ = f.Close() // was only read, and may be closed
	got.leaves(data, size, whole)
	got.scan(data)
	return got, nil
}

// walk reads what bbolt finds. An error is the damage that salvage works around.
func (got *salvaged) walk(f *os.File, text *compressor) error {
	return transact(f, reading, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketEvents, bucketBlobs} {
			b := tx.Bucket(name)
			if b == nil {
				continue
			}
			sealed := tx.Bucket(bucketMeta) != nil && tx.Bucket(bucketMeta).Get(keySealed) != nil
			err := b.ForEach(func(k, v []byte) error {
				got.take(name, k, v, !sealed, text)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// take takes a value whose seal fits or, from a file without seals, that is sound.
func (got *salvaged) take(bucket, key, raw []byte, bare bool, text *compressor) {
	value, _, err := pages.Unseal(bucket, key, raw)
	got.sealed = got.sealed || err == nil
	switch {
	case err != nil && bare:
		value = raw
	case err != nil:
		return
	}
	value = bytes.Clone(value)
	switch string(bucket) {
	case string(bucketMeta):
		got.meta[string(key)] = value
	case string(bucketEvents):
		if _, err := decodeRow(&row{seq: seqOf(key), value: value}); err == nil {
			got.events[seqOf(key)] = value
		}
	default:
		if _, err := text.open(string(key), value); err == nil {
			got.texts[string(key)] = value
		}
	}
}

// inOrder are the salvaged events, gapless, and how many of them only stand for one that is
// lost.
func (got *salvaged) inOrder() (all []conversation.Event, lost int) {
	var rows []row
	var events []conversation.Event
	for _, seq := range slices.Sorted(maps.Keys(got.events)) {
		r := row{seq: seq, value: got.events[seq]}
		if e, err := decodeRow(&r); err == nil {
			rows, events = append(rows, r), append(events, e)
		}
	}
	all, damage := gapless(conversation.Event{}, rows, events, make([]error, len(rows)))
	return all, len(damage)
}

// leaves takes what is still missing from the pages with values. Where all was read a key
// that meta lacks was deleted, and stays so.
func (got *salvaged) leaves(data []byte, size int, whole bool) {
	var newest uint64
	var page map[string][]byte // meta of the page with the newest record
	for at := 0; at+pages.PageHead <= len(data); at += size {
		meta := map[string][]byte{}
		got.leaf(data[at:], meta, true)
		if r := meta[string(keyRecord)]; len(r) >= 8 && binary.BigEndian.Uint64(r) >= newest {
			newest, page = binary.BigEndian.Uint64(r), meta
		}
	}
	r := got.meta[string(keyRecord)]
	if whole && len(got.meta) > 0 || len(r) >= 8 && binary.BigEndian.Uint64(r) > newest {
		return
	}
	for key, value := range page {
		if got.meta[key] == nil {
			got.meta[key] = value
		}
	}
}

// leaf takes events and texts of a page and finds its meta, also in the small buckets of a
// page.
func (got *salvaged) leaf(p []byte, meta map[string][]byte, buckets bool) {
	if len(p) < pages.PageHead || binary.NativeEndian.Uint16(p[8:]) != pages.LeafPage {
		return
	}
	for i := range int(binary.NativeEndian.Uint16(p[10:])) {
		at := uint64(pages.PageHead + i*pages.ElementSize)
		if at+pages.ElementSize > uint64(len(p)) {
			return
		}
		number := func(n uint64) uint64 { return uint64(binary.NativeEndian.Uint32(p[at+n*4:])) }
		from := at + number(1)
		end := from + number(2)
		if end+number(3) > uint64(len(p)) {
			continue
		}
		key, value := p[from:end], p[end:end+number(3)]
		const header = 16
		switch {
		case number(0)&pages.IsBucket != 0:
			if buckets && len(value) > header {
				got.leaf(value[header:], meta, false)
			}
		case len(key) == 64:
			if text, _, err := pages.Unseal(bucketBlobs, key, value); err == nil && got.texts[string(key)] == nil {
				got.texts[string(key)] = bytes.Clone(text)
			}
		case len(key) == 8 && got.events[seqOf(key)] == nil:
			got.take(bucketEvents, key, value, false, nil)
		case len(key) != 8:
			if v, _, err := pages.Unseal(bucketMeta, key, value); err == nil {
				meta[string(key)] = bytes.Clone(v)
			}
		}
	}
}

// eventStart is how every stored event begins; inside a JSON string the quotes
// would be escaped.
var eventStart = []byte(`{"seq":`)

// scan looks for events that are missing in the bytes of a file. In a file with seals only
// those count whose seal fits: another may be the damaged one itself.
func (got *salvaged) scan(data []byte) {
	for _, bare := range []bool{false, true} {
		for rest := data; !bare || !got.sealed; rest = rest[len(eventStart):] {
			at := bytes.Index(rest, eventStart)
			if at < 0 {
				break
			}
			rest = rest[at:]
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(rest)).Decode(&raw) != nil {
				continue
			}
			e, err := conversation.Unmarshal(raw)
			if err != nil || got.events[e.Seq] != nil || e.Seq > uint64(len(got.events)+maxGap) {
				continue
			}
			_, _, err = pages.Unseal(bucketEvents, keyOf(e.Seq), rest[:min(len(rest), len(raw)+pages.SealSize)])
			got.sealed = got.sealed || err == nil
			if err == nil || bare {
				got.events[e.Seq] = raw
			}
		}
	}
}
