package screen

import (
	"context"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// The stored conversations as a list shows them. Those that are open in another window
// are read, and not changed.

// shelf is the stored conversations.
type shelf struct {
	console       *console.Console
	settings      *setup.Settings
	resources     *setup.Resources
	conversations *session.Conversations
	open          func() (id string, ours bool) // the conversation on the screen
}

// Conversations lists the stored ones, newest first.
func (s *shelf) Conversations(ctx context.Context) ([]tui.Stored, error) {
	store, err := s.resources.Open()
	if err != nil {
		return nil, err
	}
	entries, err := store.List(ctx, storage.Filter{})
	if err != nil {
		return nil, err
	}
	here, ours := s.open()
	out := make([]tui.Stored, 0, len(entries))
	for _, e := range entries {
		c := tui.Stored{ID: e.ID, Title: e.Heading(), Updated: e.Updated, Turns: e.Turns, Size: e.Bytes}
		if e.Workspace != s.settings.Workspace { // the one in use says nothing
			c.Place = s.console.Home(e.Workspace)
		}
		switch {
		case e.Elsewhere:
			c.Open = "open in " + session.Window(store.Owner(e.ID))
		case e.ID == here && ours:
			c.Open = "open here"
		}
		out = append(out, c)
	}
	return out, nil
}

// shownOfExchange is how many characters of a message are shown.
const shownOfExchange = 600

// LastExchange is the newest message of the user and what was replied to it.
func (s *shelf) LastExchange(ctx context.Context, id string) (question, reply string, err error) {
	store, err := s.resources.Open()
	if err != nil {
		return "", "", err
	}
	events, _, err := store.Load(ctx, id)
	if err != nil {
		return "", "", err
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			question, reply = b.Text, ""
		case conversation.AssistantMessage:
			if strings.TrimSpace(b.Text) != "" {
				reply = b.Text
			}
		}
	}
	return beginning(question, shownOfExchange), beginning(reply, shownOfExchange), nil
}

// beginning is a text of at most n characters.
func beginning(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}

// RenameStored gives a conversation that is not open here a title.
func (s *shelf) RenameStored(ctx context.Context, id, title string) error {
	_, err := s.conversations.Rename(ctx, id, title)
	return err
}

// RemoveStored removes a conversation that is not open here for good.
func (s *shelf) RemoveStored(ctx context.Context, id string) error {
	return s.conversations.Delete(ctx, id)
}
