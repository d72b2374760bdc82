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
	seq    uint64
	value  []byte
	sealed bool // value has a seal
	mended bool // a bit of it was wrong and was set right when it was decoded
}

// rowsOf encodes events, which must follow one another.
func rowsOf(events []conversation.Event) ([]row, error) {
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

// seqOf reads a key of events or history; 0 is no sequence number.
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
		return 0 // no file of a conversation
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

// card reads the entry kept with the events. It is an error if there is none
// or it was not made from all of them.
func card(tx txn) (Entry, error) {
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

// recount makes the card again from the events.
func recount(tx txn) Entry {
	e := blank(tx)
	var stored decoding
	stored.copy(tx, 0)
	events, _ := stored.events(conversation.Event{})
	e.add(events)
	return e
}

// blank is the entry of a conversation without events. What cannot be read of it is
// left out, and found by doctor.
func blank(tx txn) Entry {
	id, _ := tx.get(bucketMeta, keyID)
	workspace, _ := tx.get(bucketMeta, keyWorkspace)
	return Entry{ID: string(id), Workspace: string(workspace)}
}

// addToCard counts events that were just stored.
func addToCard(tx txn, before Entry, events []conversation.Event) error {
	before.add(events)
	value, err := json.Marshal(before)
	if err != nil {
		return err
	}
	return tx.put(bucketMeta, keyCard, value)
}

// identify writes what never changes about a conversation.
func identify(tx txn, id, workspace string, created time.Time) error {
	return errors.Join(
		tx.put(bucketMeta, keyID, []byte(id)),
		tx.put(bucketMeta, keyWorkspace, []byte(workspace)),
		tx.put(bucketMeta, keyCreated, created.UTC().AppendFormat(nil, time.RFC3339Nano)))
}

// putPartial replaces the partial reply.
func putPartial(tx txn, p conversation.PartialReply) error {
	value, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.put(bucketMeta, keyPartial, value)
}

// partial reads the partial reply. One that does not follow the newest event
// is stale, as is one that cannot be read: both are reported as none.
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

func dropPartial(tx txn) error { return tx.delete(bucketMeta, keyPartial) }

// hold reports whether events hold one of a kind.
func hold(events []conversation.Event, k conversation.Kind) bool {
	return slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == k })
}
