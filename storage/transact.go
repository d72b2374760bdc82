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
func (s *Store) view(ctx context.Context, f dbfile, read func(*bbolt.Tx) error) error {
	return s.look(ctx, f, reading, read)
}

// look is view, reading or checking.
func (s *Store) look(ctx context.Context, f dbfile, a access, read func(*bbolt.Tx) error) error {
	once := func() error {
		p, err := s.enter(ctx, f.path, a, s.options.Wait)
		if err != nil {
			return err
		}
		defer p.release()
		return transact(p.file, a, func(tx *bbolt.Tx) error {
			if err := f.layout.check(tx); err != nil {
				return err
			}
			return read(tx)
		})
	}
	err := once()
	if errors.Is(err, errOlder) {
		if err := s.update(ctx, f, func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
		err = once()
	}
	return err
}

// update changes f in one transaction, on disk when it returns nil.
func (s *Store) update(ctx context.Context, f dbfile, change func(*bbolt.Tx) error) error {
	return s.updateWithin(ctx, f, s.options.Wait, change)
}

// updateWithin is update with a wait of its own; 0 means none.
func (s *Store) updateWithin(ctx context.Context, f dbfile, wait time.Duration, change func(*bbolt.Tx) error) error {
	p, err := s.enter(ctx, f.path, writing, wait)
	if err != nil {
		return err
	}
	defer p.release()
	return transact(p.file, writing, s.faulty(f.path, func(tx *bbolt.Tx) error {
		if !p.gate.vetted {
			if err := vet(tx); err != nil {
				return err
			}
			p.gate.vetted = true
		}
		if err := f.layout.migrate(tx); err != nil {
			return err
		}
		return change(tx)
	}))
}

// create makes f with what fill puts into it. A file that is there already is
// fs.ErrExist.
func (s *Store) create(ctx context.Context, f dbfile, fill func(*bbolt.Tx) error) error {
	return s.underGate(ctx, func() error { return s.build(f, fill) })
}

// build is create for a caller that has the gate.
func (s *Store) build(f dbfile, fill func(*bbolt.Tx) error) error {
	_, err := os.Lstat(f.path)
	if err == nil {
		return fmt.Errorf("%s: %w", f.path, fs.ErrExist)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return explain(f.path, err)
	}
	if err := s.replace(f, fill); err != nil {
		// Nothing may remain of what could not be made durable; the error that
		// counts is err.
		_ = os.Remove(f.path)
		return err
	}
	return nil
}

// replace builds a new file and renames it to f.path, over whatever is there.
func (s *Store) replace(f dbfile, fill func(*bbolt.Tx) error) error {
	draft := f.path + ".new"
	file, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return explain(draft, err)
	}
	err = transact(file, writing, s.faulty(f.path, func(tx *bbolt.Tx) error {
		if err := f.layout.create(tx); err != nil {
			return err
		}
		return fill(tx)
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
func (s *Store) faulty(path string, change func(*bbolt.Tx) error) func(*bbolt.Tx) error {
	if s.options.commit == nil {
		return change
	}
	return func(tx *bbolt.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return s.options.commit(path)
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
		err = db.Update(whole(file, do))
	} else {
		err = db.View(whole(file, do))
	}
	return explain(path, errors.Join(err, db.Close()))
}

// vet follows the heads of all pages and refuses a page that reaches beyond the
// end of the file: bbolt would count to four thousand million, page by page.
// It is done before a file is first written and before it is checked (2 ms for
// 100 MB).
func vet(tx *bbolt.Tx) error {
	end := int(tx.Size()) / tx.DB().Info().PageSize
	for id := 0; id < end; id++ {
		p, err := tx.Page(id)
		if err != nil {
			return err
		}
		if p == nil || p.Type == "free" {
			continue
		}
		if p.OverflowCount >= end-id {
			return damaged(tx.DB().Path(), fmt.Errorf("page %d reaches beyond the end", id))
		}
		id += p.OverflowCount
	}
	return nil
}

// firstMap is how many bytes of addresses a file that is written gets at least.
// They cost nothing until they are used. bbolt doubles the map of a file that
// outgrows it, and copies all it has not written yet whenever it does.
const firstMap = 256 << 20

// openBolt opens a database over an open, locked file.
func openBolt(file *os.File, a access) (*bbolt.DB, error) {
	mapped := 0
	if a == writing {
		mapped = firstMap
	}
	return bbolt.Open(file.Name(), 0o600, &bbolt.Options{
		Timeout:         boltWait,
		FreelistType:    bbolt.FreelistArrayType,
		ReadOnly:        a != writing,
		PreLoadFreelist: a != reading,
		NoStatistics:    true,
		InitialMmapSize: mapped,
		OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return file, nil },
	})
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
