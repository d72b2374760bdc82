package screen

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
var errNoResult = errors.New("no tool result is truncated; ctrl+o expands them")

// findSaid lists the events that about names.
func findSaid(events []conversation.Event, about string) ([]conversation.Event, error) {
	id, ok := conversation.ParseRecallID(about)
	if about == "" || !ok {
		e, _, err := findResult(events, about)
		return []conversation.Event{e}, err
	}
	var found []conversation.Event
	for _, e := range events {
		at := e.Seq
		if id.Turns {
			at = uint64(max(e.Turn, 0))
		}
		if _, said := saidBy(e); said && id.First <= at && at <= id.Last {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing found at %s; name a message (e41), a turn (t3) or a call", about)
	}
	return found, nil
}

// saidBy is who said an event, false for one that says nothing. A summary is said
// by the model that wrote it.
func saidBy(e conversation.Event) (string, bool) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return "user", true
	case conversation.AssistantMessage:
		return "assistant", true
	case conversation.ToolResult:
		return b.Tool + " · " + string(b.Status), true
	case conversation.Summary:
		return "summary", b.Text != ""
	}
	return "", false
}

// saidInFull is an event with a line above that says what it is.
func saidInFull(ctx context.Context, store *storage.Store, id string, e conversation.Event) (string, error) {
	who, _ := saidBy(e)
	text := ""
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		text = b.Text
	case conversation.AssistantMessage:
		text = inFull(b)
	case conversation.ToolResult:
		full, err := fullText(ctx, store, id, e, b)
		if err != nil && ctx.Err() != nil {
			return "", err
		}
		if text = full; err != nil { // what was shown of it is there still
			text = b.Text + "\n\n(" + err.Error() + "; plimsoll doctor says more)"
		}
	case conversation.Summary:
		text = strings.TrimSpace(b.Text + "\n\n" + b.Appendix)
	}
	return fmt.Sprintf("event e%d · turn %d · %s\n\n%s", e.Seq, e.Turn, who, text), nil
}

// inFull is a reply with its reasoning and its calls, and why it failed.
func inFull(m conversation.AssistantMessage) string {
	parts := make([]string, 0, 3+len(m.Calls))
	if m.Reasoning != "" {
		parts = append(parts, "[reasoning]\n"+m.Reasoning)
	}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, "→ "+c.Name+" "+c.Arguments)
	}
	if m.Error != "" {
		parts = append(parts, "[failed: "+m.Error+"]")
	}
	return strings.Join(parts, "\n\n")
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
	return conversation.Event{}, conversation.ToolResult{}, fmt.Errorf("no tool result %q; name its number in the history (e41) or its call", about)
}
