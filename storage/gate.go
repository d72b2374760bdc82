package storage

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Rules of waiting for a file:
//   - Inside this process a file is used by one goroutine at a time.
//   - Across processes its flock decides; a free one is taken at once, a held
//     one is waited for in a goroutine, because flock cannot be cancelled.
//   - Whoever gives up leaves that goroutine behind; it releases the lock as
//     soon as it gets it. There is at most one such goroutine per file.

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
func (s *Store) enter(ctx context.Context, path string, a access, wait time.Duration) (*pass, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g, err := s.gate(path)
	if err != nil {
		return nil, err
	}
	busy := fmt.Errorf("%s: %w", path, ErrBusy)
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
	f, err := s.acquire(ctx, g, a, wait > 0)
	if err != nil {
		<-g.turn
		return nil, explain(path, err)
	}
	return &pass{file: f, gate: g}, nil
}

// acquire opens and locks the file of g. The caller has g's turn.
func (s *Store) acquire(ctx context.Context, g *gate, a access, patient bool) (*os.File, error) {
	for {
		if g.late != nil {
			select {
			case <-g.late:
				g.late = nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		f, err := os.OpenFile(g.path, a.flags(), 0o600)
		if err != nil {
			return nil, err
		}
		err = flock(f, a.lock()|unix.LOCK_NB)
		if held(err) && patient {
			err = s.await(ctx, g, f, a)
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

// await waits for the lock of f. When it gives up, g.late is set.
func (s *Store) await(ctx context.Context, g *gate, f *os.File, a access) error {
	got, gaveUp, done := make(chan error), make(chan struct{}), make(chan struct{})
	started := s.start(func() {
		defer close(done)
		err := flock(f, a.lock())
		select {
		case got <- err:
		case <-gaveUp:
			unlock(f)
		}
	})
	if !started {
		return ErrClosed
	}
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
func (s *Store) gate(path string) (*gate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	g := s.gates[path]
	if g == nil {
		g = &gate{path: path, turn: make(chan struct{}, 1)}
		s.gates[path] = g
	}
	return g, nil
}

// start runs f in a goroutine that Close waits for, unless the store is closed.
func (s *Store) start(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.waits.Go(f)
	return true
}
