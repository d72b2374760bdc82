package past_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools/past"
)

// log is a conversation without stored texts.
type log []conversation.Event

func (l log) Events(context.Context) ([]conversation.Event, error) { return l, nil }

func (l log) Blob(context.Context, string) (string, error) { return "", errors.New("no texts") }

func said(bodies ...conversation.Body) log {
	var l log
	for i, b := range bodies {
		l = append(l, conversation.Event{Seq: uint64(i + 1), Body: b})
	}
	return l
}

func reader(l log) *past.Reader {
	return past.New(l, func() int { return 2000 })
}

func TestEveryFormOfAnIDFindsItsOriginal(t *testing.T) {
	t.Parallel()
	l := said(conversation.UserMessage{Text: "read it"},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"x"}`}}},
		conversation.ToolResult{CallID: "c1", Tool: "read_file", Status: conversation.ResultOK, Text: "the heron"},
		conversation.Mask{Items: []conversation.MaskItem{{Event: 3}}})
	for _, id := range []string{"e3", "3", "c1", "t0", "e2-4", "e4"} {
		a, err := reader(l).Recall(t.Context(), id, "", 0, 1000)
		if err != nil || !strings.Contains(a, "the heron") {
			t.Errorf("%s: %q, %v", id, a, err)
		}
	}
	if _, err := reader(l).Recall(t.Context(), "c2", "", 0, 1000); err == nil || !strings.Contains(err.Error(), "Near it: c1") {
		t.Errorf("a miss: %v", err)
	}
}

func TestSearchGivesIDsForRecall(t *testing.T) {
	t.Parallel()
	r := reader(said(conversation.UserMessage{Text: "two herons\nby the lock"}, conversation.UserMessage{Text: "a heron"}))
	a, err := r.Search(t.Context(), "heron LOCK", 0, 10)
	if err != nil || !strings.Contains(a, "e1: message of the user, turn 0") || strings.Contains(a, "e2") {
		t.Errorf("got %q, %v", a, err)
	}
}

func TestNothingIsReadWithoutAnArchive(t *testing.T) {
	t.Parallel()
	if _, err := past.New(nil, func() int { return 2000 }).Recall(t.Context(), "e1", "", 0, 1000); err == nil {
		t.Error("there is an original")
	}
}
