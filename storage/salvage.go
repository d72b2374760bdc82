package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of salvaging:
//   - Each bucket is read from its beginning until the first page that makes
//     no sense, and from its end back to it.
//   - For what bbolt cannot read, values are looked for in every page that has some,
//     whatever leads to it. One whose seal fits is the one that was stored. Where bbolt
//     could not read all of meta, the page with the newest record fills the gaps.
//   - Events have a form of their own. So those that are then still missing are
//     looked for in the bytes of the file, where bbolt also leaves old copies;
//     an event never changes, any copy is the event.

// salvaged is what could be read of a file.
type salvaged struct {
	values map[string]map[string][]byte // bucket, key, value without its seal
	broken map[uint64][]byte            // events whose seal is wrong, with it
	sealed bool                         // the file has seals: one that fits was found
	whole  bool                         // bbolt read meta from its beginning to its end
}

func (got *salvaged) value(bucket, key []byte) []byte { return got.values[string(bucket)][string(key)] }

func (got *salvaged) put(bucket, key, value []byte) {
	b := got.values[string(bucket)]
	if b == nil {
		b = map[string][]byte{}
		got.values[string(bucket)] = b
	}
	b[string(key)] = bytes.Clone(value)
}

// events are the salvaged events in order.
func (got *salvaged) events() []row {
	all := map[uint64]row{}
	var last uint64
	for k, value := range got.values[string(bucketEvents)] {
		seq := seqOf([]byte(k))
		all[seq] = row{seq: seq, value: value}
		last = max(last, seq)
	}
	for seq, raw := range got.broken {
		// One far behind the others has a damaged key, and was found under its own.
		if all[seq].value == nil && seq <= last+uint64(len(got.broken)) {
			all[seq] = row{seq: seq, value: raw, sealed: true}
		}
	}
	rows := make([]row, 0, len(all))
	for _, seq := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, all[seq])
	}
	return rows
}

// salvage reads what it can of the file at path. The error is one of the
// system; a file of which nothing can be read is no error.
func salvage(path string, text *compressor) (*salvaged, error) {
	got := newSalvaged()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := pages.ReadHeads(f)
	newest := pages.Newest(h.Pages)
	if newest == nil || pages.Survey(f, newest, false) != nil {
		_ = f.Close() // was only read; bbolt might read in circles for ever
	} else {
		got.walk(f)
	}
	got.unseal(text)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	size := 0
	if newest != nil {
		size = int(newest.PageSize())
	}
	got.search(data, size)
	return got, nil
}

func newSalvaged() *salvaged {
	return &salvaged{values: map[string]map[string][]byte{}, broken: map[uint64][]byte{}}
}

// walk reads what bbolt finds in a file whose pages lead nowhere wrong, and closes it.
func (got *salvaged) walk(f *os.File) {
	// An error here is the damage that salvage works around.
	_ = transact(f, reading, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketEvents, bucketBlobs, bucketHistory, bucketCalibrations} {
			for _, forward := range []bool{true, false} {
				_ = carefully(func() { got.take(tx, name, forward) })
			}
		}
		return nil
	})
}

// search adds what is still missing from the bytes of a file, and from its pages where
// their size is known.
func (got *salvaged) search(data []byte, pageSize int) {
	got.scan(data)
	if pageSize > 0 {
		got.leaves(data, pageSize)
	}
}

// take reads a bucket in one direction.
func (got *salvaged) take(tx *bbolt.Tx, name []byte, forward bool) {
	b := tx.Bucket(name)
	if b == nil {
		return
	}
	c := b.Cursor()
	first, next := c.First, c.Next
	if !forward {
		first, next = c.Last, c.Prev
	}
	for k, v := first(); k != nil; k, v = next() {
		if _, known := got.values[string(name)][string(k)]; known && !forward {
			return // met what was read from the beginning
		}
		got.put(name, k, within(tx, v))
	}
	got.whole = got.whole || forward && bytes.Equal(name, bucketMeta)
}

// unseal opens what was read. In a file in which no seal fits there are none.
func (got *salvaged) unseal(text *compressor) {
	opened := map[string]map[string][]byte{}
	for bucket, values := range got.values {
		opened[bucket] = map[string][]byte{}
		for key, raw := range values {
			value, _, err := pages.Unseal([]byte(bucket), []byte(key), raw)
			if err != nil && bucket == string(bucketBlobs) {
				key, value, err = text.renamed(raw)
			}
			if err == nil {
				opened[bucket][key] = value
			} else if bucket == string(bucketEvents) {
				got.broken[seqOf([]byte(key))] = raw
			}
			got.sealed = got.sealed || err == nil
		}
	}
	if got.sealed {
		got.values = opened
	} else {
		clear(got.broken)
	}
}

// leaves takes the texts and the meta that are still missing from the pages with values.
// Where meta was read whole a key that it lacks was deleted, and stays so.
func (got *salvaged) leaves(data []byte, size int) {
	var newest uint64
	var page map[string][]byte // meta of the page with the newest record
	for at := 0; at+pages.PageHead <= len(data); at += size {
		found := map[string][]byte{}
		got.leaf(data[at:], found, true)
		r := found[string(keyRecord)]
		if len(r) >= 8 && binary.BigEndian.Uint64(r) >= newest {
			newest, page = binary.BigEndian.Uint64(r), found
		}
	}
	if got.whole && len(got.values[string(bucketMeta)]) > 0 {
		return
	}
	if r := got.value(bucketMeta, keyRecord); len(r) >= 8 && binary.BigEndian.Uint64(r) > newest {
		return // what was read is newer than any page with a record
	}
	for key, value := range page {
		if got.value(bucketMeta, []byte(key)) == nil {
			got.put(bucketMeta, []byte(key), value)
		}
	}
}

// leaf takes texts of a page and finds its meta, also in the small buckets of a page.
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
			if text, _, err := pages.Unseal(bucketBlobs, key, value); err == nil && got.value(bucketBlobs, key) == nil {
				got.put(bucketBlobs, key, text)
			}
		case len(key) != 8: // else an event
			if v, _, err := pages.Unseal(bucketMeta, key, value); err == nil {
				meta[string(key)] = bytes.Clone(v)
			}
		}
	}
}

// eventStart is how every stored event begins; inside a JSON string the quotes
// would be escaped.
var eventStart = []byte(`{"seq":`)

// copied is an event that was found in the bytes of a file.
type copied struct {
	seq    uint64
	value  []byte
	sealed bool // its seal fits
}

// scan looks for events that are missing, or that cannot be decoded, in the
// bytes of a file. In a file with seals only those count whose seal fits: another may
// be the damaged one itself.
func (got *salvaged) scan(data []byte) {
	var all []copied
	for {
		at := bytes.Index(data, eventStart)
		if at < 0 {
			break
		}
		data = data[at:]
		if c, ok := copyAt(data); ok {
			all = append(all, c)
			got.sealed = got.sealed || c.sealed
		}
		data = data[len(eventStart):]
	}
	for _, c := range all {
		if c.sealed || !got.sealed {
			got.consider(c)
		}
	}
}

// copyAt reads the event with which data begins.
func copyAt(data []byte) (copied, bool) {
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&raw); err != nil {
		return copied{}, false
	}
	e, err := conversation.Unmarshal(raw)
	if err != nil {
		return copied{}, false
	}
	c := copied{seq: e.Seq, value: raw}
	if len(data) >= len(raw)+pages.SealSize {
		_, mended, err := pages.Unseal(bucketEvents, keyOf(e.Seq), data[:len(raw)+pages.SealSize])
		c.sealed = err == nil && !mended
	}
	return c, true
}

// consider takes an event found in the bytes if it is missing. Only numbers up to a
// gap's length above the known ones are taken.
func (got *salvaged) consider(c copied) {
	if c.seq > uint64(len(got.values[string(bucketEvents)])+len(got.broken)+maxGap) {
		return
	}
	key := keyOf(c.seq)
	if known := got.value(bucketEvents, key); known != nil {
		if _, err := decodeRow(&row{seq: c.seq, value: known}); err == nil {
			return
		}
	}
	got.put(bucketEvents, key, c.value)
}

// carefully runs f and turns a panic or a fault into an error.
func carefully(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}
