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
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	Used      time.Time // when it last let a call run, to the minute; zero: never
	Kept      bool      // stands in the file, else it ends with the program
}

// ErrNoFile says that nothing can be kept, as the store has no file.
var ErrNoFile = errors.New("there is no file to keep it in")

// useInterval is how much later a use has to be than the last one that was noted, to be noted.
const useInterval = time.Minute

// Store holds grants. It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time

	mu   sync.Mutex // guards what follows
	run  []Grant    // of this run
	kept []Grant    // of the file as it was read last
	seen stamp      // of that file
	err  error      // why the file could not be read
	used map[string]time.Time
}

// New returns a store that keeps grants in the file path, which need not exist; "" for none. The clock may be nil for
// the system's.
func New(path string, now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{path: path, now: now, used: map[string]time.Time{}}
}

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
			if t := s.used[g.ID]; t.After(g.Used) {
				g.Used = t
			}
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
	now, err := stampOf(s.path)
	if err == nil && now == s.seen && s.err == nil {
		return
	}
	s.kept, s.seen, s.err = nil, now, err
	if err == nil {
		s.kept, s.err = read(s.path)
	}
}

// Add grants rules in a workspace: kept in the file, or while the program runs. A rule that is granted so already is
// not repeated. What cannot be kept is granted for this run, and the error says why.
func (s *Store) Add(ctx context.Context, rules []string, workspace string, keep bool) error {
	var fresh []Grant
	for _, rule := range rules {
		fresh = append(fresh, Grant{ID: rand.Text(), Rule: rule, Workspace: workspace, Granted: s.now().UTC().Truncate(time.Second)})
	}
	if keep {
		err := s.change(ctx, func(old []Grant) []Grant { return join(old, fresh) })
		if err == nil {
			return nil
		}
		s.addRun(fresh)
		return err
	}
	s.addRun(fresh)
	return nil
}

func (s *Store) addRun(fresh []Grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = join(s.run, fresh)
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

// Note remembers that grants let a call run now. It costs no access to the file: [Store.Flush] writes it.
func (s *Store) Note(ids ...string) {
	now := s.now().UTC().Truncate(time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.used[id] = now
	}
}

// Flush writes to the file when its grants were last used, if that is a minute or more later than what stands there.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.Lock()
	s.refresh()
	due := slices.ContainsFunc(s.kept, func(g Grant) bool { return s.used[g.ID].Sub(g.Used) >= useInterval })
	s.mu.Unlock()
	if !due {
		return nil
	}
	return s.change(ctx, func(old []Grant) []Grant { return old })
}

// change applies a change to the grants of the file, together with what is known of their use.
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
	fresh := f(slices.Clone(old))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range fresh {
		if t := s.used[fresh[i].ID]; t.After(fresh[i].Used) {
			fresh[i].Used = t
		}
	}
	if !slices.EqualFunc(old, fresh, same) {
		if err := write(s.path, fresh); err != nil {
			return fmt.Errorf("keep grants in %s: %w", s.path, err)
		}
	}
	for i := range fresh {
		fresh[i].Kept = true
	}
	s.kept, s.err = fresh, nil
	s.seen, s.err = stampOf(s.path)
	return nil
}

func same(a, b Grant) bool {
	return cmp.Or(cmp.Compare(a.ID, b.ID), a.Used.Compare(b.Used)) == 0
}
