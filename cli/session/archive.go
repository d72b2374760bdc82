package session

import (
	"context"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// Archive lets recall and search_history read a conversation as it is stored.
type Archive struct {
	Store *storage.Store
	ID    string
}

// Events reads the log as it is now.
func (a *Archive) Events(ctx context.Context) ([]conversation.Event, error) {
	events, _, err := a.Store.Load(ctx, a.ID)
	return events, err
}

// Blob reads a text that events name.
func (a *Archive) Blob(ctx context.Context, name string) (string, error) {
	return a.Store.Blob(ctx, a.ID, name)
}
