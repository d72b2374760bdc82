package storage

import (
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"
)

// Rules of formats:
//   - Every database file carries its format version, 1 and up.
//   - An older file is brought forward by the named steps, in the transaction
//     that first writes to it; a read does that before it reads.
//   - A newer file is refused untouched.

// Names of buckets and of keys in meta.
var (
	bucketMeta         = []byte("meta")
	bucketEvents       = []byte("events")
	bucketBlobs        = []byte("blobs")
	bucketEntries      = []byte("entries")
	bucketHistory      = []byte("history")
	bucketCalibrations = []byte("calibration")

	keyFormat    = []byte("format")
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
	conversationLayout = layout{buckets: [][]byte{bucketMeta, bucketEvents, bucketBlobs}}
	indexLayout        = layout{buckets: [][]byte{bucketMeta, bucketEntries}}
	sharedLayout       = layout{buckets: [][]byte{bucketMeta, bucketHistory, bucketCalibrations}}
)

// errOlder says that a file has to be brought forward before it can be read.
var errOlder = errors.New("file of an older format")

func (l *layout) version() int { return 1 + len(l.migrations) }

// found reads the version of a file and checks that its buckets are there.
func (l *layout) found(tx *bbolt.Tx) (int, error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return 0, damaged(tx.DB().Path(), errors.New("bucket meta is missing"))
	}
	v, err := strconv.Atoi(string(meta.Get(keyFormat)))
	if err != nil || v < 1 {
		return 0, damaged(tx.DB().Path(), fmt.Errorf("format %q", meta.Get(keyFormat)))
	}
	if v > l.version() {
		return v, fmt.Errorf("%s has format %d, this program knows %d: %w", tx.DB().Path(), v, l.version(), ErrNewer)
	}
	return v, nil
}

// check prepares a transaction that reads.
func (l *layout) check(tx *bbolt.Tx) error {
	v, err := l.found(tx)
	if err != nil {
		return err
	}
	if v < l.version() {
		return errOlder
	}
	for _, b := range l.buckets {
		if tx.Bucket(b) == nil {
			return damaged(tx.DB().Path(), fmt.Errorf("bucket %s is missing", b))
		}
	}
	return nil
}

// migrate prepares a transaction that writes.
func (l *layout) migrate(tx *bbolt.Tx) error {
	v, err := l.found(tx)
	if err != nil {
		return err
	}
	if v == l.version() {
		return l.check(tx)
	}
	for _, m := range l.migrations[v-1:] {
		if err := m.run(tx); err != nil {
			return fmt.Errorf("bring %s forward (%s): %w", tx.DB().Path(), m.name, err)
		}
	}
	if err := l.stamp(tx); err != nil {
		return err
	}
	return l.check(tx)
}

// create makes the buckets of a new file.
func (l *layout) create(tx *bbolt.Tx) error {
	for _, b := range l.buckets {
		if _, err := tx.CreateBucket(b); err != nil {
			return err
		}
	}
	return l.stamp(tx)
}

func (l *layout) stamp(tx *bbolt.Tx) error {
	return tx.Bucket(bucketMeta).Put(keyFormat, strconv.AppendInt(nil, int64(l.version()), 10))
}
