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
//   - Lock, open, one transaction, close. Text is encoded and decoded outside.
//   - bbolt panics, and the processor faults, on pages that make no sense. Both
//     become a DamagedError here.
//   - A new file is made under another name and renamed when it is complete, so
//     a file that exists always has its buckets and its format.

// boltWait is the second net under the lock: bbolt waits for ever without it.
const boltWait = 2 * time.Second

// fillPercent is how full pages become: events are only ever added at the end.
const fillPercent = 0.9

// dbfile is a database file and its form.
type dbfile struct {
	path   string
	layout *layout
}

// view reads f in one transaction.
func (d *disk) view(ctx context.Context, f dbfile, read func(txn) error) error {
	return d.viewWithin(ctx, f, d.wait, read)
}

// viewWithin is view with another wait.
func (d *disk) viewWithin(ctx context.Context, f dbfile, wait time.Duration, read func(txn) error) error {
	err := d.look(ctx, f, reading, wait, read)
	if !errors.Is(err, errHidden) {
		return err
	}
	if err := d.updateWithin(ctx, f, wait, func(txn) error { return errUnchanged }); err != nil && !errors.Is(err, errUnchanged) {
		return err
	}
	return d.look(ctx, f, reading, wait, read)
}

// look is view, but for a file whose newest head is hidden, which is errHidden.
func (d *disk) look(ctx context.Context, f dbfile, a access, wait time.Duration, read func(txn) error) error {
	p, err := d.enter(ctx, f.path, a, wait)
	if err != nil {
		return err
	}
	defer p.release()
	if err := d.survey(p, a); err != nil {
		return err
	}
	return transact(p.file, a, func(raw *bbolt.Tx) error {
		tx, err := f.layout.check(raw)
		if err != nil {
			return err
		}
		return read(tx)
	})
}

// errHidden says that the newest transaction of a file is hidden by a damaged head.
var errHidden = errors.New("its newest head is damaged: the last write is hidden")

// survey looks at the heads of a file each time, and at its pages the first time. Where
// it may write it puts a hidden head back where it belongs.
func (d *disk) survey(p *pass, a access) error {
	path := p.gate.path
	h := pages.ReadHeads(p.file)
	if hidden := h.Hidden(); hidden != nil {
		if a != writing {
			return damaged(path, errHidden)
		}
		if err := pages.PutBack(p.file, hidden); err != nil {
			return explain(path, err)
		}
		d.log.Warn("a damaged head was put right; what was stored last is back", "file", path, "commit", hidden.Commit())
		d.tell(path, "part of the file was damaged and has been repaired: nothing is lost")
		h = pages.ReadHeads(p.file)
	}
	if h.Doubtful() {
		d.tell(path, "part of the file is damaged, and the last write may be lost: check how the conversation ends")
	}
	head := pages.Newest(h.Pages)
	if head == nil || p.gate.surveyed >= a.surveying() && a != checking {
		return nil // bbolt says what is wrong with the heads
	}
	// Reading all of a file takes hardly more time than a part, and a write may follow.
	level, err := surveyedAll, pages.Survey(p.file, head, true)
	if err != nil && a == reading {
		level, err = surveyedWays, pages.Survey(p.file, head, false)
	}
	if err != nil {
		return damaged(path, err)
	}
	p.gate.surveyed = max(p.gate.surveyed, level)
	return nil
}

// update changes f in one transaction, on disk when it returns nil.
func (d *disk) update(ctx context.Context, f dbfile, change func(txn) error) error {
	return d.updateWithin(ctx, f, d.wait, change)
}

// updateWithin is update with another wait; 0 means none.
func (d *disk) updateWithin(ctx context.Context, f dbfile, wait time.Duration, change func(txn) error) error {
	p, err := d.enter(ctx, f.path, writing, wait)
	if err != nil {
		return err
	}
	defer p.release()
	if err := d.survey(p, writing); err != nil {
		return err
	}
	return transact(p.file, writing, d.faulty(f.path, func(raw *bbolt.Tx) error {
		tx, err := f.layout.migrate(raw)
		if err == nil {
			err = change(tx)
		}
		if err == nil {
			err = tx.keepRecord()
		}
		return err
	}))
}

// create makes f with what fill puts into it. A file that is there already is
// fs.ErrExist.
func (d *disk) create(ctx context.Context, f dbfile, fill func(txn) error) error {
	return d.underGate(ctx, func() error { return d.build(f, fill) })
}

// build is create for a caller that has the gate.
func (d *disk) build(f dbfile, fill func(txn) error) error {
	_, err := os.Lstat(f.path)
	if err == nil {
		return fmt.Errorf("%s: %w", f.path, fs.ErrExist)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return explain(f.path, err)
	}
	if err := d.replace(f, fill); err != nil {
		// Nothing may remain of what could not be made durable; the error that
		// counts is err.
		_ = os.Remove(f.path)
		return err
	}
	return nil
}

// replace builds a new file and renames it to f.path, over whatever is there.
func (d *disk) replace(f dbfile, fill func(txn) error) error {
	draft := f.path + ".new"
	file, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return explain(draft, err)
	}
	err = transact(file, writing, d.faulty(f.path, func(raw *bbolt.Tx) error {
		tx, err := f.layout.create(raw)
		if err == nil {
			err = fill(tx)
		}
		if err == nil {
			err = tx.keepRecord()
		}
		return err
	}))
	if err == nil {
		err = os.Rename(draft, f.path)
	}
	if err != nil {
		// What remains is a draft; it is overwritten or reported by doctor.
		_ = os.Remove(draft)
		return explain(f.path, err)
	}
	return explain(f.path, syncDirectory(filepath.Dir(f.path)))
}

// faulty adds the faults of a test to change.
func (d *disk) faulty(path string, change func(*bbolt.Tx) error) func(*bbolt.Tx) error {
	if d.commit == nil {
		return change
	}
	return func(tx *bbolt.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return d.commit(path)
	}
}

// transact runs do in one transaction on file, which is locked, and closes it.
func transact(file *os.File, a access, do func(*bbolt.Tx) error) (err error) {
	path := file.Name()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			// The database may be left in the middle of anything, its Close
			// could wait for ever. Without the descriptor it holds no lock.
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
		err = update(file, db, do)
	} else {
		err = db.View(whole(file, do))
	}
	return explain(path, errors.Join(err, db.Close()))
}

// update runs do in a transaction that writes and copies the head of its commit.
func update(file *os.File, db *bbolt.DB, do func(*bbolt.Tx) error) error {
	var commit, last uint64
	err := db.Update(whole(file, func(tx *bbolt.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		commit, last = uint64(tx.ID()), lastSeq(tx)
		return nil
	}))
	if err == nil {
		// What was committed is safe without the copy, and the next commit makes one.
		_ = pages.KeepSpare(file, db.Info().PageSize, commit, last)
	}
	return err
}

// firstMap is how many bytes of addresses a file that is written gets at least.
// They cost nothing until they are used. bbolt doubles the map of a file that
// outgrows it, and copies all it has not written yet whenever it does.
const firstMap = 256 << 20

// leastGrowth and mostGrowth bound by how much a file grows at once: to twice its size
// in between, so that a short conversation takes little room and a long one seldom waits
// for it to grow.
const (
	leastGrowth = 32 << 10
	mostGrowth  = 16 << 20
)

// openBolt opens a database over an open, locked file.
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

// whole refuses a file that is shorter than its pages: reading one that is not
// there is a fault, and in bbolt's own goroutines one that cannot be recovered.
func whole(file *os.File, do func(*bbolt.Tx) error) func(*bbolt.Tx) error {
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

// tell keeps a notice about a file for the user.
func (d *disk) tell(path, notice string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notices[path] = notice
}

// told is the notice about a file, "" without one.
func (d *disk) told(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.notices[path]
}
