package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of checking:
//   - Every file is read whole: its heads, its pages, and each value with its seal.
//   - Nothing is changed, except that abandoned drafts are removed.

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
	cureHead         // put back the head of the newest transaction
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
	return s.doctor().check(ctx, progress)
}

// doctor checks and repairs the files of a data directory.
type doctor struct {
	dir   directory
	disk  *disk
	index *index
	locks *writerLocks
	blobs *blobs
	log   *slog.Logger
}

func (s *Store) doctor() *doctor {
	return &doctor{dir: s.dir, disk: s.disk, index: s.index, locks: s.locks, blobs: s.blobs, log: s.log}
}

// check reads every file and says what is wrong.
func (d *doctor) check(ctx context.Context, progress func(done, total int)) ([]Finding, error) {
	files, err := d.dir.files()
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
		all = append(all, d.checkConversation(ctx, f.id)...)
		if err := ctx.Err(); err != nil {
			return all, err
		}
	}
	progress(total-2, total)
	all = append(all, d.checkShared(ctx)...)
	progress(total-1, total)
	all = append(all, d.checkIndex(ctx, all)...)
	d.removeDrafts(ctx)
	progress(total, total)
	return all, ctx.Err()
}

// checkConversation checks one conversation file.
func (d *doctor) checkConversation(ctx context.Context, id string) []Finding {
	f := d.dir.conversation(id)
	out := checkMode(f, id)
	var stored decoding
	var blobs []string
	var kept, recounted Entry
	var lost error
	values, err := d.checkFile(ctx, f, func(tx txn) error {
		recounted = blank(tx)
		if recounted.ID != id {
			return damaged(f.path, fmt.Errorf("it claims to be conversation %q", recounted.ID))
		}
		stored.copy(tx, 0)
		kept, lost = card(tx)
		return tx.Bucket(bucketBlobs).ForEach(func(k, _ []byte) error {
			blobs = append(blobs, string(k))
			return nil
		})
	})
	events, damage := stored.events(conversation.Event{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return append(out, cannotRead(f, id, cureRewrite, err))
	}
	switch {
	case len(damage) > 0:
		out = append(out, found(f, id, cureRewrite, "%d of %d events cannot be read, the first is %d: %s",
			len(damage), len(events), damage[0].Seq, damage[0].Reason))
	case values != nil:
		out = append(out, values.finding(f, id, cureRewrite))
	case len(events) == 0:
		out = append(out, found(f, id, cureRewrite, "there is no event in it"))
	default:
		recounted.add(events)
		if lost != nil || !kept.same(recounted) {
			out = append(out, found(f, id, cureCard, "its entry in the list does not match its events"))
		}
	}
	if d.doubtful(ctx, f) {
		out = append(out, found(f, id, cureHead, "one of its two heads is damaged: if it was the newer one, the last write is lost; the conversation ends with event %d",
			len(events)))
	}
	out = append(out, missingTexts(f, id, events, blobs)...)
	if values != nil && values.lost > 0 {
		return out // it may be a text, and one finding of it is enough
	}
	return append(out, d.checkTexts(ctx, f, id, blobs)...)
}

// doubtful reports whether nothing tells which of the two heads of f was the newer one.
func (d *doctor) doubtful(ctx context.Context, f dbfile) bool {
	p, err := d.disk.enter(ctx, f.path, checking, d.disk.wait)
	if err != nil {
		return false
	}
	defer p.release()
	h := pages.ReadHeads(p.file)
	return h.Doubtful()
}

// wrong is what the seals of a file tell.
type wrong struct {
	lost, mended int
	first        string // value
}

func (w *wrong) finding(f dbfile, id string, c cure) Finding {
	if w.lost == 0 {
		return found(f, id, c, "%d values have a flipped bit that can be corrected, the first is %s", w.mended, w.first)
	}
	return found(f, id, c, "%d values are damaged, the first is %s", w.lost+w.mended, w.first)
}

// checkFile checks heads, pages and seals of f and then reads what the caller wants. It
// returns nil if each value is the one that was stored.
func (d *doctor) checkFile(ctx context.Context, f dbfile, read func(txn) error) (*wrong, error) {
	var values *wrong
	err := d.disk.look(ctx, f, checking, d.disk.wait, func(tx txn) error {
		values = checkSeals(tx)
		return read(tx)
	})
	return values, err
}

// checkSeals compares each value with its seal.
func checkSeals(tx txn) *wrong {
	if !tx.sealed {
		return nil
	}
	var w wrong
	// Nothing below returns an error.
	_ = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if bytes.Equal(name, bucketMeta) && bytes.Equal(k, keyFormat) {
				// It has a sealed copy.
				if sealed := b.Get(keySealed); !bytes.HasPrefix(sealed, v) || len(sealed) != len(v)+pages.SealSize {
					w.mended++
					w.first = shown(keyFormat)
				}
				return nil
			}
			_, mended, err := pages.Unseal(name, k, v)
			if (mended || err != nil) && w.first == "" {
				w.first = fmt.Sprintf("%s of %s", shown(k), name)
			}
			if err != nil {
				w.lost++
			} else if mended {
				w.mended++
			}
			return nil
		})
	})
	if w.lost+w.mended == 0 {
		return nil
	}
	return &w
}

// checkShared checks input history and calibrations.
func (d *doctor) checkShared(ctx context.Context) []Finding {
	f := d.dir.shared()
	out := checkMode(f, "")
	unreadable := 0
	values, err := d.checkFile(ctx, f, func(tx txn) error {
		for _, name := range [][]byte{bucketHistory, bucketCalibrations} {
			err := tx.Bucket(name).ForEach(func(k, v []byte) error {
				if value, err := tx.open(name, k, v); err != nil || !json.Valid(value) {
					unreadable++
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
		out = append(out, cannotRead(f, "", cureShared, err))
	case unreadable > 0:
		out = append(out, found(f, "", cureShared, "%d entries of the input history or the calibrations cannot be read", unreadable))
	case values != nil:
		out = append(out, values.finding(f, "", cureShared))
	}
	return out
}

// checkIndex compares the index with the conversations. Files that changed
// since their row was written are no finding: the next list heals that. Nor are
// those of which something was found already.
func (d *doctor) checkIndex(ctx context.Context, already []Finding) []Finding {
	f := d.dir.index()
	out := checkMode(f, "")
	values, err := d.checkFile(ctx, f, func(txn) error { return nil })
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrBusy):
		return nil // made, or healed, by the next list
	case err != nil:
		return append(out, cannotRead(f, "", cureIndex, err))
	case values != nil:
		return append(out, values.finding(f, "", cureIndex))
	}
	known, err := d.index.read(ctx)
	files, err2 := d.dir.files()
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil || err2 != nil {
		return append(out, cannotRead(f, "", cureIndex, errors.Join(err, err2)))
	}
	wrong := 0
	for _, file := range files {
		r, ok := known[file.id]
		if !ok || r.Problem != "" || slices.ContainsFunc(already, func(f Finding) bool { return f.ID == file.id }) {
			continue
		}
		switch fresh := d.index.examine(ctx, file); {
		case fresh.Problem != "": // found in the file itself
		case fresh.after(r).Had > 0:
			out = append(out, found(d.dir.conversation(file.id), file.id, cureIndex,
				"it had %d events once, and then fewer: an older copy of it was put in its place, or its last writes are lost; a backup may have them, and a repair only ends this message",
				fresh.after(r).Had))
		case r.describes(file.size, file.mtime) && !fresh.same(r.Entry) && d.unchanged(file):
			wrong++
		}
	}
	if wrong > 0 {
		out = append(out, found(f, "", cureIndex, "%d entries of the list are wrong", wrong))
	}
	return out
}

// unchanged reports whether a file is still as it was seen: nobody wrote to it, so what
// was read of it since is what its row was made from.
func (d *doctor) unchanged(f fileSeen) bool {
	st, err := os.Stat(d.dir.conversation(f.id).path)
	return err == nil && st.Size() == f.size && st.ModTime().Equal(f.mtime)
}

// removeDrafts removes drafts of files whose making was cut short. Under the gate no
// draft is in the making.
func (d *doctor) removeDrafts(ctx context.Context) {
	err := d.disk.underGateWithin(ctx, d.disk.wait/indexWait, func() error {
		for _, dir := range []string{string(d.dir), d.dir.folder()} {
			drafts, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.db.new"))
			for _, draft := range drafts {
				err = errors.Join(err, os.Remove(draft))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.log.Debug("drafts could not be removed", "error", err)
	}
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
	return []Finding{found(f, id, cureMode, "its mode is %#o: other users can access it", st.Mode().Perm())}
}

// cannotRead is the finding for a file that could not be opened or read.
func cannotRead(f dbfile, id string, c cure, err error) Finding {
	switch {
	case errors.Is(err, errHidden):
		c = cureHead
	case !errors.Is(err, ErrDamaged):
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
