package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
)

// maxHistory is how many inputs are remembered, of all workspaces together.
const maxHistory = 2000

// maxHistoryText is the longest input that is remembered, in bytes: a pasted
// file is no line one types again.
const maxHistoryText = 64 << 10

// input is one entry of the input history.
type input struct {
	Text      string `json:"text"`
	Workspace string `json:"workspace,omitempty"`
}

// AddHistory remembers what the user typed, unless it repeats what was typed
// last in the workspace. The oldest of more than 2,000 inputs are forgotten;
// an input of more than 64 KiB is not remembered.
func (s *Store) AddHistory(ctx context.Context, workspace, text string) error {
	text = conversation.Clean(text)
	if text == "" || len(text) > maxHistoryText {
		return nil
	}
	value, err := json.Marshal(input{text, workspace})
	if err != nil {
		return err
	}
	err = s.share(ctx, func(tx txn) error {
		b := tx.Bucket(bucketHistory)
		if last, ok := lastInput(tx, workspace); ok && last.Text == text {
			return errUnchanged
		}
		last, _ := b.Cursor().Last()
		n := seqOf(last) + 1
		b.FillPercent = fillPercent
		if err := tx.put(bucketHistory, keyOf(n), value); err != nil {
			return err
		}
		return forgetOldest(b)
	})
	if err != nil {
		return fmt.Errorf("remember input: %w", err)
	}
	return nil
}

// lastInput is the newest input of workspace, looked for among the newest of
// all so that the lock is not held for long.
func lastInput(tx txn, workspace string) (input, bool) {
	c := tx.Bucket(bucketHistory).Cursor()
	k, v := c.Last()
	for n := 0; k != nil && n < 100; n++ {
		if in, ok := readInput(tx, k, v); ok && in.Workspace == workspace {
			return in, true
		}
		k, v = c.Prev()
	}
	return input{}, false
}

// readInput reads a stored input; false if it cannot be read.
func readInput(tx txn, k, v []byte) (in input, ok bool) {
	value, err := tx.open(bucketHistory, k, v)
	return in, err == nil && json.Unmarshal(value, &in) == nil
}

// forgetOldest bounds the history. It counts: a number may be damaged.
func forgetOldest(b *bbolt.Bucket) error {
	n := 0
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	for ; n > maxHistory; n-- {
		c.First()
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// History returns what was typed, the newest last, at most limit inputs (0:
// all): that of workspace or, if nothing was typed there, that of all. The
// same input does not stand twice in a row.
func (s *Store) History(ctx context.Context, workspace string, limit int) ([]string, error) {
	var here, all []string
	err := s.disk.view(ctx, s.dir.shared(), func(tx txn) error {
		here, all = nil, nil
		return tx.Bucket(bucketHistory).ForEach(func(k, v []byte) error {
			in, ok := readInput(tx, k, v)
			if !ok {
				return nil // one line lost is no reason to lose all
			}
			if in.Workspace == workspace {
				here = addInput(here, in.Text)
			}
			all = addInput(all, in.Text)
			return nil
		})
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read input history: %w", err)
	}
	if len(here) == 0 {
		here = all
	}
	if limit > 0 && len(here) > limit {
		here = here[len(here)-limit:]
	}
	return here, nil
}

func addInput(texts []string, text string) []string {
	if len(texts) > 0 && texts[len(texts)-1] == text {
		return texts
	}
	return append(texts, text)
}

// SaveCalibration replaces what is kept under key, "endpoint model".
func (s *Store) SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error {
	value, err := json.Marshal(c)
	if err == nil {
		err = s.share(ctx, func(tx txn) error {
			if old, err := tx.get(bucketCalibrations, []byte(key)); err == nil && string(old) == string(value) {
				return errUnchanged
			}
			return tx.put(bucketCalibrations, []byte(key), value)
		})
	}
	if err != nil {
		return fmt.Errorf("keep the calibration of %s: %w", key, err)
	}
	return nil
}

// Calibration reads what is kept under key, "endpoint model"; false if nothing
// is.
func (s *Store) Calibration(ctx context.Context, key string) (conversation.Calibration, bool, error) {
	all, err := s.Calibrations(ctx)
	c, ok := all[key]
	return c, ok, err
}

// Calibrations reads all that is kept, by key.
func (s *Store) Calibrations(ctx context.Context) (map[string]conversation.Calibration, error) {
	all := map[string]conversation.Calibration{}
	err := s.disk.view(ctx, s.dir.shared(), func(tx txn) error {
		clear(all)
		return tx.Bucket(bucketCalibrations).ForEach(func(k, v []byte) error {
			var c conversation.Calibration
			value, err := tx.open(bucketCalibrations, k, v)
			if err == nil && json.Unmarshal(value, &c) == nil { // what cannot be read is learned again
				all[string(k)] = c
			}
			return nil
		})
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read calibrations: %w", err)
	}
	return all, nil
}

// share changes the shared file, making it if it is missing.
func (s *Store) share(ctx context.Context, change func(txn) error) error {
	err := s.disk.update(ctx, s.dir.shared(), change)
	if errors.Is(err, fs.ErrNotExist) {
		err = s.disk.create(ctx, s.dir.shared(), change)
		if errors.Is(err, fs.ErrExist) { // another program was faster
			err = s.disk.update(ctx, s.dir.shared(), change)
		}
	}
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
