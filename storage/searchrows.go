package storage

import (
	"bytes"
	"context"
	"slices"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
)

// Rules of searching one conversation:
//   - While the lock is held, the stored bytes are scanned in the memory map of the file, and
//     events that may match are copied. These are decoded and searched after the lock is released.
//   - The newest event is searched first, and the search ends at the limit of hits.
//   - A stored full text is read only if a tool result names it.

// Limits of one transaction, which keep the lock short.
const (
	maxTxnBytes = 8 << 20 // bytes scanned
	maxTxnRows  = 64      // events copied
)

// fileSearch is the search of one conversation file. Until hits is closed, only the worker may use the other
// fields.
type fileSearch struct {
	disk    *disk
	file    dbfile
	query   find.Query
	options SearchOptions
	entry   Entry
	hits    chan find.Hit

	sent     int             // hits sent
	hasMore  bool            // there is a hit beyond the limit
	damaged  int             // events and texts that could not be read
	skipped  map[string]bool // names of full texts that have no match or cannot be read
	err      error           // why the file could not be read completely
	unpacker *unpacker       // of the worker that runs the search
}

// unpacker decompresses full texts for one worker. The store's own decompressor would be shared, and workers
// would wait for it in turn.
type unpacker struct {
	text   compressor
	buffer []byte // for one text, reused
}

// candidate is an event that may match the query.
type candidate struct {
	row
	mayMatch bool   // its own text may match
	blob     string // name of its full text, "" if none has to be searched
	packed   []byte // its full text as stored, nil if it is missing
}

// run searches the conversation, newest event first, and closes hits at the end.
func (l *fileSearch) run(ctx context.Context) {
	defer close(l.hits)
	for at := []byte(nil); ; {
		// Rows that were copied before the transaction met a damaged page are searched, too.
		var rows []candidate
		err := l.disk.view(ctx, l.file, func(tx txn) error {
			at = l.candidates(ctx, tx, at, &rows)
			return nil
		})
		for _, c := range rows {
			if !l.send(ctx, c) {
				return
			}
		}
		if err != nil {
			l.err = err
			return
		}
		if at == nil || ctx.Err() != nil {
			return
		}
	}
}

// send decodes a candidate and sends the hit if it matches. It returns false if the search must end.
func (l *fileSearch) send(ctx context.Context, c candidate) bool {
	hit, ok := l.match(c)
	if !ok {
		return ctx.Err() == nil
	}
	if l.sent == l.options.PerConversation {
		l.hasMore = true
		return false
	}
	l.sent++
	select {
	case l.hits <- hit:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *fileSearch) match(c candidate) (find.Hit, bool) {
	e, err := decodeRow(&c.row)
	if err != nil {
		l.damaged++
		return find.Hit{}, false
	}
	hit := find.Hit{Conversation: l.entry.ID, Title: l.entry.Heading(), Event: e.Seq, Turn: e.Turn, Time: e.Time}
	for _, p := range passages(e.Body) {
		if at, ok := l.query.Find(p.text); c.mayMatch && ok {
			hit.Who = p.who
			hit.Excerpt, hit.At = find.Excerpt(p.text, at, l.options.Chars)
			return hit, true
		}
	}
	result, ok := e.Body.(conversation.ToolResult)
	if !ok || result.Blob == "" || result.Blob != c.blob {
		return hit, false
	}
	hit.Who, hit.Stored = result.Tool, true
	return hit, l.matchFullText(c, &hit)
}

// matchFullText searches the full text of a result and puts the excerpt into hit. A text without a
// match is not checked against its name. A text that cannot be read is counted once, even if
// several results name it.
func (l *fileSearch) matchFullText(c candidate, hit *find.Hit) bool {
	if l.skipped[c.blob] {
		return false
	}
	if c.packed == nil {
		l.damaged++
		l.skipText(c.blob)
		return false
	}
	var err error
	u := l.unpacker
	stored := c.packed[:max(0, len(c.packed)-c.sealSize())]
	if u.buffer, err = u.text.unpack(stored, u.buffer[:0]); err == nil && !l.query.MatchesBytes(u.buffer) {
		l.skipText(c.blob)
		return false
	}
	text, err := u.text.unsealAndUnpack(c.blob, c.packed, c.sealed)
	if err != nil {
		l.damaged++
		l.skipText(c.blob)
		return false
	}
	at, ok := l.query.Find(text)
	hit.Excerpt, hit.At = find.Excerpt(text, at, l.options.Chars)
	return ok
}

// skipText marks a full text that need not be searched again.
func (l *fileSearch) skipText(name string) {
	if l.skipped == nil {
		l.skipped = map[string]bool{}
	}
	l.skipped[name] = true
}

// candidates scans events from newest to oldest, beginning before the key after (nil: at the
// newest), and appends those that may match to rows. It returns the key of the last event scanned,
// nil after the oldest.
func (l *fileSearch) candidates(ctx context.Context, tx txn, after []byte, rows *[]candidate) (last []byte) {
	c := tx.Bucket(bucketEvents).Cursor()
	scanned := 0
	for k, v := before(c, after); k != nil; k, v = c.Prev() {
		scanned += len(v)
		if found, ok := l.candidate(tx, k, v); ok {
			*rows = append(*rows, found)
			scanned += len(found.packed)
		}
		if scanned > maxTxnBytes || len(*rows) >= maxTxnRows || ctx.Err() != nil {
			return bytes.Clone(k)
		}
	}
	return nil
}

// before moves the cursor to the entry before key, or to the last entry if key is nil.
func before(c *bbolt.Cursor, key []byte) (k, v []byte) {
	if key == nil {
		return c.Last()
	}
	if k, _ := c.Seek(key); k == nil {
		return c.Last() // key and all after it were removed
	}
	return c.Prev()
}

// candidate copies an event and its full text, if they may match; else it returns false.
func (l *fileSearch) candidate(tx txn, k, v []byte) (candidate, bool) {
	kind, known := kindOf(v)
	if known && !slices.Contains(searchedKinds, kind) {
		return candidate{}, false
	}
	c := candidate{mayMatch: l.query.MayMatchJSON(searchableBytes(kind, v)) || (!known || kind == conversation.KindAssistant) && hasEscapes(v)}
	if !known || kind == conversation.KindResult {
		c.blob = blobOf(v)
	}
	if l.skipped[c.blob] {
		c.blob = ""
	}
	if c.blob != "" {
		c.packed = bytes.Clone(tx.Bucket(bucketBlobs).Get([]byte(c.blob)))
	}
	if !c.mayMatch && c.blob == "" {
		return candidate{}, false
	}
	c.row = row{seq: seqOf(k), value: bytes.Clone(validLength(tx.Tx, v)), sealed: tx.sealed}
	return c, true
}
