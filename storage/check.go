package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
//   - Every text that is stored is compared with its name, and every name in an event
//     needs its text. One that is missing cannot be repaired: what the event shows is all
//     that is left.
//   - Nothing is changed, except that abandoned drafts are removed.

// Finding is something wrong in the data directory.
type Finding struct {
	File       string // path
	ID         string // conversation it belongs to, "" none
	What       string // what is wrong, for the user
	Repairable bool
	Repaired   bool
	Note       string // what the repair did or why it failed, "" before one

	file dbfile
	cure cure
}

// cure is what a repair has to do.
type cure int

const (
	cureNone   cure = iota
	cureMode        // take rights from others
	cureHead        // put back the head of the newest transaction
	cureRemake      // make the file anew from what can be read
)

func found(f dbfile, id string, c cure, format string, args ...any) Finding {
	return Finding{File: f.path, ID: id, What: fmt.Sprintf(format, args...), Repairable: c != cureNone, file: f, cure: c}
}

// Check reads every file of the data directory and reports what is wrong, for
// `plimsoll doctor`. Progress, if not nil, is called with the number of files
// done and of all files. The error is that of ctx or of the folder.
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
	all = append(all, s.checkFile(ctx, s.dir.shared(), "", nil)...)
	progress(total-1, total)
	all = append(all, s.checkIndex(ctx, all)...)
	s.removeDrafts(ctx)
	progress(total, total)
	return all, ctx.Err()
}

// checkFile checks mode, heads, pages and seals of f and then reads what the caller wants.
func (s *Store) checkFile(ctx context.Context, f dbfile, id string, read func(txn) error) (out []Finding) {
	// Opening a file tightens its mode, so this comes first.
	if st, err := os.Stat(f.path); err == nil && st.Mode().Perm()&0o077 != 0 {
		out = append(out, found(f, id, cureMode, "its mode is %#o: other users can access it", st.Mode().Perm()))
	}
	values := ""
	err := s.disk.look(ctx, f, checking, s.disk.wait, func(tx txn) error {
		values = checkSeals(tx)
		if read == nil {
			return nil
		}
		return read(tx)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrBusy) && id == "": // deleted meanwhile; healed by the next use
		return nil
	case errors.Is(err, errHidden), errors.Is(err, errDoubtful):
		out = append(out, found(f, id, cureHead, "%v", cause(err)))
	case errors.Is(err, ErrDamaged):
		out = append(out, found(f, id, cureRemake, "%v", cause(err)))
	case err != nil:
		out = append(out, found(f, id, cureNone, "%v", err))
	case values != "":
		out = append(out, found(f, id, cureRemake, "%s", values))
	}
	return out
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

// checkSeals compares each value with its seal, and says what is wrong, "" if nothing is.
func checkSeals(tx txn) string {
	if !tx.sealed {
		return ""
	}
	lost, mended, first := 0, 0, ""
	// Nothing below returns an error.
	_ = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			_, corrected, err := pages.Unseal(name, k, v)
			if bytes.Equal(name, bucketMeta) && bytes.Equal(k, keyFormat) { // it has a sealed copy
				sealed := b.Get(keySealed)
				corrected, err = !bytes.HasPrefix(sealed, v) || len(sealed) != len(v)+pages.SealSize, nil
			}
			if err == nil && !corrected {
				return nil
			}
			if first == "" {
				first = fmt.Sprintf("%s of %s", shown(k), name)
			}
			if err != nil {
				lost++
			} else {
				mended++
			}
			return nil
		})
	})
	switch {
	case lost > 0:
		return fmt.Sprintf("%d values are damaged, the first is %s", lost+mended, first)
	case mended > 0:
		return fmt.Sprintf("%d values have a flipped bit that can be corrected, the first is %s", mended, first)
	}
	return ""
}

// checkConversation checks one conversation file.
func (s *Store) checkConversation(ctx context.Context, id string) []Finding {
	f := s.dir.conversation(id)
	var stored decoding
	texts, read := map[string]bool{}, false
	out := s.checkFile(ctx, f, id, func(tx txn) error {
		if is := blank(tx).ID; is != id {
			return damaged(f.path, fmt.Errorf("it claims to be conversation %q", is))
		}
		stored.copy(tx, 0)
		read = true
		return tx.Bucket(bucketBlobs).ForEach(func(k, _ []byte) error {
			texts[string(k)] = true
			return nil
		})
	})
	events, damage := stored.events(conversation.Event{})
	remade := slices.ContainsFunc(out, func(f Finding) bool { return f.cure == cureRemake })
	switch {
	case !read || remade:
	case len(damage) > 0:
		out = append(out, found(f, id, cureRemake, "%d of %d events cannot be read, the first is %d: %s",
			len(damage), len(events), damage[0].Seq, damage[0].Reason))
	case len(events) == 0:
		out = append(out, found(f, id, cureRemake, "there is no event in it"))
	default:
		out = append(out, s.checkTexts(ctx, f, id, slices.Sorted(maps.Keys(texts)))...)
	}
	missing, first := 0, uint64(0)
	for _, e := range events {
		for _, name := range textsOf(e.Body) {
			if name == "" || texts[name] {
				continue
			}
			if missing++; missing == 1 {
				first = e.Seq
			}
			texts[name] = true // counts once
		}
	}
	if missing > 0 {
		out = append(out, found(f, id, cureNone, "%d full texts that events name are missing, the first is that of event %d; "+
			"what the events themselves hold is intact", missing, first))
	}
	return out
}

// textsOf are the names of the texts that an event needs.
func textsOf(b conversation.Body) []string {
	switch b := b.(type) {
	case conversation.ToolResult:
		return []string{b.Blob}
	case conversation.Instructions:
		return []string{b.System, b.Tools}
	}
	return nil
}

// checkTexts compares every text with its name, one transaction each so that no other
// program waits long.
func (s *Store) checkTexts(ctx context.Context, f dbfile, id string, names []string) []Finding {
	for _, name := range names {
		if _, err := s.Blob(ctx, id, name); errors.Is(err, ErrDamaged) {
			return []Finding{found(f, id, cureRemake, "a stored text cannot be read: %v", cause(err))}
		}
	}
	return nil
}

// checkIndex checks the index, and looks for conversations that have fewer events than it
// tells. Rows that are behind are no finding: the next list heals them. Nor are those of
// files of which something was found already.
func (s *Store) checkIndex(ctx context.Context, already []Finding) []Finding {
	out := s.checkFile(ctx, s.dir.index(), "", nil)
	known, err := s.index.read(ctx)
	files, err2 := s.dir.files()
	if len(out) > 0 || err != nil || err2 != nil {
		return out
	}
	for _, file := range files {
		r, ok := known[file.id]
		if !ok || slices.ContainsFunc(already, func(f Finding) bool { return f.ID == file.id }) {
			continue
		}
		if fresh := s.index.examine(ctx, file); fresh.Problem == "" && fresh.after(r).Had > 0 {
			out = append(out, found(s.dir.index(), file.id, cureRemake, "conversation %s %s, and a repair only ends this message",
				file.id, fewer(fresh.after(r).Had)))
		}
	}
	return out
}

// removeDrafts removes drafts of files whose making was cut short. Under the gate no
// draft is in the making.
func (s *Store) removeDrafts(ctx context.Context) {
	err := s.disk.underGateWithin(ctx, s.disk.wait/indexWait, func() error {
		for _, dir := range []string{string(s.dir), s.dir.folder()} {
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".db.new") {
					err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
				}
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
