package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// maxPage is how many characters of a result a page shows: what a screen can
// wrap without a pause.
const maxPage = 1_000_000

// errNoResult says that there is no tool result to read.
var errNoResult = errors.New("no tool result was cut in this conversation: ctrl+o shows them whole")

// resultPage is the full text of a tool result. about names it by event ("e41"
// or "41") or by call; "" is the newest that was cut.
func (h *host) resultPage(ctx context.Context, about string) (string, error) {
	h.mu.Lock()
	id := h.reading
	if h.running != nil {
		id = h.running.id
	}
	h.mu.Unlock()
	store, err := h.app.open()
	if err != nil {
		return "", err
	}
	events, _, err := store.Load(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return "", errNoResult // nothing was said yet, so nothing is stored
	}
	if err != nil {
		return "", err
	}
	e, r, err := findResult(events, about)
	if err != nil {
		return "", err
	}
	text := r.Text
	if r.Blob != "" {
		if text, err = store.Blob(ctx, id, r.Blob); err != nil {
			return "", fmt.Errorf("reading the full text of event %d: %w", e.Seq, err)
		}
	}
	shown, _ := conversation.Cut(text, maxPage)
	return fmt.Sprintf("%s · event e%d · %s\n\n%s", r.Tool, e.Seq, r.Status, shown), nil
}

// findResult finds the result that about names, "" for the newest that was cut.
func findResult(events []conversation.Event, about string) (conversation.Event, conversation.ToolResult, error) {
	seq, _ := strconv.ParseUint(strings.TrimPrefix(about, "e"), 10, 64) // 0 is no event
	for _, e := range slices.Backward(events) {
		r, ok := e.Body.(conversation.ToolResult)
		if ok && (about == "" && r.Total > 0 || about != "" && (e.Seq == seq || r.CallID == about)) {
			return e, r, nil
		}
	}
	if about == "" {
		return conversation.Event{}, conversation.ToolResult{}, errNoResult
	}
	return conversation.Event{}, conversation.ToolResult{}, fmt.Errorf("there is no tool result %q; name its event (e41) or its call", about)
}
