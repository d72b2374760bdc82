package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Copy makes a copy of a stored conversation and returns its ID. The original is only read.
func (c *Conversations) Copy(ctx context.Context, s ConversationState) (string, error) {
	id := conversation.NewID()
	w, err := s.Store.Create(ctx, storage.NewConversation{ID: id, Workspace: c.Settings.Workspace})
	if err != nil {
		return "", err
	}
	return id, errors.Join(copyInto(ctx, w, s), w.Close())
}

// copyInto writes the blobs that events refer to, then the events and the pending ones, in one transaction.
func copyInto(ctx context.Context, w *storage.Writer, s ConversationState) error {
	for _, name := range BlobsOf(s.Events) {
		text, err := s.Store.Blob(ctx, s.ID, name)
		if err != nil {
			return fmt.Errorf("copying a text of %s: %w", s.ID, err)
		}
		if _, err := w.PutBlob(ctx, text); err != nil {
			return err
		}
	}
	log, err := conversation.NewLog(s.Events)
	if err != nil {
		return fmt.Errorf("copying conversation %s: %w", s.ID, err)
	}
	bodies := s.pendingBodies()
	if name := cmp.Or(Title(s.Events), agent.DefaultTitle(s.Events)); name != "" {
		bodies = append(bodies, conversation.Renamed{Title: strings.TrimSuffix(name, " (fork)") + " (fork)", By: "auto"})
	}
	return w.Append(ctx, append(log.Events(), log.Prepare(time.Now(), bodies...)...))
}

// BlobsOf lists the names of the blobs that events refer to, each once.
func BlobsOf(events []conversation.Event) []string {
	var names []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			names = append(names, b.Blob)
		case conversation.Instructions:
			names = append(names, b.System, b.Tools)
		}
		for _, image := range conversation.ImagesOf(e.Body) {
			names = append(names, image.Blob)
		}
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(names, func(name string) bool {
		isDuplicate := seen[name]
		seen[name] = true
		return isDuplicate
	})
}

// A copy can hold only the events before a given one. It then has the model and the settings of that time, and no
// interrupted reply.

// ErrNothingBefore reports that a copy would be empty. Wrapping errors append the turn.
var ErrNothingBefore = errors.New("nothing to copy: there are no messages before")

// Cut returns the state of a conversation as if it had ended before an event, with the model and the settings of that time.
// The error is [ErrNothingBefore] if there is no user message before it.
func (c *Conversations) Cut(ctx context.Context, s ConversationState, before uint64) (ConversationState, error) {
	kept, settings := edit.CutBefore(s.Events, before)
	if len(kept) == len(s.Events) {
		return s, nil // with an interrupted reply, if any
	}
	isUser := func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindUser }
	if !slices.ContainsFunc(kept, isUser) {
		return s, ErrNothingBefore
	}
	log, err := conversation.NewLog(kept)
	if err == nil {
		err = log.Commit(log.Prepare(time.Now(), settings...))
	}
	if err != nil {
		return s, fmt.Errorf("cutting conversation %s: %w", s.ID, err)
	}
	return c.stateOf(ctx, NewSnapshot(ctx, s.Store, s.ID, log.Events()))
}

// CutAtTurn is Cut before a turn, by its number.
func (c *Conversations) CutAtTurn(ctx context.Context, s ConversationState, turn int) (ConversationState, error) {
	before, err := edit.TurnStart(s.Events, turn)
	if err != nil {
		return s, err
	}
	if s, err = c.Cut(ctx, s, before); errors.Is(err, ErrNothingBefore) {
		return s, fmt.Errorf("%w turn %d", err, turn)
	}
	return s, err
}
