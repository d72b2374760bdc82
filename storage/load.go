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
//   - The bytes are copied under the lock. They are decoded on all cores, meanwhile and
//     after it: copying waits for no decoding.
//   - What is given back is gapless from 1, whatever is stored: an event that
//     cannot be read or is missing is an Unknown one in its place.

// Kinds of the events that stand where one could not be read.
const (
	kindDamaged conversation.Kind = "damaged" // holds the stored bytes as a JSON string
	kindMissing conversation.Kind = "missing"
)

// maxGap is how many missing events are filled in. A longer gap is a damaged
// key rather than lost events.
const maxGap = 1 << 16

// LoadReport says what could not be read.
type LoadReport struct {
	Damaged []Damage
	Notices []string // what else was lost or put right, for the user
}

// Damage is one event that could not be read and is an Unknown one instead.
type Damage struct {
	Seq    uint64
	Reason string
}

// Load reads the events of a conversation, gapless from Seq 1.
func (s *Store) Load(ctx context.Context, id string) ([]conversation.Event, LoadReport, error) {
	if err := s.dir.exists(id); err != nil {
		return nil, LoadReport{}, err
	}
	var stored decoding
	var notices []string
	listed, known := s.index.row(ctx, id)
	err := s.disk.view(ctx, s.dir.conversation(id), func(tx txn) error {
		stored.copy(tx, 0)
		notices = unreadable(tx)
		return nil
	})
	events, damage := stored.events(conversation.Event{}) // waits for what was begun, whatever came of it
	if err != nil {
		return nil, LoadReport{}, fmt.Errorf("load conversation %s: %w", id, gone(id, err))
	}
	if i := slices.IndexFunc(stored.rows, func(r row) bool { return r.mended }); i >= 0 {
		notices = append(notices, fmt.Sprintf("event %d has a flipped bit on the disk, corrected while reading; `plimsoll doctor --repair` repairs the file", stored.rows[i].seq))
	}
	if told := s.disk.told(s.dir.conversation(id).path); told != "" {
		notices = append(notices, told)
	}
	if known {
		if missed := s.index.missed(ctx, listed, len(events)); missed != "" {
			notices = append(notices, missed)
		}
	}
	return events, LoadReport{damage, notices}, nil
}

// Partial reads the reply that is arriving in a conversation, or was when the
// program that wrote it ended; false if there is none.
func (s *Store) Partial(ctx context.Context, id string) (conversation.PartialReply, bool, error) {
	if err := s.dir.exists(id); err != nil {
		return conversation.PartialReply{}, false, err
	}
	var p conversation.PartialReply
	var ok bool
	err := s.disk.view(ctx, s.dir.conversation(id), func(tx txn) error {
		p, ok, _ = partial(tx)
		return nil
	})
	if err != nil {
		return p, false, fmt.Errorf("read the partial reply of conversation %s: %w", id, gone(id, err))
	}
	return p, ok, nil
}

// decoding is stored events that are decoded while more of them are copied.
type decoding struct {
	chunks []*chunk
	work   chan *chunk    // those to be decoded, closed behind the last
	busy   sync.WaitGroup // decodes them
	rows   []row          // of all chunks, once they are decoded
}

// chunk is rows that are decoded together.
type chunk struct {
	rows    []row
	events  []conversation.Event
	reasons []error // why one could not be decoded
}

// chunkSize is how many bytes are decoded together.
const chunkSize = 128 << 10

// copy copies the events behind the event seq out of the map of the file, and begins to
// decode them.
func (d *decoding) copy(tx txn, seq uint64) {
	c := tx.Bucket(bucketEvents).Cursor()
	k, v := c.First() // a damaged number may be 0
	if seq > 0 {
		k, v = c.Seek(keyOf(seq + 1))
	}
	d.begin(int(2*tx.Size()/chunkSize) + 1) // any two that follow each other are larger than one
	defer close(d.work)                     // also where the file is damaged and this panics
	var rows []row
	var memory []byte
	for ; k != nil; k, v = c.Next() {
		v = within(tx.Tx, v)
		if len(v) > cap(memory)-len(memory) {
			d.decode(rows)
			rows, memory = nil, make([]byte, 0, max(len(v), chunkSize))
		}
		start := len(memory)
		memory = append(memory, v...)
		rows = append(rows, row{seq: seqOf(k), value: memory[start:len(memory):len(memory)], sealed: tx.sealed})
	}
	d.decode(rows)
}

// begin starts to decode on all cores, with room for so many chunks to wait. There are no
// more goroutines than cores, so that they leave some time to the one that copies.
func (d *decoding) begin(room int) {
	d.work = make(chan *chunk, room)
	for range runtime.GOMAXPROCS(0) {
		d.busy.Go(func() {
			for c := range d.work {
				for i := range c.rows {
					c.events[i], c.reasons[i] = decodeRow(&c.rows[i])
				}
			}
		})
	}
}

// decode has rows decoded.
func (d *decoding) decode(rows []row) {
	c := &chunk{rows, make([]conversation.Event, len(rows)), make([]error, len(rows))}
	d.chunks = append(d.chunks, c)
	d.work <- c
}

// events waits for the events behind the event last to be decoded.
func (d *decoding) events(last conversation.Event) ([]conversation.Event, []Damage) {
	d.busy.Wait()
	n := 0
	for _, c := range d.chunks {
		n += len(c.rows)
	}
	d.rows = make([]row, 0, n)
	events, reasons := make([]conversation.Event, 0, n), make([]error, 0, n)
	for _, c := range d.chunks {
		d.rows, events, reasons = append(d.rows, c.rows...), append(events, c.events...), append(reasons, c.reasons...)
	}
	return gapless(last, d.rows, events, reasons)
}

// decodeRows decodes all rows of a conversation in the order of their keys.
func decodeRows(rows []row) ([]conversation.Event, []Damage) {
	const each = 128
	var d decoding
	d.begin(len(rows)/each + 1)
	for some := range slices.Chunk(rows, each) {
		d.decode(some)
	}
	close(d.work)
	return d.events(conversation.Event{})
}

func decodeRow(r *row) (conversation.Event, error) {
	value := r.value
	if r.sealed {
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], r.seq)
		var err error
		if value, r.mended, err = pages.Unseal(bucketEvents, key[:], value); err != nil {
			return conversation.Event{}, err
		}
	}
	e, err := conversation.Unmarshal(value)
	if err == nil && e.Seq != r.seq {
		err = fmt.Errorf("event %d is stored as event %d", e.Seq, r.seq)
	}
	return e, err
}

// text is what is stored, without its seal.
func (r row) text() []byte { return r.value[:max(0, len(r.value)-r.sealSize())] }

func (r row) sealSize() int {
	if r.sealed {
		return pages.SealSize
	}
	return 0
}

// unreadable says what of meta cannot be read that cannot be made again.
func unreadable(tx txn) []string {
	var notices []string
	for _, c := range []struct {
		key  []byte
		what string
	}{{keyPartial, "the part of a reply that had arrived"}, {keyWaiting, "the messages that waited"}, {keyWorkspace, "the folder it belongs to"}} {
		if _, err := tx.get(bucketMeta, c.key); err != nil {
			notices = append(notices, c.what+" cannot be read: damaged on the disk; `plimsoll doctor` says more")
		}
	}
	// A value under a wrong key is missing under its own.
	c := tx.Bucket(bucketMeta).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if _, err := tx.open(bucketMeta, k, v); err != nil && len(notices) == 0 && !bytes.Equal(k, keyFormat) && !bytes.Equal(k, keyCard) {
			notices = append(notices, "a part beside the messages cannot be read: damaged on the disk; `plimsoll doctor` says more")
		}
	}
	return notices
}

// gapless puts Unknown events where one behind the event last could not be read or
// is missing.
func gapless(last conversation.Event, rows []row, events []conversation.Event, reasons []error) ([]conversation.Event, []Damage) {
	if clean(last.Seq+1, rows, reasons) {
		return events, nil
	}
	out := make([]conversation.Event, 0, len(events))
	var damage []Damage
	turn, at := last.Turn, last.Time
	stand := func(seq uint64, kind conversation.Kind, raw []byte, why string) {
		out = append(out, conversation.Event{Seq: seq, Turn: turn, Time: at, Body: conversation.Unknown{Name: kind, Raw: raw}})
		damage = append(damage, Damage{seq, why})
	}
	for i := range rows {
		next := last.Seq + uint64(len(out)) + 1
		if r := (row{seq: next, value: rows[i].value, sealed: true}); rows[i].sealed && reasons[i] != nil && rows[i].seq != next {
			// Its key may be all that is wrong.
			if e, err := decodeRow(&r); err == nil {
				events[i], reasons[i], rows[i] = e, nil, r
				rows[i].mended = true
			}
		}
		r := rows[i]
		if r.seq < next || r.seq-next > maxGap {
			damage = append(damage, Damage{r.seq, "its key is not valid"})
			continue
		}
		for ; next < r.seq; next++ {
			stand(next, kindMissing, []byte("null"), "it is missing")
		}
		if reasons[i] != nil {
			stand(r.seq, kindDamaged, quoted(r.text()), reasons[i].Error())
			continue
		}
		turn, at = events[i].Turn, events[i].Time
		out = append(out, events[i])
	}
	return out, damage
}

// clean reports whether rows are gapless from first and all could be decoded.
func clean(first uint64, rows []row, reasons []error) bool {
	for i := range rows {
		if reasons[i] != nil || rows[i].seq != first+uint64(i) {
			return false
		}
	}
	return true
}

// quoted is data as a JSON string.
func quoted(data []byte) []byte {
	// A string always has a JSON form.
	out, _ := json.Marshal(conversation.Clean(string(data)))
	return out
}
