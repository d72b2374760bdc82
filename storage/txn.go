package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"plimsoll/storage/pages"
)

// Rules of values:
//   - They are read with get or open and written with put, so that each has its seal.
//   - Each transaction that writes leaves a record of itself: its number, that of the
//     newest event, and how many values meta has. Where a wrong number in a page leads
//     to an older state of a bucket, or to a part of it, the record does not fit. It is
//     compared at the beginning of every transaction.

// txn is one transaction on a database file.
type txn struct {
	*bbolt.Tx
	sealed bool // values have seals: from format 2 on
}

// get reads a value, nil if there is none.
func (tx txn) get(bucket, key []byte) ([]byte, error) {
	raw := tx.Bucket(bucket).Get(key)
	if raw == nil {
		return nil, nil
	}
	return tx.open(bucket, key, raw)
}

// open returns the value of what is stored. A single wrong bit is set right.
func (tx txn) open(bucket, key, raw []byte) ([]byte, error) {
	if !tx.sealed {
		return raw, nil
	}
	value, _, err := pages.Unseal(bucket, key, raw)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", shown(key), bucket, err)
	}
	return value, nil
}

// within is a value as bbolt found it, nothing of one that says to be longer than its
// file: copying that would ask for memory without bound.
func within(tx *bbolt.Tx, value []byte) []byte {
	if int64(len(value)) > tx.Size() {
		return nil
	}
	return value
}

// shown is a key for a message.
func shown(key []byte) string {
	if n := seqOf(key); n > 0 {
		return fmt.Sprint("number ", n)
	}
	return fmt.Sprintf("%q", key[:min(len(key), 16)])
}

// put writes a value, which is given up.
func (tx txn) put(bucket, key, value []byte) error {
	return tx.Bucket(bucket).Put(key, pages.Seal(bucket, key, value))
}

func (tx txn) delete(bucket, key []byte) error { return tx.Bucket(bucket).Delete(key) }

// record is what a transaction tells of itself.
type record struct{ commit, last, values uint64 }

// recorded is the record that fits a transaction with this number.
func (tx txn) recorded(commit int) record {
	return record{commit: uint64(commit), last: lastSeq(tx.Tx), values: uint64(tx.valuesOfMeta())}
}

func (tx txn) valuesOfMeta() (n int) {
	c := tx.Bucket(bucketMeta).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// keepRecord ends a transaction that writes.
func (tx txn) keepRecord() error {
	if tx.Bucket(bucketMeta).Get(keyRecord) == nil { // it counts itself
		if err := tx.put(bucketMeta, keyRecord, nil); err != nil {
			return err
		}
	}
	r := tx.recorded(tx.ID())
	value := binary.BigEndian.AppendUint64(make([]byte, 0, 3*8+pages.SealSize), r.commit)
	value = binary.BigEndian.AppendUint64(value, r.last)
	return tx.put(bucketMeta, keyRecord, binary.BigEndian.AppendUint64(value, r.values))
}

// fits compares the record with what is stored, before anything is written.
func (tx txn) fits() error {
	value, err := tx.get(bucketMeta, keyRecord)
	if err != nil {
		return err
	}
	if len(value) != 3*8 {
		return errors.New("the record of its newest transaction is missing")
	}
	commit := tx.ID()
	if tx.Writable() {
		commit-- // the one before
	}
	kept := record{binary.BigEndian.Uint64(value), binary.BigEndian.Uint64(value[8:]), binary.BigEndian.Uint64(value[16:])}
	if is := tx.recorded(commit); is != kept {
		return fmt.Errorf("it holds transaction %d with event %d and %d values, %d with %d and %d were stored",
			is.commit, is.last, is.values, kept.commit, kept.last, kept.values)
	}
	return nil
}

// sealAll brings a file of format 1 forward.
func sealAll(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		var keys, values [][]byte
		err := b.ForEach(func(k, v []byte) error {
			if bytes.Equal(name, bucketMeta) && bytes.Equal(k, keyFormat) {
				return nil
			}
			keys = append(keys, k)
			values = append(values, pages.Seal(name, k, append(make([]byte, 0, len(v)+pages.SealSize), v...)))
			return nil
		})
		b.FillPercent = fillPercent
		for i, k := range keys {
			err = errors.Join(err, b.Put(k, values[i]))
		}
		return err
	})
}
