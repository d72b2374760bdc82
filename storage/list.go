package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// Filter chooses the conversations of a list. The zero value takes all.
type Filter struct {
	Workspace string // only those of this folder, "" any
	Limit     int    // at most so many, 0 all
}

// List returns the stored conversations, the one with the newest event first.
// One that cannot be read is listed with its Problem.
func (s *Store) List(ctx context.Context, f Filter) ([]Entry, error) {
	entries, files, err := s.entries(ctx, f.Workspace)
	if err != nil {
		return nil, err
	}
	var locked []string
	sizes := map[string]int64{}
	for _, file := range files {
		sizes[file.id] = file.size
		if file.locked {
			locked = append(locked, file.id)
		}
	}
	elsewhere, err := s.locks.elsewhere(ctx, locked)
	if err != nil {
		s.log.Debug("writer locks could not be tested", "error", err)
	}
	if f.Limit > 0 && len(entries) > f.Limit {
		entries = entries[:f.Limit]
	}
	for i := range entries {
		e := &entries[i]
		e.Elsewhere, e.Bytes = elsewhere[e.ID], sizes[e.ID]
	}
	return entries, nil
}

// entries are the conversations of a folder, "" all, the one with the newest event first.
func (s *Store) entries(ctx context.Context, workspace string) ([]Entry, []fileSeen, error) {
	rows, files, err := s.index.rows(ctx)
	entries := make([]Entry, 0, len(rows))
	for _, r := range rows {
		if workspace == "" || r.Workspace == workspace {
			entries = append(entries, r.Entry)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
	return entries, files, err
}

// Empty reports whether no conversation is stored. It reads no file, whatever is stored.
func (s *Store) Empty() (bool, error) {
	names, err := os.ReadDir(s.dir.folder())
	return !slices.ContainsFunc(names, func(n os.DirEntry) bool { _, ok := idOf(n.Name(), ".db"); return ok }), err
}

// Resolve finds the conversation a user means: by its ID or a prefix of at
// least four characters of it; for "" the [Store.Newest]. A prefix that names
// none or several is an AmbiguousError; no conversation at all is ErrNotFound.
func (s *Store) Resolve(ctx context.Context, prefix, workspace string) (string, error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if prefix == "" {
		id, _, err := s.Newest(ctx, workspace)
		return id, err
	}
	files, err := s.dir.files()
	if err != nil {
		return "", err
	}
	found := prefixed(files, prefix)
	if len(found) == 1 && len(prefix) >= conversation.MinIDPrefix {
		return found[0].id, nil
	}
	entries, err := s.List(ctx, Filter{})
	if err != nil {
		return "", err
	}
	const shown = 10
	e := &AmbiguousError{Prefix: prefix, Matches: len(found)}
	for _, entry := range entries {
		if len(e.Candidates) < shown && (len(found) == 0 || strings.HasPrefix(entry.ID, prefix)) {
			e.Candidates = append(e.Candidates, entry)
		}
	}
	return "", e
}

// Newest finds the conversation with the newest event, of workspace if there is one. Where that one cannot be read, the
// error says so. One of which nobody knows the workspace is passed over while another is left; where it may be newer,
// passed says why it cannot be read.
func (s *Store) Newest(ctx context.Context, workspace string) (id, passed string, err error) {
	entries, err := s.List(ctx, Filter{})
	if err != nil {
		return "", "", err
	}
	if len(entries) == 0 {
		return "", "", fmt.Errorf("no conversation is stored in %s yet: %w", s.dir, ErrNotFound)
	}
	unknown := func(e Entry) bool { return e.Problem != "" && e.Workspace == "" }
	i := slices.IndexFunc(entries, func(e Entry) bool { return workspace != "" && e.Workspace == workspace })
	if i < 0 {
		i = max(0, slices.IndexFunc(entries, func(e Entry) bool { return !unknown(e) }))
	}
	if e := entries[i]; e.Problem != "" {
		return "", "", errors.New(e.Problem)
	}
	if j := slices.IndexFunc(entries[:i], unknown); j >= 0 {
		passed = entries[j].Problem
	}
	return entries[i].ID, passed, nil
}

// Delete removes a conversation with everything of it. One that is open for
// writing, also in this store, is a LockedError.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.dir.exists(id); err != nil {
		return err
	}
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	defer s.locks.unlock(lock)
	path := s.dir.conversation(id).path
	err = s.disk.underGate(ctx, func() error {
		// A reader that has the file open finishes with what it has.
		for _, p := range []string{path, path + ".new"} {
			if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return explain(p, err)
			}
		}
		return explain(s.dir.folder(), syncDirectory(s.dir.folder()))
	})
	if err != nil {
		return fmt.Errorf("delete conversation %s: %w", id, err)
	}
	s.disk.forget(path)
	if err := s.index.write(ctx, 0, nil, []string{id}); err != nil {
		s.log.Debug("index not told of a deletion; the next list finds out", "conversation", id, "error", err)
	}
	return nil
}

// Owner is the process that has the conversation open for writing, as its lock says; 0
// where nobody has or it does not say.
func (s *Store) Owner(id string) int {
	if !conversation.ValidID(id) {
		return 0
	}
	f, err := os.Open(filepath.Clean(s.dir.lock(id)))
	if err != nil {
		return 0
	}
	defer f.Close() // nothing was written
	return pidIn(f)
}

// OpenElsewhere reports whether another program, or another store of this one,
// has the conversation open for writing. When that cannot be found out, it
// says yes: such a conversation can still be read.
func (s *Store) OpenElsewhere(id string) bool {
	if !conversation.ValidID(id) || s.locks.mine(id) {
		return false
	}
	if _, err := os.Lstat(s.dir.lock(id)); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	// With an error found says yes, and there is nothing else to decide.
	found, _ := s.locks.elsewhere(context.Background(), []string{id})
	return found[id]
}
