package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"plimsoll/storage/pages"
)

// Rules of the index:
//   - It is a copy of what the conversation files say, kept because reading one
//     file is faster than reading a thousand. Losing it loses nothing.
//   - A row tells size and time of the file it was made from. Where they differ
//     from the file's, the row is made again from the file. A row made within a
//     tick of the file's last change tells no time: a further change could have
//     the same.
//   - A file with fewer events than its row tells is an older one, or has lost writes. The
//     row keeps how many there were, as no file can tell that of itself. A row with fewer
//     events than its file is usual: it is written now and then, not at each append.
//   - Nobody waits long for the index: a write that would have to is left out, and
//     the next list heals it; a list reads the conversations instead.

// index is the copy of what a list shows.
type index struct {
	dir  directory
	disk *disk
	log  *slog.Logger
}

// indexRow is a row of the index.
type indexRow struct {
	Entry
	Size  int64 `json:"size"`
	Mtime int64 `json:"mtime"` // nanoseconds since 1970, 0 not told

	Had  int  `json:"had,omitempty"`  // events before there were fewer, 0 if that never was
	Told bool `json:"told,omitempty"` // the user knows of that
}

// after is a row made of a file of which an older row was known.
func (r indexRow) after(old indexRow) indexRow {
	r.Had, r.Told = old.Had, old.Told
	switch {
	case r.Size < 0:
		r.Entry = old.Entry // old news are better than none
	case r.Problem != "":
		r.Workspace, r.Updated, r.Events = old.Workspace, old.Updated, old.Events
	case r.Events < old.Events:
		r.Had, r.Told = old.Events, false
	}
	return r
}

// tick is longer than the ticks in which file systems count time.
const tick = 50 * time.Millisecond

// rowFor is a row for a file as it was seen before e was read from it.
func rowFor(e Entry, f fileSeen) indexRow {
	r := indexRow{Entry: e, Size: f.size, Mtime: f.mtime.UnixNano()}
	if time.Since(f.mtime) < tick {
		r.Mtime = 0
	}
	return r
}

// describes reports whether r was made from the file as it is.
func (r indexRow) describes(size int64, mtime time.Time) bool {
	return r.Size == size && r.Mtime == mtime.UnixNano()
}

// note writes e into the index if that means no waiting.
func (x *index) note(ctx context.Context, e Entry) bool {
	f, err := x.dir.seen(e.ID)
	return err == nil && x.write(ctx, 0, []indexRow{rowFor(e, f)}, nil) == nil
}

// indexWait is the part of a wait that the index is worth.
const indexWait = 10

// refresh brings the row of id up to date, waiting a little for the index if need be.
func (x *index) refresh(ctx context.Context, id string) {
	f, err := x.dir.seen(id)
	if err != nil {
		return // nothing to describe
	}
	r := x.examine(ctx, f)
	if err := x.write(ctx, x.disk.wait/indexWait, []indexRow{r}, nil); err != nil {
		x.log.Debug("index not updated; the next list does it", "conversation", id, "error", err)
	}
}

// read reads all rows. Rows that cannot be read are left out.
func (x *index) read(ctx context.Context) (map[string]indexRow, error) {
	rows := map[string]indexRow{}
	err := x.disk.viewWithin(ctx, x.dir.index(), x.disk.wait/indexWait, func(tx txn) error {
		clear(rows)
		return tx.Bucket(bucketEntries).ForEach(func(k, v []byte) error {
			if r, ok := storedRow(tx, k, v); ok {
				rows[r.ID] = r
			}
			return nil
		})
	})
	return rows, err
}

// storedRow decodes a row; false if there is none, or it cannot be read.
func storedRow(tx txn, k, v []byte) (r indexRow, ok bool) {
	value, err := tx.open(bucketEntries, k, v)
	ok = v != nil && err == nil && json.Unmarshal(value, &r) == nil && r.ID == string(k)
	return r, ok
}

// row reads the row of a conversation if that means no waiting.
func (x *index) row(ctx context.Context, id string) (r indexRow, ok bool) {
	err := x.disk.viewWithin(ctx, x.dir.index(), 0, func(tx txn) error {
		r, ok = storedRow(tx, []byte(id), tx.Bucket(bucketEntries).Get([]byte(id)))
		return nil
	})
	return r, ok && err == nil
}

// missed tells once that a conversation has fewer events than its row r knew, "" otherwise.
// The row was read before the events: else they could be fewer because they are older.
func (x *index) missed(ctx context.Context, r indexRow, events int) string {
	now := r
	now.Events = events
	if now = now.after(r); now.Had == 0 || now.Told {
		return ""
	}
	r.Had, r.Told = now.Had, true
	if err := x.write(ctx, 0, []indexRow{r}, nil); err != nil {
		x.log.Debug("index not told of a notice; it is given again", "conversation", r.ID, "error", err)
	}
	return fmt.Sprintf("it had %d events before: an older copy of its file is in its place, or its last writes are lost. A backup may have them", now.Had)
}

// write puts and removes rows, making the index if it is missing and
// making it anew if it is damaged.
func (x *index) write(ctx context.Context, wait time.Duration, rows []indexRow, drop []string) error {
	change := func(tx txn) error {
		for _, r := range rows {
			key := []byte(r.ID)
			if old, ok := storedRow(tx, key, tx.Bucket(bucketEntries).Get(key)); ok && r.Had < old.Had {
				r.Had, r.Told = old.Had, old.Told
			}
			value, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if err := tx.put(bucketEntries, key, value); err != nil {
				return err
			}
		}
		for _, id := range drop {
			if err := tx.delete(bucketEntries, []byte(id)); err != nil {
				return err
			}
		}
		return nil
	}
	err := x.disk.updateWithin(ctx, x.dir.index(), wait, change)
	if errors.Is(err, ErrDamaged) {
		x.log.Warn("the index was damaged and is made anew", "error", err)
		if err = x.dropDamaged(ctx); err == nil {
			err = x.disk.updateWithin(ctx, x.dir.index(), wait, change)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = x.disk.create(ctx, x.dir.index(), change)
		if errors.Is(err, fs.ErrExist) {
			err = x.disk.updateWithin(ctx, x.dir.index(), wait, change)
		}
	}
	return err
}

// dropDamaged removes the index unless another program was faster and
// has put a sound one there.
func (x *index) dropDamaged(ctx context.Context) error {
	return x.disk.underGate(ctx, func() error {
		f, err := os.OpenFile(x.dir.index().path, os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return explain(x.dir.index().path, err)
		}
		if err := flock(f, unix.LOCK_SH|unix.LOCK_NB); err != nil {
			unlock(f)
			return fmt.Errorf("%s: %w", x.dir.index().path, ErrBusy)
		}
		h := pages.ReadHeads(f)
		if n := pages.Newest(h.Pages); n == nil || pages.Survey(f, n, true) != nil {
			unlock(f)
			return os.Remove(x.dir.index().path)
		}
		err = transact(f, reading, func(tx *bbolt.Tx) error {
			_, err := indexLayout.check(tx)
			return err
		})
		if !errors.Is(err, ErrDamaged) {
			return nil
		}
		return os.Remove(x.dir.index().path)
	})
}

// examine makes the row of a conversation from its file.
func (x *index) examine(ctx context.Context, f fileSeen) indexRow {
	var e Entry
	err := x.disk.view(ctx, x.dir.conversation(f.id), func(tx txn) error {
		var lost error
		if e, lost = card(tx); lost != nil {
			e = recount(tx)
		}
		return nil
	})
	e.ID = f.id
	r := rowFor(e, f)
	if err != nil {
		r.Entry = Entry{ID: f.id, Updated: f.mtime.UTC(), Problem: err.Error()}
		if busy(err) {
			r.Size = -1 // says nothing about the file: look again next time
		}
	}
	return r
}

// busy reports whether err says nothing about the file itself.
func busy(err error) bool {
	return errors.Is(err, ErrBusy) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// rows returns a row for every conversation on disk, healing the index.
func (x *index) rows(ctx context.Context) ([]indexRow, []fileSeen, error) {
	files, err := x.dir.files()
	if err != nil {
		return nil, nil, err
	}
	known, err := x.read(ctx)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	sound := err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist)
	if !sound {
		x.log.Debug("index not readable; reading the conversations", "error", err)
	}
	out := make([]indexRow, len(files))
	var changed []indexRow
	for i, f := range files {
		r, ok := known[f.id]
		delete(known, f.id)
		if ok && r.Problem == "" && r.describes(f.size, f.mtime) {
			out[i] = r
			continue
		}
		fresh := x.examine(ctx, f)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if ok {
			fresh = fresh.after(r)
		}
		out[i] = fresh
		if !ok || !fresh.same(r.Entry) || !r.describes(f.size, f.mtime) {
			changed = append(changed, fresh)
		}
	}
	x.heal(ctx, sound, changed, known)
	return out, files, nil
}

// heal writes what was found different into the index, if that means no
// waiting. left are rows of conversations that are gone.
func (x *index) heal(ctx context.Context, sound bool, changed []indexRow, left map[string]indexRow) {
	gone := make([]string, 0, len(left))
	for id := range left {
		if _, err := os.Lstat(x.dir.conversation(id).path); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, id)
		}
	}
	if !sound || len(changed)+len(gone) == 0 {
		return
	}
	if err := x.write(ctx, 0, changed, gone); err != nil {
		x.log.Debug("index not healed; the next list tries again", "error", err)
	}
}
