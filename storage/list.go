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

// Filter selects the conversations of a list. The zero value selects all of the user.
type Filter struct {
	Workspace string // only those of this folder, "" for any folder
	Limit     int    // at most this many, 0 for all
	Tasks     bool   // also sub-conversations, which tasks started
}

// List returns the stored conversations, the one with the newest event first.
// One that cannot be read is listed with its Problem.
func (s *Store) List(ctx context.Context, f Filter) ([]Entry, error) {
	entries, files, err := s.entries(ctx, f.Workspace)
	if err != nil {
		return nil, err
	}
	if !f.Tasks {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Parent != "" })
	}
	var locked []string
	sizes := map[string]int64{}
	for _, file := range files {
		sizes[file.id] = file.size
		if file.locked {
			locked = append(locked, file.id)
		}
	}
	elsewhere, err := s.locks.heldElsewhere(ctx, locked)
	if err != nil {
		s.log.Debug("writer locks could not be tested", "error", err)
	}
	if f.Limit > 0 && len(entries) > f.Limit {
		entries = entries[:f.Limit]
	}
	for i := range entries {
		e := &entries[i]
		e.OpenElsewhere, e.Bytes = elsewhere[e.ID], sizes[e.ID]
	}
	return entries, nil
}

// entries returns the conversations of a folder ("" for all folders), the one with the newest event first.
func (s *Store) entries(ctx context.Context, workspace string) ([]Entry, []fileInfo, error) {
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

// IsEmpty reports whether no conversation is stored. It only lists the folder, and opens no file.
func (s *Store) IsEmpty() (bool, error) {
	entries, err := os.ReadDir(s.dir.conversationsDir())
	return !slices.ContainsFunc(entries, func(n os.DirEntry) bool { _, ok := idOf(n.Name(), ".db"); return ok }), err
}

// Resolve returns the ID of the conversation that a user names by an ID or a prefix of at
// least four characters. A prefix that matches no conversation or several is an AmbiguousError.
func (s *Store) Resolve(ctx context.Context, prefix string) (string, error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	files, err := s.dir.files()
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(files, func(f fileInfo) bool { return !strings.HasPrefix(f.id, prefix) })
	if len(found) == 1 && len(prefix) >= conversation.MinIDPrefix {
		return found[0].id, nil
	}
	entries, err := s.List(ctx, Filter{Tasks: len(found) > 0})
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

// Newest finds the conversation with the newest event: of workspace, or if it has no conversations, of all. If that one
// cannot be read, the error is its problem. Damaged conversations whose workspace is unknown are skipped if there are
// others. If a skipped one may be newer, skipped is its problem.
func (s *Store) Newest(ctx context.Context, workspace string) (id, skipped string, err error) {
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
		skipped = entries[j].Problem
	}
	return entries[i].ID, skipped, nil
}

// Delete removes a conversation with all its texts. If it is open for
// writing, here or elsewhere, the error is a LockedError.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.dir.checkExists(id); err != nil {
		return err
	}
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	defer s.locks.unlock(lock)
	path := s.dir.conversation(id).path
	err = s.disk.withDirectoryLock(ctx, func() error {
		// A reader that has the file open can finish: the system keeps its content until then.
		for _, p := range []string{path, path + ".new"} {
			if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return explain(p, err)
			}
		}
		return explain(s.dir.conversationsDir(), syncDirectory(s.dir.conversationsDir()))
	})
	if err != nil {
		return fmt.Errorf("delete conversation %s: %w", id, err)
	}
	s.disk.dropQueue(path)
	if err := s.index.write(ctx, 0, nil, []string{id}); err != nil {
		s.log.Debug("index not told of a deletion; the next list finds out", "conversation", id, "error", err)
	}
	return nil
}

// OwnerPID returns the ID of the process that has the conversation open for writing, as stored in the lock
// file; 0 if it is not open, or the file has no ID.
func (s *Store) OwnerPID(id string) int {
	if !conversation.ValidID(id) {
		return 0
	}
	f, err := os.Open(filepath.Clean(s.dir.writerLockPath(id)))
	if err != nil {
		return 0
	}
	defer f.Close() // nothing was written
	return readPID(f)
}

// IsOpenElsewhere reports whether another program, or another store of this program,
// has the conversation open for writing. If that cannot be determined it reports
// true: such a conversation can still be read.
func (s *Store) IsOpenElsewhere(id string) bool {
	if !conversation.ValidID(id) || s.locks.isOwn(id) {
		return false
	}
	if _, err := os.Lstat(s.dir.writerLockPath(id)); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	// With an error, found is true for the conversation.
	found, _ := s.locks.heldElsewhere(context.Background(), []string{id})
	return found[id]
}
