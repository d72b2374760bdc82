// Package grants stores the rules that the user granted when asked for approval: some while the program runs, some in a
// file for later runs. A rule holds only in the workspace in which it was granted, because "go test" runs other code in
// another project.
//
// Guarantees:
//
//   - The file is read strictly. If it is damaged, or written by a later version, it grants no rule and is not
//     overwritten; the error says so.
//   - Every change reads the file again under a lock and replaces it by a rename, so that programs do not lose each
//     other's changes. A grant or revocation by another program counts from the next call of In on.
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
	ID        string    `json:"id"`        // unique in this store
	Rule      string    `json:"rule"`      // TOOL or TOOL(PATTERN), as written
	Workspace string    `json:"workspace"` // folder in which it holds, absolute
	Granted   time.Time `json:"granted"`   // UTC, whole seconds
	Kept      bool      `json:"-"`         // stored in the file; otherwise it ends with the program
}

// ErrNoFile is returned when a grant should be kept and the store has no file.
var ErrNoFile = errors.New("there is no file to keep it in")

// Store holds grants. It is safe for concurrent use.
type Store struct {
	path string

	mu   sync.Mutex  // guards what follows
	run  []Grant     // grants of this run
	kept []Grant     // grants of the file, as last read
	seen fs.FileInfo // of the file as last read
	err  error       // why the file could not be read
}

// New returns a store that keeps grants in the file path, which need not exist; "": it has no file.
func New(path string) *Store { return &Store{path: path} }

// Path returns the path of the file; "" if the store has no file.
func (s *Store) Path() string { return s.path }

// In lists the grants that hold in a workspace, those of the file first, then those of this run, each in the order of
// granting. The error says that the file cannot be read; the grants of this run are returned with it.
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

// refresh reads the file again if it has changed since it was last read.
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

// Add grants rules in a workspace, with keep in the file, otherwise while the program runs. It does not add a rule twice.
// If the file cannot be written, the rules are granted for this run, and the error says why.
func (s *Store) Add(ctx context.Context, rules []string, workspace string, keep bool) error {
	var fresh []Grant
	for _, rule := range rules {
		fresh = append(fresh, Grant{ID: rand.Text(), Rule: rule, Workspace: workspace, Granted: time.Now().UTC().Truncate(time.Second)})
	}
	var err error
	if keep {
		if err = s.change(ctx, func(old []Grant) []Grant { return addMissing(old, fresh) }); err == nil {
			return nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = addMissing(s.run, fresh)
	return err
}

func addMissing(old, fresh []Grant) []Grant {
	for _, g := range fresh {
		if !slices.ContainsFunc(old, func(o Grant) bool { return o.Rule == g.Rule && o.Workspace == g.Workspace }) {
			old = append(old, g)
		}
	}
	return old
}

// Revoke removes a grant. An unknown id is no error.
func (s *Store) Revoke(ctx context.Context, id string) error {
	hasID := func(g Grant) bool { return g.ID == id }
	s.mu.Lock()
	ofThisRun := slices.ContainsFunc(s.run, hasID)
	s.run = slices.DeleteFunc(s.run, hasID)
	s.mu.Unlock()
	if ofThisRun {
		return nil
	}
	return s.change(ctx, func(old []Grant) []Grant { return slices.DeleteFunc(old, hasID) })
}

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
