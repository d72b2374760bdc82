package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"plimsoll/storage/pages"
)

// Rules of transactions:
//   - Each one locks the file, opens it, runs and closes it. Events are encoded and decoded outside.
//   - Damaged pages make bbolt panic or the processor fault. Both become a DamagedError here.
//   - A new file is written under another name and renamed when it is complete. So every file has its buckets and its format.

// boltWait limits bbolt's own wait for the lock, which we hold already; without a limit an error there would be a hang.
const boltWait = 2 * time.Second

// fillPercent is how full bbolt fills pages. It is high because keys are only added at the end.
const fillPercent = 0.9

// dbfile is the path of a database file and its layout.
type dbfile struct {
	path   string
	layout layout
}

// view reads f in one transaction.
func (d *disk) view(ctx context.Context, f dbfile, read func(txn) error) error {
	return d.viewWithin(ctx, f, d.wait, read)
}

// viewWithin is view with a wait other than the default. It restores a damaged header first.
func (d *disk) viewWithin(ctx context.Context, f dbfile, wait time.Duration, read func(txn) error) error {
	err := d.tryView(ctx, f, reading, wait, read)
	if !errors.Is(err, errHeaderLost) {
		return err
	}
	if err := d.updateWithin(ctx, f, wait, func(txn) error { return errUnchanged }); err != nil {
		return err
	}
	return d.tryView(ctx, f, reading, wait, read)
}

// tryView reads f in one transaction. If the newest header is damaged but can be restored, the error is errHeaderLost.
func (d *disk) tryView(ctx context.Context, f dbfile, a access, wait time.Duration, read func(txn) error) error {
	p, err := d.lockFile(ctx, f.path, a, wait)
	if err != nil {
		return err
	}
	defer p.release()
	if err := d.verify(p, a); err != nil {
		return err
	}
	return transact(p.file, a, func(raw *bbolt.Tx) error {
		tx, err := f.layout.beginRead(raw)
		if err != nil {
			return err
		}
		return read(tx)
	})
}

// errHeaderLost means that the newest header of a file is damaged, but can be restored.
var errHeaderLost = errors.New("its newest head is damaged: the last write is hidden")

// verify checks the headers of a file each time, and its pages the first time. With write access
// it restores a damaged header.
func (d *disk) verify(p *lockedFile, a access) error {
	path := p.queue.path
	h := pages.ReadHeaders(p.file)
	if hidden := h.RestorableHeader(); hidden != nil {
		if a != writing {
			return damaged(path, errHeaderLost)
		}
		if err := pages.WriteHeader(p.file, hidden); err != nil {
			return explain(path, err)
		}
		d.log.Warn("a damaged head was put right; what was stored last is back", "file", path, "commit", hidden.Commit())
		d.setNotice(path, "part of the file was damaged and has been repaired: nothing is lost")
		h = pages.ReadHeaders(p.file)
	}
	if h.MayHaveLostCommit() {
		d.setNotice(path, "part of the file is damaged, and the last write may be lost: check how the conversation ends")
	}
	header := pages.NewestHeader(h.Pages)
	if header == nil || p.queue.verified >= a.neededLevel() && a != checking {
		return nil // without a header, bbolt itself returns the error
	}
	// Verifying all pages takes hardly more time than a part of them, and a write may follow.
	level, err := verifiedAll, pages.Verify(p.file, header, true)
	if err != nil && a == reading {
		level, err = verifiedBranches, pages.Verify(p.file, header, false)
	}
	if err != nil {
		return damaged(path, err)
	}
	p.queue.verified = max(p.queue.verified, level)
	return nil
}

// update changes f in one transaction, which is on disk when update returns nil.
func (d *disk) update(ctx context.Context, f dbfile, change func(txn) error) error {
	return d.updateWithin(ctx, f, d.wait, change)
}

// updateWithin is update with a wait other than the default; 0 means no waiting. If change returns errUnchanged, nothing is
// written.
func (d *disk) updateWithin(ctx context.Context, f dbfile, wait time.Duration, change func(txn) error) error {
	p, err := d.lockFile(ctx, f.path, writing, wait)
	if err != nil {
		return err
	}
	defer p.release()
	if err := d.verify(p, writing); err != nil {
		return err
	}
	err = d.write(p.file, f.path, f.layout.beginWrite, change)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// write changes the content of an open file, which will be at path, in one transaction. begin prepares the file.
func (d *disk) write(file *os.File, path string, begin func(*bbolt.Tx) (txn, error), change func(txn) error) error {
	return transact(file, writing, func(raw *bbolt.Tx) error {
		tx, err := begin(raw)
		if err == nil {
			err = change(tx)
		}
		if err == nil {
			err = tx.putRecord()
		}
		if err == nil && d.commit != nil {
			err = d.commit(path)
		}
		return err
	})
}

// updateOrCreate changes f, and creates it if it is missing.
func (d *disk) updateOrCreate(ctx context.Context, f dbfile, wait time.Duration, change func(txn) error) error {
	err := d.updateWithin(ctx, f, wait, change)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.create(ctx, f, change)
		if errors.Is(err, fs.ErrExist) { // another program has created it
			err = d.updateWithin(ctx, f, wait, change)
		}
	}
	return err
}

// create creates f with the content that fill writes. If the file exists the error is fs.ErrExist.
func (d *disk) create(ctx context.Context, f dbfile, fill func(txn) error) error {
	return d.withDirectoryLock(ctx, func() error {
		_, err := os.Lstat(f.path)
		switch {
		case err == nil:
			return fmt.Errorf("%s: %w", f.path, fs.ErrExist)
		case !errors.Is(err, fs.ErrNotExist):
			return explain(f.path, err)
		}
		if err := d.replace(f, fill); err != nil {
			_ = os.Remove(f.path) // a file that is not durable must not remain; the error that counts is err
			return err
		}
		return nil
	})
}

// replace writes a new file and renames it to f.path. It replaces an existing file.
func (d *disk) replace(f dbfile, fill func(txn) error) error {
	draft := f.path + ".new"
	file, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return explain(draft, err)
	}
	err = d.write(file, f.path, f.layout.createBuckets, fill)
	if err == nil {
		err = os.Rename(draft, f.path)
	}
	if err != nil {
		// A draft that cannot be removed is overwritten later, or removed by doctor.
		_ = os.Remove(draft)
		return explain(f.path, err)
	}
	return explain(f.path, syncDirectory(filepath.Dir(f.path)))
}

// transact runs do in one transaction on a locked file, and closes the file.
func transact(file *os.File, a access, do func(*bbolt.Tx) error) (err error) {
	path := file.Name()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			// The database is in an unknown state, and db.Close could block
			// for ever. Closing the file releases the lock.
			unlock(file)
			err = damaged(path, fmt.Errorf("%v", p))
		}
	}()
	st, err := file.Stat()
	if err == nil && st.Size() == 0 && a != writing {
		err = damaged(path, errors.New("it is empty")) // bbolt would try to fill it
	}
	if err != nil {
		unlock(file)
		return explain(path, err)
	}
	db, err := openBolt(file, a)
	if err != nil {
		_ = file.Close() // already closed in most cases; the error that counts is err
		return explain(path, err)
	}
	if a == writing {
		err = updateAndCopyHeader(file, db, do)
	} else {
		err = db.View(refuseTruncated(file, do))
	}
	return explain(path, errors.Join(err, db.Close()))
}

// updateAndCopyHeader runs do in a transaction that writes, and then copies the header of the commit.
func updateAndCopyHeader(file *os.File, db *bbolt.DB, do func(*bbolt.Tx) error) error {
	var commit, last uint64
	err := db.Update(refuseTruncated(file, func(tx *bbolt.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		commit, last = uint64(tx.ID()), lastSeq(tx)
		return nil
	}))
	if err == nil {
		// The commit is durable without the copy, and the next commit writes one.
		_ = pages.WriteHeaderCopy(file, db.Info().PageSize, commit, last)
	}
	return err
}

// firstMap is the initial size of the memory map for a file that is written, in bytes. Unused addresses cost nothing. When a file
// outgrows its map, bbolt doubles the map and copies all pages not written yet.
const firstMap = 256 << 20

// leastGrowth and mostGrowth limit by how many bytes a file grows at once. Between them it doubles, so that a short conversation
// takes little space and a long one seldom has to grow.
const (
	leastGrowth = 32 << 10
	mostGrowth  = 16 << 20
)

// openBolt opens the bbolt database in an open, locked file.
func openBolt(file *os.File, a access) (*bbolt.DB, error) {
	mapped := 0
	if a == writing {
		mapped = firstMap
	}
	db, err := bbolt.Open(file.Name(), 0o600, &bbolt.Options{
		Timeout:         boltWait,
		FreelistType:    bbolt.FreelistArrayType,
		ReadOnly:        a != writing,
		PreLoadFreelist: a == writing,
		NoStatistics:    true,
		InitialMmapSize: mapped,
		OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return file, nil },
	})
	if err != nil {
		return nil, err
	}
	if st, err := file.Stat(); err == nil {
		db.AllocSize = int(min(max(st.Size(), leastGrowth), mostGrowth))
	}
	return db, nil
}

// refuseTruncated wraps do so that a file shorter than its pages is an error. Reading a missing page is a fault, which cannot be recovered in bbolt's own goroutines.
func refuseTruncated(file *os.File, do func(*bbolt.Tx) error) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		st, err := file.Stat()
		if err != nil {
			return err
		}
		if st.Size() < tx.Size() {
			return damaged(file.Name(), fmt.Errorf("%d bytes are missing at the end", tx.Size()-st.Size()))
		}
		return do(tx)
	}
}

// setNotice stores a notice about a file for the user.
func (d *disk) setNotice(path, notice string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notices[path] = notice
}

// notice returns the notice about a file, "" if it has none.
func (d *disk) notice(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.notices[path]
}
