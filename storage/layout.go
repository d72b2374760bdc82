package storage

import (
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"

	"plimsoll/storage/pages"
)

// Rules of formats:
//   - Every database file stores its format version, 1 and up, twice: without a seal, which every
//     build can read, and with a seal, which wins if the two differ.
//   - An older file is migrated by the transaction that first writes to it. Until then it is
//     read in its old format.
//   - A newer file is refused and not changed.
//   - Format 2 has a seal after every value and a record of the newest transaction.

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

// layout is the buckets of one kind of database file.
type layout [][]byte

// The layouts of this build; doc.go describes them.
var (
	conversationLayout = layout{bucketMeta, bucketEvents, bucketBlobs}
	indexLayout        = layout{bucketMeta, bucketEntries}
	sharedLayout       = layout{bucketMeta, bucketHistory, bucketCalibrations}
)

// currentFormat is the format that this build writes, and the first whose values have seals.
const currentFormat = 2

// readVersion reads the format version of a file. A newer one than this build knows is ErrNewer.
func readVersion(tx *bbolt.Tx) (int, error) {
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
	if v > currentFormat {
		return v, fmt.Errorf("%s has format %d, this program knows %d: %w", tx.DB().Path(), v, currentFormat, ErrNewer)
	}
	return v, nil
}

// beginRead checks format, buckets and record of a file for a transaction that reads.
func (l layout) beginRead(tx *bbolt.Tx) (txn, error) {
	v, err := readVersion(tx)
	if err != nil {
		return txn{}, err
	}
	for _, b := range l {
		if tx.Bucket(b) == nil {
			return txn{}, damaged(tx.DB().Path(), fmt.Errorf("bucket %s is missing", b))
		}
	}
	t := txn{tx, v == currentFormat}
	if t.sealed {
		if err := t.checkRecord(); err != nil {
			return t, damaged(tx.DB().Path(), err)
		}
	}
	return t, nil
}

// beginWrite checks a file for a transaction that writes, and migrates an older format.
func (l layout) beginWrite(tx *bbolt.Tx) (txn, error) {
	t, err := l.beginRead(tx)
	if err != nil || t.sealed {
		return t, err
	}
	if err := sealAll(tx); err != nil {
		return t, fmt.Errorf("upgrade %s: %w", tx.DB().Path(), err)
	}
	return txn{tx, true}, putVersion(tx)
}

func (l layout) createBuckets(tx *bbolt.Tx) (txn, error) {
	for _, b := range l {
		if _, err := tx.CreateBucket(b); err != nil {
			return txn{}, err
		}
	}
	return txn{tx, true}, putVersion(tx)
}

func putVersion(tx *bbolt.Tx) error {
	text := strconv.Itoa(currentFormat)
	return errors.Join(tx.Bucket(bucketMeta).Put(keyFormat, []byte(text)), txn{tx, true}.put(bucketMeta, keySealed, []byte(text)))
}
