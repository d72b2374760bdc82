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
//   - It caches the list entry of every conversation, because reading one
//     file is faster than reading a thousand. It can always be rebuilt from them.
//   - A row stores size and modification time of its conversation file. If they
//     differ from the file's, the row is rebuilt from the file. A row written within a
//     clock tick of the file's last change stores no time: another change could leave
//     the same time.
//   - If a file has fewer events than its row, it was replaced by an older copy, or has lost
//     writes. The row keeps the higher number, which the file itself cannot know. A row with fewer
//     events than its file is usual: it is not written at each append.
//   - No call waits long for the index. A write that would have to wait is skipped, and
//     the next list repairs it; a list that cannot read it reads the conversations.

// index is the file with the cached list entries.
type index struct {
	dir  directory
	disk *disk
	log  *slog.Logger
}

type indexRow struct {
	Entry
	Size  int64 `json:"size"`
	Mtime int64 `json:"mtime"` // nanoseconds since 1970, 0 if not known

	EventsBefore int  `json:"had,omitempty"`  // number of events before some were lost, 0 if none were
	Notified     bool `json:"told,omitempty"` // the user has been told of the loss
}

// withHistory returns r, just built from the file, completed with what only the old row knows.
func (r indexRow) withHistory(old indexRow) indexRow {
	r.EventsBefore, r.Notified = old.EventsBefore, old.Notified
	switch {
	case r.Size < 0:
		r.Entry = old.Entry // the file was busy: keep the old entry
	case r.Problem != "":
		r.Workspace, r.Updated, r.Events = old.Workspace, old.Updated, old.Events
	case r.Events < old.Events:
		r.EventsBefore, r.Notified = old.Events, false
	}
	return r
}

// clockTick is longer than the resolution of modification times on any file system.
const clockTick = 50 * time.Millisecond

// rowFor returns the row for entry e, where f describes the file before e was read from it.
func rowFor(e Entry, f fileInfo) indexRow {
	r := indexRow{Entry: e, Size: f.size, Mtime: f.mtime.UnixNano()}
	if time.Since(f.mtime) < clockTick {
		r.Mtime = 0
	}
	return r
}

// matchesFile reports whether the file is unchanged since r was built from it.
func (r indexRow) matchesFile(size int64, mtime time.Time) bool {
	return r.Size == size && r.Mtime == mtime.UnixNano()
}

// tryWrite writes e into the index. It reports false if that failed or would have to wait.
func (x *index) tryWrite(ctx context.Context, e Entry) bool {
	f, err := x.dir.stat(e.ID)
	return err == nil && x.write(ctx, 0, []indexRow{rowFor(e, f)}, nil) == nil
}

// indexWait divides the store's wait: a call waits at most that part of it for the index.
const indexWait = 10

// refresh rebuilds the row of id. It may wait a little for the index.
func (x *index) refresh(ctx context.Context, id string) {
	f, err := x.dir.stat(id)
	if err != nil {
		return // the conversation has no file
	}
	r := x.buildRow(ctx, f)
	if err := x.write(ctx, x.disk.wait/indexWait, []indexRow{r}, nil); err != nil {
		x.log.Debug("index not updated; the next list does it", "conversation", id, "error", err)
	}
}

// read reads all rows. Damaged rows are skipped.
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

// storedRow decodes a row; ok is false if it is missing or damaged.
func storedRow(tx txn, k, v []byte) (r indexRow, ok bool) {
	value, err := tx.unseal(bucketEntries, k, v)
	ok = v != nil && err == nil && json.Unmarshal(value, &r) == nil && r.ID == string(k)
	return r, ok
}

// row reads the row of a conversation; ok is false if it is missing or reading would have to wait.
func (x *index) row(ctx context.Context, id string) (r indexRow, ok bool) {
	err := x.disk.viewWithin(ctx, x.dir.index(), 0, func(tx txn) error {
		r, ok = storedRow(tx, []byte(id), tx.Bucket(bucketEntries).Get([]byte(id)))
		return nil
	})
	return r, ok && err == nil
}

// noticeLostEvents returns a notice if the conversation has fewer events than its row r, and marks r as notified; else
// "". The caller must read the row before the events. In the other order the events could be fewer only because
// they were read earlier.
func (x *index) noticeLostEvents(ctx context.Context, r indexRow, events int) string {
	updated := r
	updated.Events = events
	if updated = updated.withHistory(r); updated.EventsBefore == 0 || updated.Notified {
		return ""
	}
	r.EventsBefore, r.Notified = updated.EventsBefore, true
	if err := x.write(ctx, 0, []indexRow{r}, nil); err != nil {
		x.log.Debug("index not told of a notice; it is given again", "conversation", r.ID, "error", err)
	}
	return fmt.Sprintf("it had %d events before: an older copy of its file is in its place, or its last writes are lost. A backup may have them", updated.EventsBefore)
}

// write stores rows and removes the rows of drop. It creates the index if it is missing, and
// replaces a damaged one.
func (x *index) write(ctx context.Context, wait time.Duration, rows []indexRow, drop []string) error {
	change := func(tx txn) error {
		for _, r := range rows {
			key := []byte(r.ID)
			if old, ok := storedRow(tx, key, tx.Bucket(bucketEntries).Get(key)); ok && r.EventsBefore < old.EventsBefore {
				r.EventsBefore, r.Notified = old.EventsBefore, old.Notified
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
	err := x.disk.updateOrCreate(ctx, x.dir.index(), wait, change)
	if errors.Is(err, ErrDamaged) {
		x.log.Warn("the index was damaged and is made anew", "error", err)
		if err = x.dropDamaged(ctx); err == nil {
			err = x.disk.updateOrCreate(ctx, x.dir.index(), wait, change)
		}
	}
	return err
}

// dropDamaged removes the damaged index, unless another program has replaced it
// meanwhile.
func (x *index) dropDamaged(ctx context.Context) error {
	return x.disk.withDirectoryLock(ctx, func() error {
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
		h := pages.ReadHeaders(f)
		if n := pages.NewestHeader(h.Pages); n == nil || pages.Verify(f, n, true) != nil {
			unlock(f)
			return os.Remove(x.dir.index().path)
		}
		err = transact(f, reading, func(tx *bbolt.Tx) error {
			_, err := indexLayout.beginRead(tx)
			return err
		})
		if !errors.Is(err, ErrDamaged) {
			return nil
		}
		return os.Remove(x.dir.index().path)
	})
}

func (x *index) buildRow(ctx context.Context, f fileInfo) indexRow {
	var e Entry
	err := x.disk.view(ctx, x.dir.conversation(f.id), func(tx txn) error {
		var entryErr error
		if e, entryErr = storedEntry(tx); entryErr != nil {
			e = rebuildEntry(tx)
		}
		return nil
	})
	e.ID = f.id
	r := rowFor(e, f)
	if err != nil {
		r.Entry = Entry{ID: f.id, Updated: f.mtime.UTC(), Problem: err.Error()}
		if errors.Is(err, ErrBusy) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			r.Size = -1 // matches no file, so the next list builds the row again
		}
	}
	return r
}

// rows returns a row for every conversation on disk, and repairs the index.
func (x *index) rows(ctx context.Context) ([]indexRow, []fileInfo, error) {
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
		if ok && r.Problem == "" && r.matchesFile(f.size, f.mtime) {
			out[i] = r
			continue
		}
		fresh := x.buildRow(ctx, f)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if ok {
			fresh = fresh.withHistory(r)
		}
		out[i] = fresh
		if !ok || !fresh.hasSameContent(r.Entry) || !r.matchesFile(f.size, f.mtime) {
			changed = append(changed, fresh)
		}
	}
	x.repair(ctx, sound, changed, known)
	return out, files, nil
}

// repair writes changed rows into the index and removes those of deleted conversations, which
// are among left. It does not wait for a busy index.
func (x *index) repair(ctx context.Context, sound bool, changed []indexRow, left map[string]indexRow) {
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
