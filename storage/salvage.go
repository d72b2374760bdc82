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
//   - Each bucket is read forward until the first damaged page, and
//     backward until the same page.
//   - Values that bbolt cannot reach are searched in every leaf page of the file. A value that matches its seal is
//     valid. If bbolt could not read all of meta, its missing keys are taken from the leaf page with the
//     newest record.
//   - Events that are still missing are searched in the bytes of the file, where bbolt also leaves old pages:
//     every stored event begins with the same bytes (eventStart). An event never changes, so any copy of it is
//     valid.

// salvaged is the content read from a damaged file.
type salvaged struct {
	values     map[string]map[string][]byte // bucket, key, value without its seal
	badEvents  map[uint64][]byte            // events with a wrong seal, by number; the value includes the seal
	sealed     bool                         // the file has seals: at least one valid seal was found
	hasAllMeta bool                         // bbolt could read the whole bucket meta
}

func (got *salvaged) value(bucket, key []byte) []byte { return got.values[string(bucket)][string(key)] }

// put adds a copy of a value, and replaces an earlier one.
func (got *salvaged) put(bucket, key, value []byte) {
	b := got.values[string(bucket)]
	if b == nil {
		b = map[string][]byte{}
		got.values[string(bucket)] = b
	}
	b[string(key)] = bytes.Clone(value)
}

// events returns the salvaged events, ordered by number.
func (got *salvaged) events() []row {
	all := map[uint64]row{}
	var last uint64
	for k, value := range got.values[string(bucketEvents)] {
		seq := seqOf([]byte(k))
		all[seq] = row{seq: seq, value: value}
		last = max(last, seq)
	}
	for seq, raw := range got.badEvents {
		// A number far above the others is a damaged key; the event was found under its real number.
		if all[seq].value == nil && seq <= last+uint64(len(got.badEvents)) {
			all[seq] = row{seq: seq, value: raw, sealed: true}
		}
	}
	rows := make([]row, 0, len(all))
	for _, seq := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, all[seq])
	}
	return rows
}

// salvage reads the readable content of the file at path. The error is one of the
// system; a file without any readable content is not an error.
func salvage(path string, text *compressor) (*salvaged, error) {
	got := newSalvaged()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := pages.ReadHeaders(f)
	newest := pages.NewestHeader(h.Pages)
	if newest == nil || pages.Verify(f, newest, false) != nil {
		_ = f.Close() // the file was only read; bbolt could loop for ever in it
	} else {
		got.readWithBolt(f)
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
	got.readBytes(data, size)
	return got, nil
}

func newSalvaged() *salvaged {
	return &salvaged{values: map[string]map[string][]byte{}, badEvents: map[uint64][]byte{}}
}

// readWithBolt reads all buckets with bbolt and closes f. Its branch pages must be verified.
func (got *salvaged) readWithBolt(f *os.File) {
	// An error is ignored: readBytes then finds the rest.
	_ = transact(f, reading, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketEvents, bucketBlobs, bucketHistory, bucketCalibrations} {
			for _, forward := range []bool{true, false} {
				_ = recoverPanics(func() { got.readBucket(tx, name, forward) })
			}
		}
		return nil
	})
}

// readBytes adds missing events and values from the bytes of a file. It scans no pages if pageSize is 0, which means unknown.
func (got *salvaged) readBytes(data []byte, pageSize int) {
	got.scanEvents(data)
	if pageSize > 0 {
		got.scanPages(data, pageSize)
	}
}

func (got *salvaged) readBucket(tx *bbolt.Tx, name []byte, forward bool) {
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
			return // reached the keys that were read forward
		}
		got.put(name, k, validLength(tx, v))
	}
	got.hasAllMeta = got.hasAllMeta || forward && bytes.Equal(name, bucketMeta)
}

// unseal removes the seals from the values read. If no seal is valid, the file has no seals.
func (got *salvaged) unseal(text *compressor) {
	opened := map[string]map[string][]byte{}
	for bucket, values := range got.values {
		opened[bucket] = map[string][]byte{}
		for key, raw := range values {
			value, _, err := pages.Unseal([]byte(bucket), []byte(key), raw)
			if err != nil && bucket == string(bucketBlobs) {
				key, value, err = text.unpackByContent(raw)
			}
			if err == nil {
				opened[bucket][key] = value
			} else if bucket == string(bucketEvents) {
				got.badEvents[seqOf([]byte(key))] = raw
			}
			got.sealed = got.sealed || err == nil
		}
	}
	if got.sealed {
		got.values = opened
	} else {
		clear(got.badEvents)
	}
}

// scanPages adds missing texts and missing values of meta from the leaf pages.
// If bbolt could read the whole bucket meta, a missing key was deleted and is not added.
func (got *salvaged) scanPages(data []byte, size int) {
	var newest uint64
	var page map[string][]byte // meta of the page with the newest record
	for at := 0; at+pages.PageHeaderSize <= len(data); at += size {
		found := map[string][]byte{}
		got.scanPage(data[at:], found, true)
		r := found[string(keyRecord)]
		if len(r) >= 8 && binary.BigEndian.Uint64(r) >= newest {
			newest, page = binary.BigEndian.Uint64(r), found
		}
	}
	if got.hasAllMeta && len(got.values[string(bucketMeta)]) > 0 {
		return
	}
	if r := got.value(bucketMeta, keyRecord); len(r) >= 8 && binary.BigEndian.Uint64(r) > newest {
		return // the meta read with bbolt is newer than that of any page
	}
	for key, value := range page {
		if got.value(bucketMeta, []byte(key)) == nil {
			got.put(bucketMeta, []byte(key), value)
		}
	}
}

// scanPage adds the texts in a leaf page and collects its values of meta, also from buckets stored inline in it.
func (got *salvaged) scanPage(p []byte, meta map[string][]byte, buckets bool) {
	if len(p) < pages.PageHeaderSize || binary.NativeEndian.Uint16(p[8:]) != pages.LeafPageFlag {
		return
	}
	for i := range int(binary.NativeEndian.Uint16(p[10:])) {
		at := uint64(pages.PageHeaderSize + i*pages.ElementSize)
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
		case number(0)&pages.BucketFlag != 0:
			if buckets && len(value) > header {
				got.scanPage(value[header:], meta, false)
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

// eventCopy is an event found in the bytes of a file.
type eventCopy struct {
	seq    uint64
	value  []byte
	sealed bool // its seal is valid
}

// scanEvents searches the bytes of a file for events that are missing or could not be
// decoded. If the file has seals, only events with a valid seal are used: any other may
// be the damaged event itself.
func (got *salvaged) scanEvents(data []byte) {
	var all []eventCopy
	for {
		at := bytes.Index(data, eventStart)
		if at < 0 {
			break
		}
		data = data[at:]
		if c, ok := eventAt(data); ok {
			all = append(all, c)
			got.sealed = got.sealed || c.sealed
		}
		data = data[len(eventStart):]
	}
	for _, c := range all {
		if c.sealed || !got.sealed {
			got.addMissing(c)
		}
	}
}

// eventAt decodes the event at the beginning of data.
func eventAt(data []byte) (eventCopy, bool) {
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&raw); err != nil {
		return eventCopy{}, false
	}
	e, err := conversation.Unmarshal(raw)
	if err != nil {
		return eventCopy{}, false
	}
	c := eventCopy{seq: e.Seq, value: raw}
	if len(data) >= len(raw)+pages.SealSize {
		_, mended, err := pages.Unseal(bucketEvents, keyOf(e.Seq), data[:len(raw)+pages.SealSize])
		c.sealed = err == nil && !mended
	}
	return c, true
}

// addMissing adds an event found in the bytes if it is missing or could not be decoded. A number that is more than
// maxGap above the count of known events is ignored.
func (got *salvaged) addMissing(c eventCopy) {
	if c.seq > uint64(len(got.values[string(bucketEvents)])+len(got.badEvents)+maxGap) {
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

// recoverPanics runs f and turns a panic or a fault into an error.
func recoverPanics(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}
