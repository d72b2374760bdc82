// Package grants keeps the rules that the user granted by an answer to a question: some while the program runs, some in
// a file for later runs. Each holds in the workspace it was granted in and nowhere else, as "go test" is other code in
// another project.
//
// Guarantees:
//
//   - The file is read strictly. From one that is damaged, or written by a later version, nothing is granted, and nothing
//     is written over it; the error says so.
//   - Every change reads the file anew under a lock and replaces it in one rename, so that several programs lose nothing
//     of each other. A change that another program makes, a revocation too, counts from the next look on.
//   - Only the user may read the file (0600).
package grants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"
)

// Grant is one rule that the user granted.
type Grant struct {
	ID        string    // names it in this store
	Rule      string    // as written
	Workspace string    // absolute; where it holds
	Granted   time.Time // UTC, whole seconds
	Kept      bool      // stands in the file, else it ends with the program
}

// ErrNoFile says that nothing can be kept, as the store has no file.
var ErrNoFile = errors.New("there is no file to keep it in")

// Store holds grants. It is safe for concurrent use.
type Store struct {
	path string

	mu   sync.Mutex  // guards what follows
	run  []Grant     // of this run
	kept []Grant     // of the file as it was read last
	seen fs.FileInfo // of that file
	err  error       // why the file could not be read
}

// New returns a store that keeps grants in the file path, which need not exist; "" for none.
func New(path string) *Store { return &Store{path: path} }

// Path is the file; "" if there is none.
func (s *Store) Path() string { return s.path }

// In lists the grants that hold in a workspace, those of the file first, each in the order in which they were granted.
// An error says that the file cannot be read; the grants of this run are listed all the same.
func (s *Store) In(workspace string) ([]Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	var out []Grant
	for _, g := range slices.Concat(s.kept, s.run) {
		if g.Workspace == workspace {
			out = append(out, g)
		}
	}
	return out, s.err
}

// refresh reads the file again if it is another than the one read last.
func (s *Store) refresh() {
	if s.path == "" {
		return
	}
	now, err := stat(s.path)
	if err == nil && s.err == nil && unchanged(s.seen, now) {
		return
	}
	s.seen = now
	s.kept, s.err = read(s.path)
}

// Add grants rules in a workspace: kept in the file, or while the program runs. A rule that is granted so already is
// not repeated. What cannot be kept is granted for this run, and the error says why.
func (s *Store) Add(ctx context.Context, rules []string, workspace string, keep bool) error {
	var fresh []Grant
	for _, rule := range rules {
		fresh = append(fresh, Grant{ID: rand.Text(), Rule: rule, Workspace: workspace, Granted: time.Now().UTC().Truncate(time.Second)})
	}
	var err error
	if keep {
		if err = s.change(ctx, func(old []Grant) []Grant { return join(old, fresh) }); err == nil {
			return nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = join(s.run, fresh)
	return err
}

// join adds what is not there yet.
func join(old, fresh []Grant) []Grant {
	for _, g := range fresh {
		if !slices.ContainsFunc(old, func(o Grant) bool { return o.Rule == g.Rule && o.Workspace == g.Workspace }) {
			old = append(old, g)
		}
	}
	return old
}

// Revoke ends a grant. One that is gone already is no error.
func (s *Store) Revoke(ctx context.Context, id string) error {
	is := func(g Grant) bool { return g.ID == id }
	s.mu.Lock()
	ours := slices.ContainsFunc(s.run, is)
	s.run = slices.DeleteFunc(s.run, is)
	s.mu.Unlock()
	if ours {
		return nil
	}
	return s.change(ctx, func(old []Grant) []Grant { return slices.DeleteFunc(old, is) })
}

// change applies a change to the grants of the file.
func (s *Store) change(ctx context.Context, f func(old []Grant) []Grant) error {
	if s.path == "" {
		return ErrNoFile
	}
	release, err := lock(ctx, s.path+".lock")
	if err != nil {
		return fmt.Errorf("keep grants in %s: %w", s.path, err)
	}
	defer release()
	old, err := read(s.path)
	if err != nil {
		return err
	}
	if fresh := f(slices.Clone(old)); !slices.Equal(old, fresh) {
		if err := write(s.path, fresh); err != nil {
			return fmt.Errorf("keep grants in %s: %w", s.path, err)
		}
	}
	return nil
}
