package storage

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"
)

// Rules of checking:
//   - Every file is read whole. Before bbolt checks its pages, which it does in
//     a goroutine of its own where a fault could not be recovered, all of them
//     and the list of free pages have been read once here.
//   - Nothing is changed, except that a file of an older format is brought
//     forward as with any read.

// Finding is something wrong in the data directory.
type Finding struct {
	File       string // path
	ID         string // conversation it belongs to, "" none
	What       string // what is wrong, for the user
	Repairable bool
	Repaired   bool
	Note       string // what the repair did or why it failed, "" before one

	cure cure
}

// cure is what a repair has to do.
type cure int

const (
	cureNone    cure = iota
	cureMode         // take rights from others
	cureDraft        // remove a draft
	cureCard         // make the card again
	cureRewrite      // copy what can be read into a new conversation file
	cureIndex        // make the index again
	cureShared       // copy what can be read into a new shared file
)

func found(f dbfile, id string, c cure, format string, args ...any) Finding {
	return Finding{File: f.path, ID: id, What: fmt.Sprintf(format, args...), Repairable: c != cureNone, cure: c}
}

// Check reads every file of the data directory and reports what is wrong, for
// `plimsoll doctor`. Progress, if not nil, is called with the number of files
// done and of all files. The error is that of ctx or of the folder.
func (s *Store) Check(ctx context.Context, progress func(done, total int)) ([]Finding, error) {
	files, err := s.folderFiles()
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
	all = append(all, s.checkIndex(ctx)...)
	all = append(all, s.checkLeftovers(ctx)...)
	progress(total, total)
	return all, ctx.Err()
}

// checkConversation checks one conversation file.
func (s *Store) checkConversation(ctx context.Context, id string) []Finding {
	f := s.conversation(id)
	out := checkMode(f, id)
	var rows []row
	var blobs []string
	var kept, recounted Entry
	var lost error
	err := s.checkFile(ctx, f, func(tx *bbolt.Tx) error {
		if got := string(tx.Bucket(bucketMeta).Get(keyID)); got != id {
			return damaged(f.path, fmt.Errorf("it says to be conversation %q", got))
		}
		rows = copyRows(tx)
		kept, lost = card(tx)
		recounted = Entry{ID: id, Workspace: string(tx.Bucket(bucketMeta).Get(keyWorkspace))}
		return tx.Bucket(bucketBlobs).ForEach(func(k, _ []byte) error {
			blobs = append(blobs, string(k))
			return nil
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return append(out, cannotRead(f, id, cureRewrite, err))
	}
	events, damage := decodeRows(rows)
	switch {
	case len(damage) > 0:
		out = append(out, found(f, id, cureRewrite, "%d of %d events cannot be read, the first is %d: %s",
			len(damage), len(events), damage[0].Seq, damage[0].Reason))
	case len(events) == 0:
		out = append(out, found(f, id, cureRewrite, "there is no event in it"))
	default:
		recounted.add(events)
		if lost != nil || !kept.same(recounted) {
			out = append(out, found(f, id, cureCard, "its summary for the list does not agree with its events"))
		}
	}
	out = append(out, missingTexts(f, id, events, blobs)...)
	return append(out, s.checkTexts(ctx, f, id, blobs)...)
}

// checkFile checks the pages of f and then reads what the caller wants.
func (s *Store) checkFile(ctx context.Context, f dbfile, read func(*bbolt.Tx) error) error {
	return s.look(ctx, f, checking, func(tx *bbolt.Tx) error {
		if err := vet(tx); err != nil {
			return err
		}
		if _, err := walk(tx); err != nil {
			return err
		}
		var first error
		for err := range tx.Check(bbolt.WithKVStringer(shortKeys{})) { // must be read to the end
			if first == nil {
				first = err
			}
		}
		if first != nil {
			return damaged(f.path, first)
		}
		return read(tx)
	})
}

// maxKey is longer than any key that is stored, in bytes.
const maxKey = 4096

// walk reads every page of every value, and looks every key up, which reads
// the keys that lead to it. The sum keeps the reads from being optimised away.
func walk(tx *bbolt.Tx) (sum byte, err error) {
	err = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		c := b.Cursor()
		return b.ForEach(func(k, v []byte) error {
			if len(k) > maxKey {
				return damaged(tx.DB().Path(), fmt.Errorf("bucket %s has a key of %d bytes", name, len(k)))
			}
			if at, _ := c.Seek(k); !bytes.Equal(at, k) {
				return damaged(tx.DB().Path(), fmt.Errorf("bucket %s has keys that cannot be found", name))
			}
			for i := 0; i < len(v); i += 512 {
				sum ^= v[i]
			}
			return nil
		})
	})
	return sum, err
}

// shortKeys shows the beginning of keys in what bbolt reports.
type shortKeys struct{}

// KeyToString returns up to 16 bytes in hexadecimal.
func (shortKeys) KeyToString(k []byte) string { return hex.EncodeToString(k[:min(16, len(k))]) }

// ValueToString does the same for values.
func (shortKeys) ValueToString(v []byte) string { return shortKeys{}.KeyToString(v) }

// checkShared checks input history and calibrations.
func (s *Store) checkShared(ctx context.Context) []Finding {
	f := s.shared()
	out := checkMode(f, "")
	unreadable := 0
	err := s.checkFile(ctx, f, func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if bytes.Equal(name, bucketMeta) {
				return nil
			}
			return b.ForEach(func(_, v []byte) error {
				if !json.Valid(v) {
					unreadable++
				}
				return nil
			})
		})
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		out = append(out, cannotRead(f, "", cureShared, err))
	case unreadable > 0:
		out = append(out, found(f, "", cureShared, "%d entries of the input history or the calibrations cannot be read", unreadable))
	}
	return out
}

// checkIndex compares the index with the conversations. Files that changed
// since their row was written are no finding: the next list heals that.
func (s *Store) checkIndex(ctx context.Context) []Finding {
	f := s.index()
	out := checkMode(f, "")
	err := s.checkFile(ctx, f, func(*bbolt.Tx) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		return nil // made by the next list
	}
	if err != nil {
		return append(out, cannotRead(f, "", cureIndex, err))
	}
	known, err := s.readIndex(ctx)
	files, err2 := s.folderFiles()
	if err != nil || err2 != nil {
		return append(out, cannotRead(f, "", cureIndex, errors.Join(err, err2)))
	}
	wrong := 0
	for _, file := range files {
		r, ok := known[file.id]
		if ok && r.describes(file.size, file.mtime) && !s.examine(ctx, file).same(r.Entry) {
			wrong++
		}
	}
	if wrong > 0 {
		out = append(out, found(f, "", cureIndex, "%d conversations are listed wrongly", wrong))
	}
	return out
}

// checkLeftovers looks for drafts of files whose making was cut short.
func (s *Store) checkLeftovers(ctx context.Context) []Finding {
	var out []Finding
	// Under the gate no draft is in the making.
	err := s.underGate(ctx, func() error {
		for _, dir := range []string{s.dir, s.folder()} {
			drafts, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.db.new"))
			if err != nil {
				return err
			}
			for _, d := range drafts {
				out = append(out, found(dbfile{path: d}, "", cureDraft, "it was left behind by a program that ended too early"))
			}
		}
		return nil
	})
	if err != nil {
		s.log.Debug("drafts could not be looked for", "error", err)
	}
	return out
}

// escapeGlob makes a folder's name match itself.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// checkMode looks for files others may read. Opening a file tightens its mode,
// so this comes first.
func checkMode(f dbfile, id string) []Finding {
	st, err := os.Stat(f.path)
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []Finding{found(f, id, cureMode, "its mode is %#o, others may use it", st.Mode().Perm())}
}

// cannotRead is the finding for a file that could not be opened or read.
func cannotRead(f dbfile, id string, c cure, err error) Finding {
	if !errors.Is(err, ErrDamaged) {
		c = cureNone
	}
	return found(f, id, c, "%v", cause(err))
}

// cause is what was found wrong, without the name of the file and the advice
// to run the command that is running.
func cause(err error) error {
	var d *DamagedError
	if errors.As(err, &d) {
		return d.Cause
	}
	return err
}
