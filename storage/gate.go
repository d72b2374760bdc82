package storage

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Rules of waiting for a file:
//   - Inside this process a file is used by one goroutine at a time.
//   - Across processes its flock decides; a free one is taken at once, a held
//     one is waited for in a goroutine, because flock cannot be cancelled.
//   - Whoever gives up leaves that goroutine behind; it releases the lock as
//     soon as it gets it. There is at most one such goroutine per file.
//   - All waits of a store together take no longer than one may: each is taken from
//     the store's patience, which comes back with the time that is not waited. So a
//     command that meets several locks of a stopped program waits a second, not one
//     for each. A busy lock is given free in milliseconds; for that there is always
//     time.

// disk reads and writes the database files of a data directory, each under its lock.
type disk struct {
	dir    directory
	wait   time.Duration           // for other programs, unless told otherwise
	commit func(path string) error // nil, or decides in a test whether a transaction fails
	open   func(path string, flags int, mode fs.FileMode) (*os.File, error)
	log    *slog.Logger

	patience patience

	mu      sync.Mutex // guards the fields below
	gates   map[string]*gate
	notices map[string]string // about the heads of a file, by its path
	closed  bool
}

// gate is the queue for one file in this process.
type gate struct {
	path string
	turn chan struct{} // capacity 1: holds a token while the file is in use
	// Guarded by turn:
	late     chan struct{} // closed when a wait that was given up has ended
	surveyed int           // how much of the file has been looked at once
}

// pass is the right to use a file.
type pass struct {
	file *os.File
	gate *gate
}

// release gives the file back. The file may have been closed already.
func (p *pass) release() {
	unlock(p.file)
	<-p.gate.turn
}

// enter opens path and takes its lock, waiting no longer than wait; 0 means
// not at all. A file that does not exist is fs.ErrNotExist unless a makes it.
func (d *disk) enter(ctx context.Context, path string, a access, wait time.Duration) (*pass, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g, err := d.gate(path)
	if err != nil {
		return nil, err
	}
	busy := fmt.Errorf("%s: %w", path, ErrBusy)
	wait, done := d.patience.take(wait)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, wait, busy)
	defer cancel()
	select {
	case g.turn <- struct{}{}: // also when wait is 0
	default:
		select {
		case g.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	f, err := d.acquire(ctx, g, a, wait > 0)
	if err != nil {
		<-g.turn
		return nil, explain(path, err)
	}
	return &pass{file: f, gate: g}, nil
}

// acquire opens and locks the file of g. The caller has g's turn.
func (d *disk) acquire(ctx context.Context, g *gate, a access, patient bool) (*os.File, error) {
	for {
		if g.late != nil {
			select {
			case <-g.late:
				g.late = nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		f, err := d.open(g.path, a.flags(), 0o600)
		if err != nil {
			return nil, err
		}
		err = flock(f, a.lock()|unix.LOCK_NB)
		if held(err) && patient {
			err = await(ctx, g, f, a)
		} else if held(err) {
			err = fmt.Errorf("%s: %w", g.path, ErrBusy)
		}
		if g.late != nil {
			return nil, err // f belongs to the goroutine left behind
		}
		if err == nil {
			err = tighten(f)
		}
		if err != nil {
			unlock(f)
			return nil, err
		}
		same, err := stillAt(f, g.path)
		if same {
			return f, nil
		}
		unlock(f)
		if err != nil {
			return nil, err
		}
	}
}

// await waits for the lock of f. When it gives up, it sets g.late and leaves its goroutine
// behind, which the next user of the file waits for. That wait ends when the holder gives
// the lock back or this process ends.
func await(ctx context.Context, g *gate, f *os.File, a access) error {
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
		g.late = done
		return context.Cause(ctx)
	}
}

// gate returns the queue for path.
func (d *disk) gate(path string) (*gate, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	g := d.gates[path]
	if g == nil {
		g = &gate{path: path, turn: make(chan struct{}, 1)}
		d.gates[path] = g
	}
	return g, nil
}

// patience is how long a store may still wait for other programs.
type patience struct {
	mu   sync.Mutex // guards the fields below
	most time.Duration
	left time.Duration
	at   time.Time // when left was right
}

// take begins a wait and says how long it may be; done ends it.
func (p *patience) take(wanted time.Duration) (wait time.Duration, done func()) {
	if wanted <= 0 {
		return 0, func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.at.Before(now) { // else another wait is counted already
		p.left = min(p.left+now.Sub(p.at), p.most)
		p.at = now
	}
	const part = 50 // of a wait, for locks that are busy and not stuck
	return min(wanted, max(p.left, p.most/part)), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if end := time.Now(); p.at.Before(end) {
			p.left = max(0, p.left-end.Sub(p.at))
			p.at = end
		}
	}
}

// underGate runs f while this process alone may make, remove or rename files
// of the data directory and take or test writer locks. f takes no lock that
// can be held for long.
func (d *disk) underGate(ctx context.Context, f func() error) error {
	return d.underGateWithin(ctx, d.wait, f)
}

// underGateWithin is underGate with another wait.
func (d *disk) underGateWithin(ctx context.Context, wait time.Duration, f func() error) error {
	p, err := d.enter(ctx, d.dir.gate(), gating, wait)
	if err != nil {
		return err
	}
	defer p.release()
	return f()
}

// forget drops the queue of a file that is gone, unless it is in use.
func (d *disk) forget(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.gates[path]; g != nil && len(g.turn) == 0 {
		delete(d.gates, path)
	}
}

// close refuses files from now on.
func (d *disk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}
