package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"plimsoll/conversation"
)

// Rules of repairing:
//   - A damaged file is never changed. What can be read of a conversation is copied into a
//     new one, and the damaged one stays next to it as .damaged. The index is made again from
//     the conversations, input history and calibrations begin anew.
//   - A conversation is repaired only while no process has it open for writing.

// Repair repairs what can be of findings and returns them with Repaired and
// Note filled in, each file and cure once. The error is that of ctx.
func (s *Store) Repair(ctx context.Context, findings []Finding) ([]Finding, error) {
	out := slices.Clone(findings)
	for i := range out {
		f := &out[i]
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if !f.Repairable || f.Repaired {
			continue
		}
		if same := slices.IndexFunc(out[:i], func(o Finding) bool { return o.Note != "" && o.File == f.File && o.cure == f.cure }); same >= 0 {
			f.Repaired, f.Note = out[same].Repaired, out[same].Note
			continue
		}
		note, err := s.repair(ctx, *f)
		if err != nil {
			note = "not repaired: " + err.Error()
		}
		f.Note, f.Repaired = note, err == nil
	}
	return out, nil
}

func (s *Store) repair(ctx context.Context, f Finding) (string, error) {
	switch f.cure {
	case cureMode:
		return "only you can read it now", os.Chmod(f.File, 0o600)
	case cureHead:
		// Each transaction that writes replaces a head, a damaged one first.
		err := s.disk.update(ctx, f.file, func(txn) error { return nil })
		if !errors.Is(err, ErrDamaged) {
			return "both heads are sound again", err
		}
	}
	switch f.File {
	case s.dir.index().path:
		if err := s.index.drop(ctx); err != nil {
			return "", err
		}
		rows, _, err := s.index.rows(ctx)
		return fmt.Sprintf("the index was rebuilt, with %d conversations", len(rows)), err
	case s.dir.shared().path:
		var aside string
		err := s.disk.underGate(ctx, func() (err error) {
			if aside, err = setAside(f.File); err != nil {
				return err
			}
			return os.Rename(f.File, aside)
		})
		return "input history and calibrations begin anew; the damaged file is kept as " + aside, err
	}
	return s.remake(ctx, f.ID)
}

// remake copies what can be read of a conversation into a new file.
func (s *Store) remake(ctx context.Context, id string) (string, error) {
	lock, err := s.lockWriting(ctx, id)
	if err != nil {
		return "", err
	}
	defer s.unlockWriting(lock)
	f := s.dir.conversation(id)
	var note string
	err = s.disk.underGate(ctx, func() error {
		got, err := salvage(f.path, &s.text)
		if err != nil {
			return err
		}
		events, lost := got.inOrder()
		aside, err := setAside(f.path)
		if err != nil {
			return err
		}
		note = fmt.Sprintf("nothing could be read; the damaged file is kept as %s", aside)
		if len(events) == 0 {
			return errors.Join(os.Rename(f.path, aside), syncDirectory(s.dir.folder()))
		}
		if err := os.Link(f.path, aside); err != nil { // no links here: the new file follows in a moment
			if err := os.Rename(f.path, aside); err != nil {
				return err
			}
		}
		note = fmt.Sprintf("%d events were kept, %d could not be read; the damaged file is kept as %s", len(events)-lost, lost, aside)
		return s.disk.replace(f, func(tx txn) error { return refill(tx, id, got, events) })
	})
	if err == nil {
		s.index.refresh(ctx, id)
	}
	return note, err
}

// refill writes what was salvaged of a conversation into a new file.
func refill(tx txn, id string, got *salvaged, events []conversation.Event) error {
	entry := Entry{ID: id, Workspace: string(got.meta[string(keyWorkspace)])}
	rows, err := rowsOf(events)
	if err != nil {
		return err
	}
	err = errors.Join(identify(tx, id, entry.Workspace, events[0].Time), putRows(tx, rows))
	for name, value := range got.texts {
		err = errors.Join(err, tx.put(bucketBlobs, []byte(name), value))
	}
	for _, key := range [][]byte{keyPartial, keyWaiting} {
		if value := got.meta[string(key)]; json.Valid(value) {
			err = errors.Join(err, tx.put(bucketMeta, key, value))
		}
	}
	if err != nil {
		return err
	}
	return addToCard(tx, entry, events)
}

// setAside is a name for a damaged file that is not taken.
func setAside(path string) (string, error) {
	for n := 1; ; n++ {
		name := path + ".damaged"
		if n > 1 {
			name = fmt.Sprintf("%s.damaged%d", path, n)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}
