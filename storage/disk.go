package storage

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Rules of locking a file:
//   - Inside this process, one goroutine at a time uses a file.
//   - Between processes, flock decides. A call gets a free lock immediately. For a held lock it starts a goroutine that
//     waits, because a blocking flock cannot be cancelled.
//   - When the caller gives up, that goroutine keeps waiting, and releases the lock as soon as it gets it. Each file
//     has at most one such goroutine.
//   - All waits of a store share one time budget, which refills while no call waits. So a command that needs several
//     locks held by a suspended program waits one second in total, not one for each. Even if the budget is used up,
//     each wait may take a small part of it: enough for a lock that is released within milliseconds.

// disk reads and writes the database files of a data directory, each under its lock.
type disk struct {
	dir    directory
	wait   time.Duration           // default wait for other programs
	commit func(path string) error // test hook that can fail a transaction, may be nil
	open   func(path string, flags int, mode fs.FileMode) (*os.File, error)
	log    *slog.Logger

	budget waitBudget

	mu      sync.Mutex // guards the fields below
	queues  map[string]*fileQueue
	notices map[string]string // by path: a message to the user about damage in the header of that file
	closed  bool
}

// fileQueue lets one goroutine of this process at a time use a file.
type fileQueue struct {
	path string
	slot chan struct{} // capacity 1: holds a token while the file is in use
	// Guarded by slot:
	abandoned chan struct{} // closed when the goroutine of an abandoned wait ends; nil without one
	verified  int           // which pages have been verified: 0, verifiedBranches or verifiedAll
}

// lockedFile is an open file whose lock and slot are held.
type lockedFile struct {
	file  *os.File
	queue *fileQueue
}

// release releases the lock and the slot. The file may have been closed already.
func (f *lockedFile) release() {
	unlock(f.file)
	<-f.queue.slot
}

// lockFile opens and locks the file at path. It waits at most wait for the lock; 0 means not at all. It returns
// fs.ErrNotExist for a missing file, unless access a creates it.
func (d *disk) lockFile(ctx context.Context, path string, a access, wait time.Duration) (*lockedFile, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, err := d.queue(path)
	if err != nil {
		return nil, err
	}
	busy := fmt.Errorf("%s: %w", path, ErrBusy)
	wait, done := d.budget.reserve(wait)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, wait, busy)
	defer cancel()
	select {
	case q.slot <- struct{}{}: // also succeeds when wait is 0
	default:
		select {
		case q.slot <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	f, err := d.openLocked(ctx, q, a, wait > 0)
	if err != nil {
		<-q.slot
		return nil, explain(path, err)
	}
	return &lockedFile{file: f, queue: q}, nil
}

// openLocked opens and locks the file of q. The caller holds its slot. canWait permits it to wait for the lock.
func (d *disk) openLocked(ctx context.Context, q *fileQueue, a access, canWait bool) (*os.File, error) {
	for {
		if q.abandoned != nil {
			select {
			case <-q.abandoned:
				q.abandoned = nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		f, err := d.open(q.path, a.flags(), 0o600)
		if err != nil {
			return nil, err
		}
		err = flock(f, a.lock()|unix.LOCK_NB)
		if isHeldElsewhere(err) && canWait {
			err = waitForLock(ctx, q, f, a)
		} else if isHeldElsewhere(err) {
			err = fmt.Errorf("%s: %w", q.path, ErrBusy)
		}
		if q.abandoned != nil {
			return nil, err // f belongs to the goroutine that still waits
		}
		if err == nil {
			err = restrictMode(f)
		}
		if err != nil {
			unlock(f)
			return nil, err
		}
		same, err := isStillAt(f, q.path)
		if same {
			return f, nil
		}
		unlock(f)
		if err != nil {
			return nil, err
		}
	}
}

// waitForLock waits for the lock of f until ctx ends. Then it sets q.abandoned, and its goroutine remains until the
// holder releases the lock. The next user of the file waits for that goroutine first.
func waitForLock(ctx context.Context, q *fileQueue, f *os.File, a access) error {
	got, gaveUp, done := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := flock(f, a.lock())
		select {
		case got <- err:
		case <-gaveUp:
			unlock(f)
		}
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		close(gaveUp)
		q.abandoned = done
		return context.Cause(ctx)
	}
}

func (d *disk) queue(path string) (*fileQueue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	q := d.queues[path]
	if q == nil {
		q = &fileQueue{path: path, slot: make(chan struct{}, 1)}
		d.queues[path] = q
	}
	return q, nil
}

// waitBudget limits the total time that a store waits for other programs.
type waitBudget struct {
	mu        sync.Mutex // guards the fields below
	limit     time.Duration
	remaining time.Duration
	updated   time.Time // when remaining was computed
}

// reserve begins a wait and returns its longest duration, at most limit. The caller calls done after the wait.
func (b *waitBudget) reserve(limit time.Duration) (wait time.Duration, done func()) {
	if limit <= 0 {
		return 0, func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.updated.Before(now) { // else a concurrent wait has updated it
		b.remaining = min(b.remaining+now.Sub(b.updated), b.limit)
		b.updated = now
	}
	const part = 50 // a wait may always take 1/part of b.limit, for locks that are released soon
	return min(limit, max(b.remaining, b.limit/part)), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if end := time.Now(); b.updated.Before(end) {
			b.remaining = max(0, b.remaining-end.Sub(b.updated))
			b.updated = end
		}
	}
}

// withDirectoryLock runs f while it holds the lock of the data directory. Only its holder may create, remove or rename
// files there, and take or test writer locks. f must not wait for a lock that can be held for long.
func (d *disk) withDirectoryLock(ctx context.Context, f func() error) error {
	return d.withDirectoryLockWithin(ctx, d.wait, f)
}

// withDirectoryLockWithin is withDirectoryLock with a wait other than the default.
func (d *disk) withDirectoryLockWithin(ctx context.Context, wait time.Duration, f func() error) error {
	lock, err := d.lockFile(ctx, filepath.Join(string(d.dir), "gate"), directoryLock, wait)
	if err != nil {
		return err
	}
	defer lock.release()
	return f()
}

// dropQueue removes the queue of a deleted file, unless it is in use.
func (d *disk) dropQueue(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q := d.queues[path]; q != nil && len(q.slot) == 0 {
		delete(d.queues, path)
	}
}

// close makes every later call fail with ErrClosed.
func (d *disk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}
