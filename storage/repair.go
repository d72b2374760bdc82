package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"plimsoll/conversation"
)

// Rules of repairing:
//   - A damaged file is never changed. Its readable content is copied into a
//     new file, and the damaged one is kept next to it as .damaged.
//   - A conversation is repaired only while no process has it open for writing.

// Repair repairs the repairable findings and returns all findings with Repaired and
// Note set. It applies each remedy once to a file. The error is that of ctx.
func (s *Store) Repair(ctx context.Context, findings []Finding) ([]Finding, error) {
	out := append([]Finding(nil), findings...)
	type job struct {
		file   string
		remedy remedy
	}
	done := map[job]*Finding{}
	for i := range out {
		f := &out[i]
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if !f.Repairable || f.Repaired {
			continue
		}
		if earlier := done[job{f.File, f.remedy}]; earlier != nil {
			f.Repaired, f.Note = earlier.Repaired, earlier.Note
			continue
		}
		note, err := s.repair(ctx, *f)
		if err != nil {
			note = "not repaired: " + err.Error()
		}
		f.Note, f.Repaired = note, err == nil
		done[job{f.File, f.remedy}] = f
	}
	return out, nil
}

func (s *Store) repair(ctx context.Context, f Finding) (string, error) {
	switch f.remedy {
	case remedyMode:
		return "only you can read it now", os.Chmod(f.File, 0o600)
	case remedyHeader:
		return s.repairHeader(ctx, f)
	case remedyEntry:
		return s.repairEntry(ctx, f.ID)
	case remedyRewrite:
		return s.rewriteConversation(ctx, f.ID)
	case remedyIndex:
		return s.rebuildIndex(ctx)
	case remedyShared:
		return s.rewriteShared(ctx)
	}
	return "", errors.New("this cannot be repaired")
}

// repairHeader restores the newest header, then checks the file again and repairs the new findings.
func (s *Store) repairHeader(ctx context.Context, f Finding) (string, error) {
	file, check := s.dir.shared(), s.checkShared
	switch {
	case f.ID != "":
		file, check = s.dir.conversation(f.ID), func(ctx context.Context) []Finding { return s.checkConversation(ctx, f.ID) }
	case f.File == s.dir.index().path:
		return s.rebuildIndex(ctx)
	}
	// Every transaction that writes replaces one header, a damaged one first.
	if err := s.disk.update(ctx, file, func(txn) error { return nil }); err != nil && !errors.Is(err, ErrDamaged) {
		return "", err
	}
	rest, err := s.Repair(ctx, check(ctx))
	note := "both heads are sound again"
	if n := s.disk.notice(f.File); n != "" {
		note += "; " + n
	}
	for _, r := range rest {
		note += "; " + r.Note
		if r.Repairable && !r.Repaired {
			err = errors.Join(err, errors.New(r.Note))
		}
	}
	return note, err
}

// repairEntry rebuilds the list entry of a conversation from its events.
func (s *Store) repairEntry(ctx context.Context, id string) (string, error) {
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return "", err
	}
	defer s.locks.unlock(lock)
	err = s.disk.update(ctx, s.dir.conversation(id), func(tx txn) error {
		return putEntry(tx, rebuildEntry(tx), nil)
	})
	s.index.refresh(ctx, id)
	return "its entry was rebuilt", err
}

// rewriteConversation copies the readable content of a conversation into a new file.
func (s *Store) rewriteConversation(ctx context.Context, id string) (string, error) {
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return "", err
	}
	defer s.locks.unlock(lock)
	f := s.dir.conversation(id)
	var note string
	err = s.disk.withDirectoryLock(ctx, func() error {
		got, err := salvage(f.path, &s.texts)
		if err != nil {
			return err
		}
		events, damage := decodeRows(got.events())
		aside, err := damagedName(f.path)
		if err != nil {
			return err
		}
		note = fmt.Sprintf("nothing could be read; the damaged file is kept as %s", aside)
		if len(events) == 0 {
			return errors.Join(os.Rename(f.path, aside), syncDirectory(s.dir.conversationsDir()))
		}
		if err := os.Link(f.path, aside); err != nil { // this file system has no hard links
			if err := os.Rename(f.path, aside); err != nil {
				return err
			}
		}
		note = fmt.Sprintf("%d events were kept, %d could not be read; the damaged file is kept as %s",
			len(events)-len(damage), len(damage), aside)
		return s.disk.replace(f, func(tx txn) error { return s.refill(tx, id, got, events) })
	})
	if err == nil {
		s.index.refresh(ctx, id)
	}
	return note, err
}

// refill writes the salvaged content of a conversation into a new file.
func (s *Store) refill(tx txn, id string, got *salvaged, events []conversation.Event) error {
	workspace := string(got.value(bucketMeta, keyWorkspace))
	if err := putIdentity(tx, id, workspace, events[0].Time); err != nil {
		return err
	}
	rows, err := encodeRows(events)
	if err != nil {
		return err
	}
	if err := putRows(tx, rows); err != nil {
		return err
	}
	for name, value := range got.values[string(bucketBlobs)] {
		if _, err := s.texts.unpackVerified(name, value); err != nil {
			continue // an unreadable text remains in the damaged file only
		}
		if err := putBlob(tx, name, value); err != nil {
			return err
		}
	}
	var p conversation.PartialReply
	if json.Unmarshal(got.value(bucketMeta, keyPartial), &p) == nil {
		if err := putPartial(tx, p); err != nil {
			return err
		}
	}
	if texts := got.value(bucketMeta, keyWaiting); json.Valid(texts) {
		if err := tx.put(bucketMeta, keyWaiting, texts); err != nil {
			return err
		}
	}
	return putEntry(tx, Entry{ID: id, Workspace: workspace}, events)
}

// rewriteShared copies the readable content into a new shared file.
func (s *Store) rewriteShared(ctx context.Context) (string, error) {
	f := s.dir.shared()
	var note string
	err := s.disk.withDirectoryLock(ctx, func() error {
		got, err := salvage(f.path, &s.texts)
		if err != nil {
			return err
		}
		aside, err := damagedName(f.path)
		if err != nil {
			return err
		}
		if err := os.Rename(f.path, aside); err != nil {
			return err
		}
		kept := 0
		err = s.disk.replace(f, func(tx txn) error {
			for _, name := range [][]byte{bucketHistory, bucketCalibrations} {
				n, err := refillShared(tx, name, got.values[string(name)])
				if err != nil {
					return err
				}
				kept += n
			}
			return nil
		})
		note = fmt.Sprintf("%d entries were kept; the damaged file is kept as %s", kept, aside)
		return err
	})
	return note, err
}

// refillShared writes the readable values of one bucket into the new shared file, and counts them.
func refillShared(tx txn, bucket []byte, values map[string][]byte) (kept int, err error) {
	for k, v := range values {
		if !json.Valid(v) || len(k) == 0 {
			continue
		}
		if err := tx.put(bucket, []byte(k), v); err != nil {
			return kept, err
		}
		kept++
	}
	return kept, nil
}

// rebuildIndex removes the index and builds a new one from the conversations.
func (s *Store) rebuildIndex(ctx context.Context) (string, error) {
	err := s.disk.withDirectoryLock(ctx, func() error { return os.Remove(s.dir.index().path) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	rows, _, err := s.index.rows(ctx)
	return fmt.Sprintf("the index was rebuilt, with %d conversations", len(rows)), err
}

// damagedName returns an unused name under which the damaged file at path can be kept.
func damagedName(path string) (string, error) {
	for n := range 1000 {
		name := path + ".damaged"
		if n > 0 {
			name = fmt.Sprintf("%s.damaged%d", path, n+1)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s was repaired a thousand times: remove its .damaged files", path)
}
