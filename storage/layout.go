package storage

import (
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"

	"plimsoll/storage/pages"
)

// Rules of formats:
//   - Every database file carries its format version, 1 and up: in the open, where every
//     build finds it, and under a seal, which is believed where the two differ.
//   - An older file is brought forward by the named steps, in the transaction
//     that first writes to it. Until then it is read as it is.
//   - A newer file is refused untouched.
//   - Format 2 has a seal behind every value and a record of the newest transaction.

// Names of buckets and of keys in meta.
var (
	bucketMeta         = []byte("meta")
	bucketEvents       = []byte("events")
	bucketBlobs        = []byte("blobs")
	bucketEntries      = []byte("entries")
	bucketHistory      = []byte("history")
	bucketCalibrations = []byte("calibration")

	keyFormat    = []byte("format")
	keySealed    = []byte("format.sealed")
	keyRecord    = []byte("record")
	keyID        = []byte("id")
	keyWorkspace = []byte("workspace")
	keyCreated   = []byte("created")
	keyCard      = []byte("card")
	keyPartial   = []byte("partial")
	keyWaiting   = []byte("waiting")
)

// layout is the form of one kind of database file.
type layout struct {
	buckets    [][]byte
	migrations []migration // the first leads from version 1 to 2
}

// migration is one step forward.
type migration struct {
	name string
	run  func(*bbolt.Tx) error
}

// The layouts of this build; doc.go describes them.
var (
	conversationLayout = layout{[][]byte{bucketMeta, bucketEvents, bucketBlobs}, sealing}
	indexLayout        = layout{[][]byte{bucketMeta, bucketEntries}, sealing}
	sharedLayout       = layout{[][]byte{bucketMeta, bucketHistory, bucketCalibrations}, sealing}
)

var sealing = []migration{{"seal every value", sealAll}}

// sealedFormat is the first format whose values have seals.
const sealedFormat = 2

func (l *layout) version() int { return 1 + len(l.migrations) }

// found reads the version of a file.
func (l *layout) found(tx *bbolt.Tx) (int, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return 0, damaged(tx.DB().Path(), errors.New("bucket meta is missing"))
	}
	text := meta.Get(keyFormat)
	if sealed, _, err := pages.Unseal(bucketMeta, keySealed, meta.Get(keySealed)); err == nil {
		text = sealed
	}
	v, err := strconv.Atoi(string(text))
	if err != nil || v < 1 {
		return 0, damaged(tx.DB().Path(), fmt.Errorf("format %q", text))
	}
	if v > l.version() {
		return v, fmt.Errorf("%s has format %d, this program knows %d: %w", tx.DB().Path(), v, l.version(), ErrNewer)
	}
	return v, nil
}

// check prepares a transaction that reads.
func (l *layout) check(tx *bbolt.Tx) (txn, error) {
	v, err := l.found(tx)
	if err != nil {
		return txn{}, err
	}
	for _, b := range l.buckets {
		if tx.Bucket(b) == nil {
			return txn{}, damaged(tx.DB().Path(), fmt.Errorf("bucket %s is missing", b))
		}
	}
	t := txn{tx, v >= sealedFormat}
	if t.sealed {
		if err := t.fits(); err != nil {
			return t, damaged(tx.DB().Path(), err)
		}
	}
	return t, nil
}

// migrate prepares a transaction that writes.
func (l *layout) migrate(tx *bbolt.Tx) (txn, error) {
	v, err := l.found(tx)
	if err != nil {
		return txn{}, err
	}
	t, err := l.check(tx)
	if err != nil || v == l.version() {
		return t, err
	}
	for _, m := range l.migrations[v-1:] {
		if err := m.run(tx); err != nil {
			return t, fmt.Errorf("upgrade %s (%s): %w", tx.DB().Path(), m.name, err)
		}
	}
	return txn{tx, true}, l.stamp(tx)
}

// create makes the buckets of a new file.
func (l *layout) create(tx *bbolt.Tx) (txn, error) {
	for _, b := range l.buckets {
		if _, err := tx.CreateBucket(b); err != nil {
			return txn{}, err
		}
	}
	return txn{tx, true}, l.stamp(tx)
}

// stamp writes the version.
func (l *layout) stamp(tx *bbolt.Tx) error {
	text := strconv.Itoa(l.version())
	return errors.Join(tx.Bucket(bucketMeta).Put(keyFormat, []byte(text)), txn{tx, true}.put(bucketMeta, keySealed, []byte(text)))
}
