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

// A stored conversation is renamed or deleted without starting an agent. One that another program has open is not changed.

// Rename sets the title of a stored conversation, and returns it as it was stored. A blank title is a usage error.
func (c *Conversations) Rename(ctx context.Context, id, title string) (string, error) {
	if title = llm.OneLine(title); title == "" {
		return "", console.WrongUse("the title is empty")
	}
	store, err := c.Resources.Open()
	if err != nil {
		return "", err
	}
	snapshot, _, err := loadSnapshot(ctx, store, id)
	if err != nil {
		return "", err
	}
	err = c.Append(ctx, ConversationState{Snapshot: snapshot}, func(ConversationState) ([]conversation.Body, error) {
		return []conversation.Body{conversation.Renamed{Title: title, By: "user"}}, nil
	})
	return title, openElsewhere(err, "rename it there with /rename, or close it first")
}

// Delete removes a stored conversation and its tasks permanently, also unreadable ones.
func (c *Conversations) Delete(ctx context.Context, id string) error {
	store, err := c.Resources.Open()
	if err != nil {
		return err
	}
	entries, err := store.List(ctx, storage.Filter{Tasks: true})
	if err != nil {
		return err
	}
	if err := store.Delete(ctx, id); err != nil {
		return openElsewhere(err, "close it there first")
	}
	errs := []error{c.DeleteDraft(id)}
	for _, e := range entries {
		if e.Parent == id {
			errs = append(errs, openElsewhere(store.Delete(ctx, e.ID), "close it there, and delete it"), c.DeleteDraft(e.ID))
		}
	}
	return errors.Join(errs...)
}

// DeleteDraft removes the drafts of a conversation, also those of read-only windows.
func (c *Conversations) DeleteDraft(id string) error {
	ownDraft := c.Settings.Paths.Draft(id)
	files, _ := filepath.Glob(strings.TrimSuffix(ownDraft, ".json") + "-*.json") // no folder, no files
	for _, path := range append(files, ownDraft) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("deleting the draft of %s: %w", id, err)
		}
	}
	return nil
}

// Entry returns a conversation's entry in the list.
func (c *Conversations) Entry(ctx context.Context, id string) (storage.Entry, error) {
	store, err := c.Resources.Open()
	if err != nil {
		return storage.Entry{}, err
	}
	entries, err := store.List(ctx, storage.Filter{Tasks: true})
	if err != nil {
		return storage.Entry{}, err
	}
	if i := slices.IndexFunc(entries, func(e storage.Entry) bool { return e.ID == id }); i >= 0 {
		return entries[i], nil
	}
	return storage.Entry{}, fmt.Errorf("conversation %s: %w", id, storage.ErrNotFound)
}

// openElsewhere adds the process and a hint to the error of a conversation that another program has open.
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

// WindowName names the terminal window of a process for the user; pid is 0 for an unknown one.
func WindowName(pid int) string {
	if pid <= 0 {
		return "another window"
	}
	return fmt.Sprintf("process %d", pid)
}
