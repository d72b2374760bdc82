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
func (v *Conversations) Copy(ctx context.Context, s ConversationState) (string, error) {
	id := conversation.NewID()
	w, err := s.Store.Create(ctx, storage.NewConversation{ID: id, Workspace: v.Settings.Workspace})
	if err != nil {
		return "", err
	}
	return id, errors.Join(copyInto(ctx, w, s), w.Close())
}

// copyInto writes the texts that events name, then the events and what is pending behind them, in one transaction.
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

// CopyNote says what a copy is, to who goes on in it.
func CopyNote(from string) string {
	return "forked: this is the copy, and " + from + " stays as it is (/resume " + from + " goes back to it)"
}

// BlobsOf lists the texts that events name, each once.
func BlobsOf(events []conversation.Event) []string {
	var names []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			names = append(names, b.Blob)
		case conversation.Instructions:
			names = append(names, b.System, b.Tools)
		}
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(names, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	})
}

// A copy can begin with what was said before a point of the past only. What it
// holds then is a conversation of its own: the model and the settings are those of
// that time, and a reply that was arriving at the end is no part of it.

// ErrNothingBefore says that a copy would be empty; what it is before stands
// behind it.
var ErrNothingBefore = errors.New("nothing to copy: there are no messages before")

// Cut is how a conversation would stand if it had ended before an event, with the
// model and the settings that it had then. The error is errNothingBefore if
// nothing was said before it.
func (v *Conversations) Cut(ctx context.Context, s ConversationState, before uint64) (ConversationState, error) {
	kept, behind := edit.CutBefore(s.Events, before)
	if len(kept) == len(s.Events) {
		return s, nil // and a reply that was arriving, behind it
	}
	said := func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindUser }
	if !slices.ContainsFunc(kept, said) {
		return s, ErrNothingBefore
	}
	log, err := conversation.NewLog(kept)
	if err == nil {
		err = log.Commit(log.Prepare(time.Now(), behind...))
	}
	if err != nil {
		return s, fmt.Errorf("cutting conversation %s: %w", s.ID, err)
	}
	return v.stateOf(ctx, NewSnapshot(ctx, s.Store, s.ID, log.Events()))
}

// CutAtTurn is the same before a turn, by its number.
func (v *Conversations) CutAtTurn(ctx context.Context, s ConversationState, turn int) (ConversationState, error) {
	before, err := edit.TurnStart(s.Events, turn)
	if err != nil {
		return s, err
	}
	if s, err = v.Cut(ctx, s, before); errors.Is(err, ErrNothingBefore) {
		return s, fmt.Errorf("%w turn %d", err, turn)
	}
	return s, err
}
