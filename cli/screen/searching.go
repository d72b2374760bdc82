package screen

import (
	"context"
	"time"

	"plimsoll/conversation/find"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Search looks for a text in all conversations. The titles are those of a list.
func (h *Host) Search(ctx context.Context, query string) (tui.Found, error) {
	q, err := find.Parse(query)
	if err != nil {
		return tui.Found{}, err
	}
	store, err := h.resources.Open()
	if err != nil {
		return tui.Found{}, err
	}
	begun, found := time.Now(), tui.Found{Query: query}
	report, err := store.Search(ctx, q, storage.SearchOptions{}, func(hit storage.SearchHit) bool {
		found.Hits = append(found.Hits, tui.Hit{
			Conversation: hit.Conversation, Title: hit.Title, Event: hit.Seq, Turn: hit.Turn, Time: hit.Time,
			Who: hit.Who, Excerpt: hit.Excerpt, At: hit.At, Stored: hit.Stored,
		})
		return true
	})
	if err != nil {
		return tui.Found{}, err
	}
	if report.Unread+report.Damaged > 0 {
		h.resources.Logger().Warn("not all could be searched", "conversations", report.Unread, "texts", report.Damaged)
	}
	found.Conversations, found.More, found.Took = report.Conversations, report.More, time.Since(begun)
	found.Unread, found.Damaged = report.Unread, report.Damaged
	return found, nil
}
