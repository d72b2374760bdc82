package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of checking:
//   - Every file is read completely: its headers, its pages, and each value with its seal.
//   - Nothing is changed, except that abandoned drafts are removed.

// Finding describes damage, or another fault, in the data directory.
type Finding struct {
	File       string // path
	ID         string // conversation it belongs to, "" if none
	What       string // the fault, as a message for the user
	Repairable bool
	Repaired   bool
	Note       string // what the repair did or why it failed, "" before a repair

	remedy remedy
}

// remedy is how a finding is repaired.
type remedy int

const (
	remedyNone    remedy = iota
	remedyMode           // remove the permissions of other users
	remedyHeader         // restore the newest header
	remedyEntry          // rebuild the list entry
	remedyRewrite        // copy all readable content into a new conversation file
	remedyIndex          // rebuild the index
	remedyShared         // copy all readable content into a new shared file
)

func newFinding(f dbfile, id string, c remedy, format string, args ...any) Finding {
	return Finding{File: f.path, ID: id, What: fmt.Sprintf(format, args...), Repairable: c != remedyNone, remedy: c}
}

// Check reads every file of the data directory and reports all faults, for
// `plimsoll doctor`. It calls progress, if not nil, with the number of files
// done and of all files. The error is that of ctx or of reading the folder.
func (s *Store) Check(ctx context.Context, progress func(done, total int)) ([]Finding, error) {
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	total := len(files) + 2
	var all []Finding
	for i, f := range files {
		progress(i, total)
		all = append(all, s.checkConversation(ctx, f.id)...)
		if err := ctx.Err(); err != nil {
			return all, err
		}
	}
	progress(total-2, total)
	all = append(all, s.checkShared(ctx)...)
	progress(total-1, total)
	all = append(all, s.checkIndex(ctx, all)...)
	s.removeDrafts(ctx)
	progress(total, total)
	return all, ctx.Err()
}

func (s *Store) checkConversation(ctx context.Context, id string) []Finding {
	f := s.dir.conversation(id)
	out := checkMode(f, id)
	var stored decodeJob
	var blobs []string
	var kept, rebuilt Entry
	var entryErr error
	seals, err := s.checkFile(ctx, f, func(tx txn) error {
		rebuilt = emptyEntry(tx)
		if rebuilt.ID != id {
			return damaged(f.path, fmt.Errorf("it claims to be conversation %q", rebuilt.ID))
		}
		stored.copyRows(tx, 0)
		kept, entryErr = storedEntry(tx)
		return tx.Bucket(bucketBlobs).ForEach(func(k, _ []byte) error {
			blobs = append(blobs, string(k))
			return nil
		})
	})
	events, damage := stored.wait(conversation.Event{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return append(out, unreadable(f, id, remedyRewrite, err))
	}
	switch {
	case len(damage) > 0:
		out = append(out, newFinding(f, id, remedyRewrite, "%d of %d events cannot be read, the first is %d: %s",
			len(damage), len(events), damage[0].Seq, damage[0].Reason))
	case seals != nil:
		out = append(out, seals.asFinding(f, id, remedyRewrite))
	case len(events) == 0:
		out = append(out, newFinding(f, id, remedyRewrite, "there is no event in it"))
	default:
		rebuilt.add(events)
		if entryErr != nil || !kept.hasSameContent(rebuilt) {
			out = append(out, newFinding(f, id, remedyEntry, "its entry in the list does not match its events"))
		}
	}
	if s.mayHaveLostCommit(ctx, f) {
		out = append(out, newFinding(f, id, remedyHeader, "one of its two heads is damaged: if it was the newer one, the last write is lost; the conversation ends with event %d",
			len(events)))
	}
	out = append(out, missingTexts(f, id, events, blobs)...)
	if seals != nil && seals.damaged > 0 {
		return out // the damaged value may be a text, and is reported already
	}
	return append(out, s.checkTexts(ctx, f, id, blobs)...)
}

// mayHaveLostCommit reports whether one header of f is damaged and was perhaps the newer one.
func (s *Store) mayHaveLostCommit(ctx context.Context, f dbfile) bool {
	p, err := s.disk.lockFile(ctx, f.path, checking, s.disk.wait)
	if err != nil {
		return false
	}
	defer p.release()
	h := pages.ReadHeaders(p.file)
	return h.MayHaveLostCommit()
}

// badSeals counts the values of a file that differ from their seals.
type badSeals struct {
	damaged, correctable int
	first                string // key and bucket of the first one
}

func (w *badSeals) asFinding(f dbfile, id string, c remedy) Finding {
	if w.damaged == 0 {
		return newFinding(f, id, c, "%d values have a flipped bit that can be corrected, the first is %s", w.correctable, w.first)
	}
	return newFinding(f, id, c, "%d values are damaged, the first is %s", w.damaged+w.correctable, w.first)
}

// checkFile checks headers, pages and seals of f and then calls read. It
// returns nil if every value matches its seal.
func (s *Store) checkFile(ctx context.Context, f dbfile, read func(txn) error) (*badSeals, error) {
	var seals *badSeals
	err := s.disk.tryView(ctx, f, checking, s.disk.wait, func(tx txn) error {
		seals = checkSeals(tx)
		return read(tx)
	})
	return seals, err
}

// checkSeals compares each value with its seal. It returns nil if all match.
func checkSeals(tx txn) *badSeals {
	if !tx.sealed {
		return nil
	}
	var w badSeals
	// The callbacks never return an error.
	_ = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if bytes.Equal(name, bucketMeta) && bytes.Equal(k, keyFormat) {
				// It has no seal of its own, but a sealed copy.
				if sealed := b.Get(keySealed); !bytes.HasPrefix(sealed, v) || len(sealed) != len(v)+pages.SealSize {
					w.correctable++
					w.first = printableKey(keyFormat)
				}
				return nil
			}
			_, mended, err := pages.Unseal(name, k, v)
			if (mended || err != nil) && w.first == "" {
				w.first = fmt.Sprintf("%s of %s", printableKey(k), name)
			}
			if err != nil {
				w.damaged++
			} else if mended {
				w.correctable++
			}
			return nil
		})
	})
	if w.damaged+w.correctable == 0 {
		return nil
	}
	return &w
}

func (s *Store) checkShared(ctx context.Context) []Finding {
	f := s.dir.shared()
	out := checkMode(f, "")
	bad := 0
	seals, err := s.checkFile(ctx, f, func(tx txn) error {
		for _, name := range [][]byte{bucketHistory, bucketCalibrations} {
			err := tx.Bucket(name).ForEach(func(k, v []byte) error {
				if value, err := tx.unseal(name, k, v); err != nil || !json.Valid(value) {
					bad++
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrBusy):
		return nil
	case err != nil:
		out = append(out, unreadable(f, "", remedyShared, err))
	case bad > 0:
		out = append(out, newFinding(f, "", remedyShared, "%d entries of the input history or the calibrations cannot be read", bad))
	case seals != nil:
		out = append(out, seals.asFinding(f, "", remedyShared))
	}
	return out
}

// checkIndex compares the index with the conversations. It ignores files that changed
// since their row was written, which the next list updates, and files that already have
// a finding.
func (s *Store) checkIndex(ctx context.Context, earlier []Finding) []Finding {
	f := s.dir.index()
	out := checkMode(f, "")
	seals, err := s.checkFile(ctx, f, func(txn) error { return nil })
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrBusy):
		return nil // the next list creates or repairs it
	case err != nil:
		return append(out, unreadable(f, "", remedyIndex, err))
	case seals != nil:
		return append(out, seals.asFinding(f, "", remedyIndex))
	}
	known, err := s.index.read(ctx)
	files, err2 := s.dir.files()
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil || err2 != nil {
		return append(out, unreadable(f, "", remedyIndex, errors.Join(err, err2)))
	}
	wrong := 0
	for _, file := range files {
		r, ok := known[file.id]
		if !ok || r.Problem != "" || slices.ContainsFunc(earlier, func(f Finding) bool { return f.ID == file.id }) {
			continue
		}
		switch fresh := s.index.buildRow(ctx, file); {
		case fresh.Problem != "": // a finding of the file itself
		case fresh.withHistory(r).EventsBefore > 0:
			out = append(out, newFinding(s.dir.conversation(file.id), file.id, remedyIndex,
				"it had %d events once, and then fewer: an older copy of it was put in its place, or its last writes are lost; a backup may have them, and a repair only ends this message",
				fresh.withHistory(r).EventsBefore))
		case r.matchesFile(file.size, file.mtime) && !fresh.hasSameContent(r.Entry) && s.unchanged(file):
			wrong++
		}
	}
	if wrong > 0 {
		out = append(out, newFinding(f, "", remedyIndex, "%d entries of the list are wrong", wrong))
	}
	return out
}

// unchanged reports whether a file still has the size and time of f: then its row was built from the same content
// that was read since.
func (s *Store) unchanged(f fileInfo) bool {
	st, err := os.Stat(s.dir.conversation(f.id).path)
	return err == nil && st.Size() == f.size && st.ModTime().Equal(f.mtime)
}

// removeDrafts removes new files that were never completed. While it holds the directory lock, no other
// program can be writing one.
func (s *Store) removeDrafts(ctx context.Context) {
	err := s.disk.withDirectoryLockWithin(ctx, s.disk.wait/indexWait, func() error {
		for _, dir := range []string{string(s.dir), s.dir.conversationsDir()} {
			drafts, err := fs.Glob(os.DirFS(dir), "*.db.new")
			for _, draft := range drafts {
				err = errors.Join(err, os.Remove(filepath.Join(dir, draft)))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.log.Debug("drafts could not be removed", "error", err)
	}
}

// checkMode reports a file that other users may access. It must run before the file is opened, which corrects
// the mode.
func checkMode(f dbfile, id string) []Finding {
	st, err := os.Stat(f.path)
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []Finding{newFinding(f, id, remedyMode, "its mode is %#o: other users can access it", st.Mode().Perm())}
}

// unreadable is the finding for a file that could not be opened or read.
func unreadable(f dbfile, id string, c remedy, err error) Finding {
	switch {
	case errors.Is(err, errHeaderLost):
		c = remedyHeader
	case !errors.Is(err, ErrDamaged):
		c = remedyNone
	}
	return newFinding(f, id, c, "%v", cause(err))
}

// cause returns the cause in a DamagedError, without the file name and the advice
// to run doctor, which is running.
func cause(err error) error {
	if d, ok := errors.AsType[*DamagedError](err); ok {
		return d.Cause
	}
	return err
}
