package storage

import (
	"bytes"
	"context"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
)

// Rules of looking through a conversation:
//   - Under the lock the bytes are looked at where they are, in the map of the file,
//     and those of events that may hold what is looked for are copied. They are
//     decoded and looked at again after it.
//   - The newest event comes first, and looking ends where enough was found.
//   - Of the stored texts only those that a result names are read.

// How much one transaction does.
const (
	lookBytes = 8 << 20 // bytes looked at
	lookRows  = 64      // events copied
)

// looking is the search through one conversation. What is not a channel is the
// worker's until hits is closed.
type looking struct {
	disk  *disk
	file  dbfile
	q     find.Query
	o     SearchOptions
	entry Entry
	hits  chan find.Hit

	told    int             // hits sent
	more    bool            // there is another beyond the limit
	damaged int             // events and texts that could not be read
	without map[string]bool // full texts in which nothing can be found, by name
	err     error           // why not all could be read
	tools   *unpacking      // of the worker
}

// unpacking is what a worker reads full texts with. A store has one decoder, for which
// workers would wait in turn.
type unpacking struct {
	text compressor
	room []byte // for a text, used again
}

// candidate is an event that may hold what is looked for.
type candidate struct {
	row
	may    bool   // in its own text
	blob   string // name of its full text, "" none that is worth a look
	packed []byte // its full text as it is stored, nil if it is missing
}

// run looks through the conversation, newest event first, and closes hits.
func (l *looking) run(ctx context.Context) {
	defer close(l.hits)
	for at := []byte(nil); ; {
		// What was copied before a page that makes no sense counts, too.
		var rows []candidate
		err := l.disk.view(ctx, l.file, func(tx txn) error {
			at = l.candidates(ctx, tx, at, &rows)
			return nil
		})
		for _, c := range rows {
			if !l.tell(ctx, c) {
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

// tell decodes a candidate and sends the hit that it is; false if that was enough.
func (l *looking) tell(ctx context.Context, c candidate) bool {
	hit, ok := l.judge(c)
	if !ok {
		return ctx.Err() == nil
	}
	if l.told == l.o.PerConversation {
		l.more = true
		return false
	}
	l.told++
	select {
	case l.hits <- hit:
		return true
	case <-ctx.Done():
		return false
	}
}

// judge decodes a candidate and looks for the words in its texts.
func (l *looking) judge(c candidate) (find.Hit, bool) {
	e, err := decodeRow(&c.row)
	if err != nil {
		l.damaged++
		return find.Hit{}, false
	}
	hit := find.Hit{Conversation: l.entry.ID, Title: l.entry.Heading(), Event: e.Seq, Turn: e.Turn, Time: e.Time}
	for _, s := range passages(e.Body) {
		if at, ok := l.q.Find(s.text); c.may && ok {
			hit.Who = s.who
			hit.Excerpt, hit.At = find.Excerpt(s.text, at, l.o.Chars)
			return hit, true
		}
	}
	result, ok := e.Body.(conversation.ToolResult)
	if !ok || result.Blob == "" || result.Blob != c.blob {
		return hit, false
	}
	hit.Who, hit.Stored = result.Tool, true
	return hit, l.unpack(c, &hit)
}

// unpack looks at the full text of a result and writes the place into hit. Only a text
// that has one is checked against its name. A text that cannot be read is counted
// once, whatever number of results have it.
func (l *looking) unpack(c candidate, hit *find.Hit) bool {
	if l.without[c.blob] {
		return false
	}
	if c.packed == nil {
		l.damaged++
		l.pass(c.blob)
		return false
	}
	var err error
	u := l.tools
	stored := c.packed[:max(0, len(c.packed)-c.sealSize())]
	if u.room, err = u.text.unpack(stored, u.room[:0]); err == nil && !l.q.Within(u.room) {
		l.pass(c.blob)
		return false
	}
	text, err := u.text.opened(c.blob, c.packed, c.sealed)
	if err != nil {
		l.damaged++
		l.pass(c.blob)
		return false
	}
	at, ok := l.q.Find(text)
	hit.Excerpt, hit.At = find.Excerpt(text, at, l.o.Chars)
	return ok
}

// pass notes a full text that needs no other look.
func (l *looking) pass(name string) {
	if l.without == nil {
		l.without = map[string]bool{}
	}
	l.without[name] = true
}

// candidates looks at events from the one before the key after on, nil the newest, and
// adds those to rows that may hold what is looked for. It returns the key of the last
// it looked at, nil for the oldest.
func (l *looking) candidates(ctx context.Context, tx txn, after []byte, rows *[]candidate) (last []byte) {
	c := tx.Bucket(bucketEvents).Cursor()
	seen := 0
	for k, v := before(c, after); k != nil; k, v = c.Prev() {
		seen += len(v)
		if found, ok := l.candidate(tx, k, v); ok {
			*rows = append(*rows, found)
			seen += len(found.packed)
		}
		if seen > lookBytes || len(*rows) >= lookRows || ctx.Err() != nil {
			return bytes.Clone(k)
		}
	}
	return nil
}

// before moves to the entry before a key, to the last one for nil.
func before(c *bbolt.Cursor, key []byte) (k, v []byte) {
	if key == nil {
		return c.Last()
	}
	if k, _ := c.Seek(key); k == nil {
		return c.Last() // the events from key on are gone
	}
	return c.Prev()
}

// candidate copies what is needed of an event, if it may hold what is looked for.
func (l *looking) candidate(tx txn, k, v []byte) (candidate, bool) {
	kind, known := kindOf(v)
	if known && !searched(kind) {
		return candidate{}, false
	}
	c := candidate{may: l.q.May(body(kind, v)) || (!known || kind == conversation.KindAssistant) && escapes(v)}
	if !known || kind == conversation.KindResult {
		c.blob = blobOf(v)
	}
	if l.without[c.blob] {
		c.blob = ""
	}
	if c.blob != "" {
		c.packed = bytes.Clone(tx.Bucket(bucketBlobs).Get([]byte(c.blob)))
	}
	if !c.may && c.blob == "" {
		return candidate{}, false
	}
	c.row = row{seq: seqOf(k), value: bytes.Clone(within(tx.Tx, v)), sealed: tx.sealed}
	return c, true
}
