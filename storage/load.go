package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of loading:
//   - One goroutine copies the stored bytes under the lock. Meanwhile one goroutine for
//     each core decodes them. Copying never waits for decoding.
//   - The loaded events are always numbered from 1 without gaps. An Unknown event
//     replaces one that is missing or cannot be read.

// Kinds of these placeholder events.
const (
	kindDamaged conversation.Kind = "damaged" // its content is the stored bytes as a JSON string
	kindMissing conversation.Kind = "missing"
)

// maxGap is the most consecutive missing events that are replaced. A longer gap is taken as a
// sign of a damaged key, not of lost events.
const maxGap = 1 << 16

// LoadReport lists the events and other values that could not be read.
type LoadReport struct {
	Damaged []Damage
	Notices []string // other losses and corrections, as messages for the user
}

// Damage is an event that could not be read, and is replaced by an Unknown event.
type Damage struct {
	Seq    uint64
	Reason string
}

// Load reads the events of a conversation, numbered from 1 without gaps.
func (s *Store) Load(ctx context.Context, id string) ([]conversation.Event, LoadReport, error) {
	if err := s.dir.checkExists(id); err != nil {
		return nil, LoadReport{}, err
	}
	var stored decodeJob
	var notices []string
	indexed, known := s.index.row(ctx, id)
	err := s.disk.view(ctx, s.dir.conversation(id), func(tx txn) error {
		stored.copyRows(tx, 0)
		notices = metaNotices(tx)
		return nil
	})
	events, damage := stored.wait(conversation.Event{}) // also after an error: ends the workers
	if err != nil {
		return nil, LoadReport{}, fmt.Errorf("load conversation %s: %w", id, asNotFound(id, err))
	}
	if i := slices.IndexFunc(stored.rows, func(r row) bool { return r.corrected }); i >= 0 {
		notices = append(notices, fmt.Sprintf("event %d has a flipped bit on the disk, corrected while reading; `plimsoll doctor --repair` repairs the file", stored.rows[i].seq))
	}
	if n := s.disk.notice(s.dir.conversation(id).path); n != "" {
		notices = append(notices, n)
	}
	if known {
		if n := s.index.noticeLostEvents(ctx, indexed, len(events)); n != "" {
			notices = append(notices, n)
		}
	}
	return events, LoadReport{damage, notices}, nil
}

// Partial reads the stored part of a reply that is still being streamed, or was when the program
// ended. It reports false if the conversation has no partial reply.
func (s *Store) Partial(ctx context.Context, id string) (conversation.PartialReply, bool, error) {
	var p conversation.PartialReply
	var ok bool
	err := s.viewConversation(ctx, id, "read the partial reply", func(tx txn) error {
		p, ok, _ = partial(tx)
		return nil
	})
	return p, ok && err == nil, err
}

// viewConversation reads the file of a conversation in one transaction; doing is what for, in its error.
func (s *Store) viewConversation(ctx context.Context, id, doing string, read func(txn) error) error {
	if err := s.dir.checkExists(id); err != nil {
		return err
	}
	if err := s.disk.view(ctx, s.dir.conversation(id), read); err != nil {
		return fmt.Errorf("%s of conversation %s: %w", doing, id, asNotFound(id, err))
	}
	return nil
}

// decodeJob decodes stored events while more of them are copied.
type decodeJob struct {
	chunks  []*chunk
	queue   chan *chunk    // chunks to decode, closed after the last
	workers sync.WaitGroup // the goroutines that decode
	rows    []row          // of all chunks, set by wait
}

// chunk is a batch of rows that one goroutine decodes.
type chunk struct {
	rows    []row
	events  []conversation.Event
	reasons []error // for each row, why it could not be decoded, or nil
}

// chunkSize is the size of a chunk in bytes.
const chunkSize = 128 << 10

// copyRows copies the events after number seq out of the memory map of the file, and starts
// decoding them.
func (d *decodeJob) copyRows(tx txn, seq uint64) {
	c := tx.Bucket(bucketEvents).Cursor()
	k, v := c.First() // a damaged key may be 0
	if seq > 0 {
		k, v = c.Seek(keyOf(seq + 1))
	}
	d.start(int(2*tx.Size()/chunkSize) + 1) // any two consecutive chunks together exceed chunkSize
	defer close(d.queue)                    // also when a damaged page causes a panic
	var rows []row
	var buf []byte // holds the copied bytes of rows
	for ; k != nil; k, v = c.Next() {
		v = validLength(tx.Tx, v)
		if len(v) > cap(buf)-len(buf) {
			d.enqueue(rows)
			rows, buf = nil, make([]byte, 0, max(len(v), chunkSize))
		}
		start := len(buf)
		buf = append(buf, v...)
		rows = append(rows, row{seq: seqOf(k), value: buf[start:len(buf):len(buf)], sealed: tx.sealed})
	}
	d.enqueue(rows)
}

// start starts one decoding goroutine for each core; queueSize chunks can wait for them. More
// goroutines would slow down the one that copies.
func (d *decodeJob) start(queueSize int) {
	d.queue = make(chan *chunk, queueSize)
	for range runtime.GOMAXPROCS(0) {
		d.workers.Go(func() {
			for c := range d.queue {
				for i := range c.rows {
					c.events[i], c.reasons[i] = decodeRow(&c.rows[i])
				}
			}
		})
	}
}

func (d *decodeJob) enqueue(rows []row) {
	c := &chunk{rows, make([]conversation.Event, len(rows)), make([]error, len(rows))}
	d.chunks = append(d.chunks, c)
	d.queue <- c
}

// wait waits until all rows are decoded, and returns the events after the event last without gaps.
func (d *decodeJob) wait(last conversation.Event) ([]conversation.Event, []Damage) {
	d.workers.Wait()
	n := 0
	for _, c := range d.chunks {
		n += len(c.rows)
	}
	d.rows = make([]row, 0, n)
	events, reasons := make([]conversation.Event, 0, n), make([]error, 0, n)
	for _, c := range d.chunks {
		d.rows, events, reasons = append(d.rows, c.rows...), append(events, c.events...), append(reasons, c.reasons...)
	}
	return fillGaps(last, d.rows, events, reasons)
}

// decodeRows decodes all rows of a conversation in the order of their keys.
func decodeRows(rows []row) ([]conversation.Event, []Damage) {
	const chunkRows = 128
	var d decodeJob
	d.start(len(rows)/chunkRows + 1)
	for chunk := range slices.Chunk(rows, chunkRows) {
		d.enqueue(chunk)
	}
	close(d.queue)
	return d.wait(conversation.Event{})
}

// decodeRow checks the seal of a row and decodes its event. It sets r.corrected if a flipped bit was corrected.
func decodeRow(r *row) (conversation.Event, error) {
	value := r.value
	if r.sealed {
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], r.seq)
		var err error
		if value, r.corrected, err = pages.Unseal(bucketEvents, key[:], value); err != nil {
			return conversation.Event{}, err
		}
	}
	e, err := conversation.Unmarshal(value)
	if err == nil && e.Seq != r.seq {
		err = fmt.Errorf("event %d is stored as event %d", e.Seq, r.seq)
	}
	return e, err
}

func (r row) sealSize() int {
	if r.sealed {
		return pages.SealSize
	}
	return 0
}

// metaNotices returns a notice for each damaged value of meta that cannot be rebuilt from the events.
func metaNotices(tx txn) []string {
	var notices []string
	for _, c := range []struct {
		key  []byte
		what string
	}{{keyPartial, "the part of a reply that had arrived"}, {keyWaiting, "the messages that waited"}, {keyWorkspace, "the folder it belongs to"}} {
		if _, err := tx.get(bucketMeta, c.key); err != nil {
			notices = append(notices, c.what+" cannot be read: damaged on the disk; `plimsoll doctor` says more")
		}
	}
	// The loop above takes a value whose key is damaged for a missing value. This one finds it.
	c := tx.Bucket(bucketMeta).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if _, err := tx.unseal(bucketMeta, k, v); err != nil && len(notices) == 0 && !bytes.Equal(k, keyFormat) && !bytes.Equal(k, keyCard) {
			notices = append(notices, "a part beside the messages cannot be read: damaged on the disk; `plimsoll doctor` says more")
		}
	}
	return notices
}

// fillGaps returns the events that follow the event last. An Unknown event replaces each one that is missing or
// could not be decoded.
func fillGaps(last conversation.Event, rows []row, events []conversation.Event, reasons []error) ([]conversation.Event, []Damage) {
	if isGapless(last.Seq+1, rows, reasons) {
		return events, nil
	}
	out := make([]conversation.Event, 0, len(events))
	var damage []Damage
	turn, at := last.Turn, last.Time
	replace := func(seq uint64, kind conversation.Kind, raw []byte, why string) {
		out = append(out, conversation.Event{Seq: seq, Turn: turn, Time: at, Body: conversation.Unknown{Name: kind, Raw: raw}})
		damage = append(damage, Damage{seq, why})
	}
	for i := range rows {
		next := last.Seq + uint64(len(out)) + 1
		if r := (row{seq: next, value: rows[i].value, sealed: true}); rows[i].sealed && reasons[i] != nil && rows[i].seq != next {
			// Perhaps only its key is damaged: the seal then matches the expected number.
			if e, err := decodeRow(&r); err == nil {
				events[i], reasons[i], rows[i] = e, nil, r
				rows[i].corrected = true
			}
		}
		r := rows[i]
		if r.seq < next || r.seq-next > maxGap {
			damage = append(damage, Damage{r.seq, "its key is not valid"})
			continue
		}
		for ; next < r.seq; next++ {
			replace(next, kindMissing, []byte("null"), "it is missing")
		}
		if reasons[i] != nil {
			text := conversation.Clean(string(r.value[:max(0, len(r.value)-r.sealSize())]))
			raw, _ := json.Marshal(text) // cannot fail for a string
			replace(r.seq, kindDamaged, raw, reasons[i].Error())
			continue
		}
		turn, at = events[i].Turn, events[i].Time
		out = append(out, events[i])
	}
	return out, damage
}

// isGapless reports whether rows are numbered from first without gaps and all could be decoded.
func isGapless(first uint64, rows []row, reasons []error) bool {
	for i := range rows {
		if reasons[i] != nil || rows[i].seq != first+uint64(i) {
			return false
		}
	}
	return true
}
