package transfer

import (
	"context"
	"fmt"
	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// exported is a conversation that is being exported.
type exported struct {
	id     string
	Events []conversation.Event
	Text   func(name string) (string, bool) // stored beside the events; false if it cannot be read
	Notes  []string
}

// ReadExport reads all events of a conversation, and as the last one a reply that was interrupted when the program ended.
func ReadExport(ctx context.Context, store *storage.Store, id string) (*exported, error) {
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading conversation %s: %w", id, err)
	}
	snapshot := &session.Snapshot{Store: store, ID: id, Events: events}
	export := &exported{id: id, Events: events, Notes: session.DamageNotes(report)}
	if partial, ok := snapshot.InterruptedReply(ctx); ok {
		log, err := conversation.NewLog(events)
		if err != nil {
			return nil, fmt.Errorf("reading conversation %s: %w", id, err)
		}
		export.Events = append(log.Events(), log.Prepare(events[len(events)-1].Time, partial)...)
	}
	missing := map[string]bool{}
	export.Text = func(name string) (string, bool) {
		if name == "" {
			return "", false
		}
		text, err := store.Blob(ctx, id, name)
		if err != nil && !missing[name] {
			missing[name] = true
			export.Notes = append(export.Notes, fmt.Sprintf("a text could not be read and is left out: %v", err))
		}
		return text, err == nil
	}
	return export, nil
}
