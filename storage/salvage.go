package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
)

// Rules of salvaging:
//   - Each bucket is read from its beginning until the first page that makes
//     no sense, and from its end back to it.
//   - Events have a form of their own. So those that are then still missing are
//     looked for in the bytes of the file, where bbolt also leaves old copies;
//     an event never changes, any copy is the event.

// salvaged is what could be read of a file: bucket, key, value.
type salvaged map[string]map[string][]byte

func (got salvaged) value(bucket, key []byte) []byte { return got[string(bucket)][string(key)] }

func (got salvaged) put(bucket, key, value []byte) {
	b := got[string(bucket)]
	if b == nil {
		b = map[string][]byte{}
		got[string(bucket)] = b
	}
	b[string(key)] = bytes.Clone(value)
}

// events are the salvaged events in order.
func (got salvaged) events() []row {
	b := got[string(bucketEvents)]
	rows := make([]row, 0, len(b))
	for _, k := range slices.Sorted(maps.Keys(b)) {
		rows = append(rows, row{seqOf([]byte(k)), b[k]})
	}
	return rows
}

// salvage reads what it can of the file at path. The error is one of the
// system; a file of which nothing can be read is no error.
func salvage(path string) (salvaged, error) {
	got := salvaged{}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	// An error here is the damage one is here for.
	_ = transact(f, reading, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketEvents, bucketBlobs, bucketHistory, bucketCalibrations} {
			for _, forward := range []bool{true, false} {
				_ = carefully(func() { got.take(tx, name, forward) })
			}
		}
		return nil
	})
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	got.scan(data)
	return got, nil
}

// take reads a bucket in one direction.
func (got salvaged) take(tx *bbolt.Tx, name []byte, forward bool) {
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
		if _, known := got[string(name)][string(k)]; known && !forward {
			return // met what was read from the beginning
		}
		got.put(name, k, v)
	}
}

// eventStart is how every stored event begins; inside a JSON string the quotes
// would be escaped.
var eventStart = []byte(`{"seq":`)

// scan looks for events that are missing, or that cannot be decoded, in the
// bytes of a file. Only numbers up to a gap's length above the known ones are
// taken.
func (got salvaged) scan(data []byte) {
	for {
		at := bytes.Index(data, eventStart)
		if at < 0 {
			return
		}
		data = data[at:]
		var raw json.RawMessage
		if err := json.NewDecoder(bytes.NewReader(data)).Decode(&raw); err == nil {
			got.consider(raw)
		}
		data = data[len(eventStart):]
	}
}

// consider takes a value found in the bytes if it is an event that is missing.
func (got salvaged) consider(raw []byte) {
	e, err := conversation.Unmarshal(raw)
	if err != nil || e.Seq > uint64(len(got[string(bucketEvents)])+maxGap) {
		return
	}
	key := keyOf(e.Seq)
	known := got.value(bucketEvents, key)
	if known != nil {
		if _, err := decodeRow(row{e.Seq, known}); err == nil {
			return
		}
	}
	got.put(bucketEvents, key, raw)
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
