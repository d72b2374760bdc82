package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// InCopy has the summary written in a copy that waits for one, and tells what
// was made.
func (f *First) InCopy(ctx context.Context, id string, l setup.Link) error {
	if !f.NeedsModel() {
		f.copied(id)
		return nil
	}
	r, err := f.Agents.Start(ctx, l, OpenOptions{ID: id})
	if err != nil {
		return err
	}
	return errors.Join(f.Within(ctx, r, (*Lines)(nil).Show), r.Close())
}

// copied tells what was made in a copy without a model.
func (f *First) copied(id string) {
	switch {
	case f.None != nil:
		f.made(Compaction{}, f.None)
	case f.pass != nil:
		done := NewCompaction(f.State, f.pass.Preview())
		seq := f.State.Next()
		done.ID, done.Epoch = id, &seq
		f.made(done, nil)
	}
}

// Copy makes a copy of a stored conversation, with the compaction that needs no
// model, and returns its ID. The original is only read.
func (v *Conversations) Copy(ctx context.Context, f *First) (string, error) {
	id := conversation.NewID()
	w, err := f.State.Store.Create(ctx, storage.NewConversation{ID: id, Workspace: v.Settings.Workspace})
	if err != nil {
		return "", err
	}
	err = copyInto(ctx, w, f.State, f.overlays())
	return id, errors.Join(err, w.Close())
}

// copyInto writes the texts that events name, then the events and what comes
// behind them, in one transaction.
func copyInto(ctx context.Context, w *storage.Writer, s ConversationState, more []conversation.Body) error {
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
	bodies := append(s.pending(), more...)
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
	seen := map[string]bool{"": true}
	add := func(list ...string) {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			add(b.Blob)
		case conversation.Instructions:
			add(b.System, b.Tools)
		}
	}
	return names
}
