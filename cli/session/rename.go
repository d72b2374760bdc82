package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// A stored conversation gets another title, or is removed, without being opened for
// chat. One that is open elsewhere is left alone: whoever has it open names it.

// Rename gives a stored conversation a title, and returns it as it was stored. The
// error is one of wrong use where the title is blank.
func (v *Conversations) Rename(ctx context.Context, id, title string) (string, error) {
	if title = llm.OneLine(title); title == "" {
		return "", console.WrongUse("the title is empty")
	}
	store, err := v.Resources.Open()
	if err != nil {
		return "", err
	}
	r, _, err := loadSnapshot(ctx, store, id)
	if err != nil {
		return "", err
	}
	err = v.Append(ctx, ConversationState{Snapshot: r}, func(ConversationState) ([]conversation.Body, error) {
		return []conversation.Body{conversation.Renamed{Title: title, By: "user"}}, nil
	})
	return title, openElsewhere(err, "rename it there with /rename, or close it first")
}

// Delete removes a stored conversation for good, also one that cannot be read.
func (v *Conversations) Delete(ctx context.Context, id string) error {
	store, err := v.Resources.Open()
	if err != nil {
		return err
	}
	if err := store.Delete(ctx, id); err != nil {
		return openElsewhere(err, "close it there first")
	}
	return v.DeleteDraft(id)
}

// DeleteDraft removes what was being written in a conversation, also where it was only read.
func (v *Conversations) DeleteDraft(id string) error {
	own := v.Settings.Paths.Draft(id)
	files, _ := filepath.Glob(strings.TrimSuffix(own, ".json") + "-*.json") // no folder, no files
	for _, path := range append(files, own) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deleting the draft of %s: %w", id, err)
		}
	}
	return nil
}

// Entry is what the list of conversations says of one.
func (v *Conversations) Entry(ctx context.Context, id string) (storage.Entry, error) {
	store, err := v.Resources.Open()
	if err != nil {
		return storage.Entry{}, err
	}
	entries, err := store.List(ctx, storage.Filter{})
	if err != nil {
		return storage.Entry{}, err
	}
	if i := slices.IndexFunc(entries, func(e storage.Entry) bool { return e.ID == id }); i >= 0 {
		return entries[i], nil
	}
	return storage.Entry{}, fmt.Errorf("conversation %s: %w", id, storage.ErrNotFound)
}

// openElsewhere is an error with what to do where a conversation is open elsewhere.
func openElsewhere(err error, hint string) error {
	var locked *storage.LockedError
	if !errors.As(err, &locked) {
		return err
	}
	where := "another window"
	if locked.PID > 0 {
		where += fmt.Sprintf(" (process %d)", locked.PID)
	}
	return console.WithHint(fmt.Errorf("conversation %s is open in %s", locked.ID, where), hint)
}

// Window is the window of a process, 0 for an unknown one.
func WindowName(pid int) string {
	if pid <= 0 {
		return "another window"
	}
	return fmt.Sprintf("process %d", pid)
}
