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
	store, err := h.with.Resources.Open()
	if err != nil {
		return tui.Found{}, err
	}
	begun, found := time.Now(), tui.Found{Query: query}
	report, err := store.Search(ctx, q, storage.SearchOptions{}, func(hit find.Hit) bool {
		found.Hits = append(found.Hits, hit)
		return true
	})
	if err != nil {
		return tui.Found{}, err
	}
	if report.Unread+report.Damaged > 0 {
		h.with.Resources.Logger().Warn("not all could be searched", "conversations", report.Unread, "texts", report.Damaged)
	}
	found.Conversations, found.More, found.Took = report.Conversations, report.More, time.Since(begun)
	found.Unread, found.Damaged = report.Unread, report.Damaged
	return found, nil
}
