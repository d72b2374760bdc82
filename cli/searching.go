package cli

import (
	"context"
	"errors"

	"plimsoll/tui"
)

// Search looks for a text in all conversations.
func (h *host) Search(ctx context.Context, query string) (tui.Found, error) {
	return tui.Found{}, errors.New("not there yet")
}
