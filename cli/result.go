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
	store, id, events, err := h.stored(ctx)
	if errors.Is(err, errNothingStored) {
		return "", errNoResult
	}
	if err != nil {
		return "", err
	}
	e, r, err := findResult(events, about)
	if err != nil {
		return "", err
	}
	text, err := fullText(ctx, store, id, e, r)
	if err != nil {
		return "", err
	}
	shown, _ := conversation.Cut(text, maxPage)
	return fmt.Sprintf("%s · event e%d · %s\n\n%s", r.Tool, e.Seq, r.Status, shown), nil
}

// fullText is the whole text of a result, as it was before it was cut.
func fullText(ctx context.Context, store *storage.Store, id string, e conversation.Event, r conversation.ToolResult) (string, error) {
	if r.Blob == "" {
		return r.Text, nil
	}
	text, err := store.Blob(ctx, id, r.Blob)
	if err != nil {
		return "", fmt.Errorf("reading the full text of event %d: %w", e.Seq, err)
	}
	return text, nil
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
