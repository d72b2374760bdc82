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

// The file shared.db keeps what all conversations share: the input history and the token calibrations of models.

// maxHistory is how many inputs are kept, for all workspaces together.
const maxHistory = 2000

// maxHistoryText is the longest input that is kept, in bytes. A longer one is a pasted file.
const maxHistoryText = 64 << 10

type historyInput struct {
	Text      string `json:"text"`
	Workspace string `json:"workspace,omitempty"`
}

// AddHistory adds an input of the user to the history, unless it repeats the last one of the
// workspace. Only the newest 2,000 inputs are kept; an input of more than 64 KiB is not added.
func (s *Store) AddHistory(ctx context.Context, workspace, text string) error {
	text = conversation.Clean(text)
	if text == "" || len(text) > maxHistoryText {
		return nil
	}
	value, err := json.Marshal(historyInput{text, workspace})
	if err != nil {
		return err
	}
	err = s.disk.updateOrCreate(ctx, s.dir.shared(), s.disk.wait, func(tx txn) error {
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

// lastInput is the newest input of workspace. It searches only the newest 100 inputs,
// so that the lock is not held for long.
func lastInput(tx txn, workspace string) (historyInput, bool) {
	c := tx.Bucket(bucketHistory).Cursor()
	k, v := c.Last()
	for n := 0; k != nil && n < 100; n++ {
		if in, ok := readInput(tx, k, v); ok && in.Workspace == workspace {
			return in, true
		}
		k, v = c.Prev()
	}
	return historyInput{}, false
}

// readInput decodes a stored input; ok is false if it cannot be decoded.
func readInput(tx txn, k, v []byte) (in historyInput, ok bool) {
	value, err := tx.unseal(bucketHistory, k, v)
	return in, err == nil && json.Unmarshal(value, &in) == nil
}

// forgetOldest deletes the oldest inputs beyond maxHistory. It counts them, because a key may be damaged.
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

// History returns the newest inputs of workspace, the newest last, at most limit (0:
// all). If the workspace has no inputs, it returns those of all workspaces. Repeated
// inputs are merged.
func (s *Store) History(ctx context.Context, workspace string, limit int) ([]string, error) {
	var inputs, all []string
	err := s.disk.view(ctx, s.dir.shared(), func(tx txn) error {
		inputs, all = nil, nil
		return tx.Bucket(bucketHistory).ForEach(func(k, v []byte) error {
			in, ok := readInput(tx, k, v)
			if !ok {
				return nil // skip a damaged input
			}
			if in.Workspace == workspace {
				inputs = appendInput(inputs, in.Text)
			}
			all = appendInput(all, in.Text)
			return nil
		})
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read input history: %w", err)
	}
	if len(inputs) == 0 {
		inputs = all
	}
	if limit > 0 && len(inputs) > limit {
		inputs = inputs[len(inputs)-limit:]
	}
	return inputs, nil
}

// appendInput appends text unless it repeats the last one.
func appendInput(texts []string, text string) []string {
	if len(texts) > 0 && texts[len(texts)-1] == text {
		return texts
	}
	return append(texts, text)
}

// SaveCalibration stores the calibration of a model; key is "endpoint model".
func (s *Store) SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error {
	value, err := json.Marshal(c)
	if err == nil {
		err = s.disk.updateOrCreate(ctx, s.dir.shared(), s.disk.wait, func(tx txn) error {
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

// Calibration reads the calibration of a model; key is "endpoint model". It reports false if none
// is stored.
func (s *Store) Calibration(ctx context.Context, key string) (conversation.Calibration, bool, error) {
	all, err := s.Calibrations(ctx)
	c, ok := all[key]
	return c, ok, err
}

// Calibrations reads all calibrations, by key.
func (s *Store) Calibrations(ctx context.Context) (map[string]conversation.Calibration, error) {
	all := map[string]conversation.Calibration{}
	err := s.disk.view(ctx, s.dir.shared(), func(tx txn) error {
		clear(all)
		return tx.Bucket(bucketCalibrations).ForEach(func(k, v []byte) error {
			var c conversation.Calibration
			value, err := tx.unseal(bucketCalibrations, k, v)
			if err == nil && json.Unmarshal(value, &c) == nil { // a damaged one is skipped and learned again
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
