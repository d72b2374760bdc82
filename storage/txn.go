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
//   - They are read with get or unseal and written with put, so that each has its seal.
//   - Each transaction that writes stores a record: its own number, the number of the
//     newest event, and the count of values in meta. If a wrong page number leads to an
//     older or incomplete state of a bucket, the record differs from the file's content. Both are
//     compared at the beginning of every transaction.

// txn is one transaction on a database file.
type txn struct {
	*bbolt.Tx
	sealed bool // values have seals: from format 2 on
}

// get reads a value. It returns nil if the key is missing.
func (tx txn) get(bucket, key []byte) ([]byte, error) {
	raw := tx.Bucket(bucket).Get(key)
	if raw == nil {
		return nil, nil
	}
	return tx.unseal(bucket, key, raw)
}

// unseal checks and removes the seal of a stored value. A single flipped bit is corrected.
func (tx txn) unseal(bucket, key, raw []byte) ([]byte, error) {
	if !tx.sealed {
		return raw, nil
	}
	value, _, err := pages.Unseal(bucket, key, raw)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", printableKey(key), bucket, err)
	}
	return value, nil
}

// validLength returns value, or nil if its stored length is greater than the file: copying such a value would need
// unbounded memory.
func validLength(tx *bbolt.Tx, value []byte) []byte {
	if int64(len(value)) > tx.Size() {
		return nil
	}
	return value
}

func printableKey(key []byte) string {
	if n := seqOf(key); n > 0 {
		return fmt.Sprint("number ", n)
	}
	return fmt.Sprintf("%q", key[:min(len(key), 16)])
}

// put writes a value with its seal. The caller must not use value afterwards.
func (tx txn) put(bucket, key, value []byte) error {
	return tx.Bucket(bucket).Put(key, pages.Seal(bucket, key, value))
}

func (tx txn) delete(bucket, key []byte) error { return tx.Bucket(bucket).Delete(key) }

// record describes the state that a transaction has written.
type record struct{ txID, lastEvent, metaValues uint64 }

// currentRecord computes the record of the present content, for a transaction with this number.
func (tx txn) currentRecord(commit int) record {
	return record{txID: uint64(commit), lastEvent: lastSeq(tx.Tx), metaValues: uint64(tx.countMeta())}
}

func (tx txn) countMeta() (n int) {
	c := tx.Bucket(bucketMeta).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// putRecord stores the record. It is the last write of a transaction.
func (tx txn) putRecord() error {
	if tx.Bucket(bucketMeta).Get(keyRecord) == nil { // the record itself counts as a value of meta
		if err := tx.put(bucketMeta, keyRecord, nil); err != nil {
			return err
		}
	}
	r := tx.currentRecord(tx.ID())
	value := binary.BigEndian.AppendUint64(make([]byte, 0, 3*8+pages.SealSize), r.txID)
	value = binary.BigEndian.AppendUint64(value, r.lastEvent)
	return tx.put(bucketMeta, keyRecord, binary.BigEndian.AppendUint64(value, r.metaValues))
}

// checkRecord compares the stored record with the content, before anything is written.
func (tx txn) checkRecord() error {
	value, err := tx.get(bucketMeta, keyRecord)
	if err != nil {
		return err
	}
	if len(value) != 3*8 {
		return errors.New("the record of its newest transaction is missing")
	}
	commit := tx.ID()
	if tx.Writable() {
		commit-- // the previous transaction wrote the record
	}
	stored := record{binary.BigEndian.Uint64(value), binary.BigEndian.Uint64(value[8:]), binary.BigEndian.Uint64(value[16:])}
	if current := tx.currentRecord(commit); current != stored {
		return fmt.Errorf("it holds transaction %d with event %d and %d values, %d with %d and %d were stored",
			current.txID, current.lastEvent, current.metaValues, stored.txID, stored.lastEvent, stored.metaValues)
	}
	return nil
}

// sealAll migrates a file of format 1: it adds a seal to every value.
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
