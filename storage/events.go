package storage

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// row is one event as it is stored.
type row struct {
	seq       uint64
	value     []byte
	sealed    bool // value has a seal
	corrected bool // a bit of it was wrong and was set right when it was decoded
}

// encodeRows encodes events, whose numbers must be consecutive.
func encodeRows(events []conversation.Event) ([]row, error) {
	rows := make([]row, len(events))
	for i, e := range events {
		if want := events[0].Seq + uint64(i); e.Seq != want {
			return nil, fmt.Errorf("event %d stands where %d belongs: %w", e.Seq, want, ErrConflict)
		}
		value, err := conversation.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("store event %d: %w", e.Seq, err)
		}
		rows[i] = row{seq: e.Seq, value: pages.Seal(bucketEvents, keyOf(e.Seq), value), sealed: true}
	}
	return rows, nil
}

func keyOf(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// seqOf decodes a key of events or history; 0 means that it is no such key.
func seqOf(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// lastSeq is the newest stored sequence number, 0 without events.
func lastSeq(tx *bbolt.Tx) uint64 {
	events := tx.Bucket(bucketEvents)
	if events == nil {
		return 0 // not a conversation file
	}
	key, _ := events.Cursor().Last()
	return seqOf(key)
}

// putRows stores rows that follow the newest stored event.
func putRows(tx txn, rows []row) error {
	last := lastSeq(tx.Tx)
	if rows[0].seq != last+1 {
		return fmt.Errorf("event %d was to follow event %d: %w", rows[0].seq, last, ErrConflict)
	}
	b := tx.Bucket(bucketEvents)
	b.FillPercent = fillPercent
	for _, r := range rows {
		if err := b.Put(keyOf(r.seq), r.value); err != nil {
			return err
		}
	}
	return nil
}

// storedEntry reads the list entry stored with the events. A missing entry is an error, and so is one that does not
// cover all events.
func storedEntry(tx txn) (Entry, error) {
	var e Entry
	value, err := tx.get(bucketMeta, keyCard)
	if err == nil {
		err = json.Unmarshal(value, &e)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("card: %w", err)
	}
	if last := lastSeq(tx.Tx); uint64(e.Events) != last {
		return Entry{}, fmt.Errorf("card of %d events, %d are stored", e.Events, last)
	}
	return e, nil
}

// rebuildEntry computes the list entry from the stored events.
func rebuildEntry(tx txn) Entry {
	e := emptyEntry(tx)
	var stored decodeJob
	stored.copyRows(tx, 0)
	events, _ := stored.wait(conversation.Event{})
	e.add(events)
	return e
}

// emptyEntry is the list entry before any event is added. Fields that cannot be read are
// left empty; doctor reports them.
func emptyEntry(tx txn) Entry {
	id, _ := tx.get(bucketMeta, keyID)
	workspace, _ := tx.get(bucketMeta, keyWorkspace)
	return Entry{ID: string(id), Workspace: string(workspace)}
}

// putEntry adds events just stored to the list entry before them, and stores it.
func putEntry(tx txn, before Entry, events []conversation.Event) error {
	before.add(events)
	value, err := json.Marshal(before)
	if err != nil {
		return err
	}
	return tx.put(bucketMeta, keyCard, value)
}

// putIdentity writes ID, workspace and creation time of a conversation, which never change.
func putIdentity(tx txn, id, workspace string, created time.Time) error {
	return errors.Join(
		tx.put(bucketMeta, keyID, []byte(id)),
		tx.put(bucketMeta, keyWorkspace, []byte(workspace)),
		tx.put(bucketMeta, keyCreated, created.UTC().AppendFormat(nil, time.RFC3339Nano)))
}

// putPartial stores the partial reply and replaces an older one.
func putPartial(tx txn, p conversation.PartialReply) error {
	value, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.put(bucketMeta, keyPartial, value)
}

// partial reads the partial reply; ok is false if there is none. stale reports that a stored one
// is useless: it does not follow the newest event, or cannot be read.
func partial(tx txn) (p conversation.PartialReply, ok, stale bool) {
	value, err := tx.get(bucketMeta, keyPartial)
	if value == nil && err == nil {
		return p, false, false
	}
	if err == nil {
		err = json.Unmarshal(value, &p)
	}
	if err != nil || p.After != lastSeq(tx.Tx) {
		return conversation.PartialReply{}, false, true
	}
	return p, true, false
}

func deletePartial(tx txn) error { return tx.delete(bucketMeta, keyPartial) }

func hasKind(events []conversation.Event, k conversation.Kind) bool {
	return slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == k })
}
