package cli

import (
	"context"
	"errors"

	"plimsoll/compact"
	"plimsoll/tui"
)

// Request makes a request of the open conversation again.
func (h *host) Request(ctx context.Context, event uint64) (compact.Rebuilt, error) {
	return compact.Rebuilt{}, errors.New("not there yet")
}

// Full returns the whole text of a tool result of the open conversation.
func (h *host) Full(ctx context.Context, event uint64) (string, error) {
	return "", errors.New("not there yet")
}

// ForkAt leaves the open conversation and continues a copy of what was said before
// an event.
func (h *host) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	return tui.Conversation{}, errors.New("not there yet")
}
