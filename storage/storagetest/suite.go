package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// id is the conversation of most tests.
const id = "abcdefghij23"

// start is when the conversations of the suite begin.
var start = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// Suite checks a store of conversations against the contract.
func Suite(t *testing.T, open func(t *testing.T) *storage.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, *storage.Store)
	}{
		{"LoadsWhatWasAppended", loadsWhatWasAppended},
		{"KeepsEveryKindOfEvent", keepsEveryKind},
		{"StoresNothingUntilTheUserSpeaks", storesNothingUntilSpoken},
		{"RefusesEventsThatDoNotFollow", refusesConflicts},
		{"RefusesASecondWriter", refusesSecondWriter},
		{"KeepsThePartialReplyUntilAReply", keepsPartial},
		{"ForgetsAStalePartialReply", forgetsStalePartial},
		{"FindsTextsByName", findsTexts},
		{"KeepsTextsStoredBeforeTheFirstMessage", keepsEarlyTexts},
		{"RefusesWritesAfterClose", refusesAfterClose},
		{"ObeysItsContext", obeysContext},
		{"SaysWhatIsNotThere", saysNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

// testConversation is a conversation open for writing, with a log that numbers its events.
type testConversation struct {
	t   *testing.T
	h   *storage.Store
	w   *storage.Writer
	log conversation.Log
}

func begin(t *testing.T, h *storage.Store) *testConversation {
	t.Helper()
	w, err := h.Create(t.Context(), storage.NewConversation{ID: id, Workspace: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // most tests close it before, where the error counts
	return &testConversation{t: t, h: h, w: w}
}

// add appends events with these bodies and fails the test on an error.
func (c *testConversation) add(bodies ...conversation.Body) {
	c.t.Helper()
	events := c.log.Prepare(start.Add(time.Duration(c.log.Len())*time.Second), bodies...)
	if err := c.w.Append(c.t.Context(), events); err != nil {
		c.t.Fatal(err)
	}
	if err := c.log.Commit(events); err != nil {
		c.t.Fatal(err)
	}
}

// checkLoaded fails the test unless the loaded events are those appended.
func (c *testConversation) checkLoaded() {
	c.t.Helper()
	got, report, err := c.h.Load(c.t.Context(), id)
	if err != nil || len(report.Damaged) > 0 {
		c.t.Fatal(err, report)
	}
	if diff := cmp.Diff(c.log.Events(), got); diff != "" {
		c.t.Errorf("loaded events (-appended +loaded):\n%s", diff)
	}
}

// reopen closes the conversation and opens it again.
func (c *testConversation) reopen() *conversation.PartialReply {
	c.t.Helper()
	if err := c.w.Close(); err != nil {
		c.t.Fatal(err)
	}
	w, err := c.h.OpenWriter(c.t.Context(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	c.w = w
	c.t.Cleanup(func() { _ = w.Close() })
	if p, ok := w.Partial(); ok {
		return &p
	}
	return nil
}

func wantError(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error is %v, want %v", err, target)
	}
}

func loadsWhatWasAppended(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "what is in this project?"})
	c.checkLoaded()
	for i := range 300 {
		c.add(conversation.AssistantMessage{Text: fmt.Sprint("reply ", i), Stop: conversation.StopEnd},
			conversation.UserMessage{Text: strings.Repeat("more ", i)})
	}
	c.checkLoaded()
	c.reopen()
	c.checkLoaded()
	c.add(conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd})
	c.checkLoaded()
	if err := c.w.Append(t.Context(), nil); err != nil {
		t.Errorf("appending no events: %v", err)
	}
}

func keepsEveryKind(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	cost := 0.0125
	c.add(
		conversation.Instructions{System: "a", Tools: "b", SystemSize: conversation.Size{ASCII: 4}},
		conversation.ModelChanged{Provider: "demo", Model: "demo-1", Window: 8192, Source: "server"},
		conversation.UserMessage{Text: "<b>große</b> 船 \u202e & \x00 \xff \U0001F6A2"},
		conversation.AssistantMessage{
			Text: "a", Reasoning: "b", Stop: conversation.StopCalls, Model: "demo/demo-1",
			Calls:  []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: `{"path":"x"}`}, {ID: "2", Arguments: "{"}},
			Extras: map[string]conversation.RawJSON{"signature": []byte(`{"a":[1,2]}`)},
		},
		conversation.Usage{Reply: 4, Prompt: 10, Cached: -1, CostUSD: &cost, Estimate: 9.5},
		conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: "text", Duration: time.Second},
		conversation.ConfigChanged{Set: map[string]string{"compaction.keep_last": "2"}},
		conversation.Renamed{Title: "A title", By: "user"},
		conversation.Notice{Level: conversation.NoticeWarning, Text: "retried"},
		conversation.Unknown{Name: "hologram", Raw: []byte(`{"depth":3}`)},
	)
	c.checkLoaded()
}

func storesNothingUntilSpoken(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.ModelChanged{Provider: "demo", Model: "demo-1"})
	_, _, err := h.Load(t.Context(), id)
	wantError(t, err, storage.ErrNotFound)
	c.add(conversation.UserMessage{Text: "now"}, conversation.Notice{Text: "and this"})
	c.checkLoaded()
}

func refusesConflicts(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	events := c.log.Prepare(start, conversation.UserMessage{Text: "one"}, conversation.UserMessage{Text: "two"})
	wantError(t, c.w.Append(t.Context(), events[1:]), storage.ErrConflict)
	c.add(conversation.UserMessage{Text: "one"})
	wantError(t, c.w.Append(t.Context(), events[:1]), storage.ErrConflict)
	later := conversation.Event{Seq: 3, Time: start, Body: conversation.UserMessage{Text: "three"}}
	wantError(t, c.w.Append(t.Context(), []conversation.Event{later}), storage.ErrConflict)
	gap := []conversation.Event{events[1], {Seq: 4, Time: start, Body: conversation.Notice{}}}
	wantError(t, c.w.Append(t.Context(), gap), storage.ErrConflict)
	c.checkLoaded() // the refused events are not stored
	c.add(conversation.AssistantMessage{Text: "still works", Stop: conversation.StopEnd})
	c.checkLoaded()
}

func refusesSecondWriter(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "mine"})
	_, err := h.OpenWriter(t.Context(), id)
	wantError(t, err, storage.ErrLocked)
	_, err = h.Create(t.Context(), storage.NewConversation{ID: id, Workspace: "/w"})
	wantError(t, err, storage.ErrExists)
	c.reopen()
	c.add(conversation.UserMessage{Text: "mine again"})
	c.checkLoaded()
}

func keepsPartial(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "go on"})
	p := conversation.PartialReply{After: 1, Model: "demo/demo-1", Text: "Once", Reasoning: "hm", Time: start.Add(time.Second),
		Request: conversation.Usage{Model: "demo/demo-1", Prompt: -1, Estimate: 9.5, Through: 1, MaxTokens: 70, WireForm: "chat usage", BodyHash: "ab"}}
	for _, text := range []string{"Once", "Once upon", "Once upon a time"} {
		p.Text = text
		if err := c.w.KeepPartial(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, ok, err := h.Partial(t.Context(), id)
	if err != nil || !ok || !cmp.Equal(got, p) {
		t.Errorf("partial reply is %+v, %v, %v, want %+v", got, ok, err, p)
	}
	found := c.reopen()
	if !cmp.Equal(found, &p) {
		t.Fatalf("partial reply found on opening is %+v, want %+v", found, p)
	}
	c.add(found.RecoveredBodies(2)...)
	if _, ok, err := h.Partial(t.Context(), id); ok || err != nil {
		t.Errorf("after the reply there is a partial reply: %v, %v", ok, err)
	}
	if found := c.reopen(); found != nil {
		t.Errorf("partial reply found after the reply: %+v", found)
	}
	c.checkLoaded()
}

func forgetsStalePartial(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "go on"})
	if err := c.w.KeepPartial(t.Context(), conversation.PartialReply{After: 1, Text: "Once"}); err != nil {
		t.Fatal(err)
	}
	c.add(conversation.UserMessage{Text: "never mind"})
	if p, ok, err := h.Partial(t.Context(), id); ok || err != nil {
		t.Errorf("stale partial reply is reported: %+v, %v", p, err)
	}
	if found := c.reopen(); found != nil {
		t.Errorf("stale partial reply was found: %+v", found)
	}
	c.checkLoaded()
}

func findsTexts(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "hello"})
	names := map[string]string{}
	for _, text := range []string{"", "short", strings.Repeat("long and repetitive\n", 50_000), "\u202e 船 \U0001F6A2", "bad \xff \x00"} {
		name, err := c.w.PutBlob(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.w.PutBlob(t.Context(), text)
		if err != nil || again != name {
			t.Errorf("stored again: %q, %v, want %q", again, err, name)
		}
		names[name] = conversation.Clean(text)
	}
	c.reopen()
	for name, text := range names {
		for _, n := range []string{name, name[:8], name[:63]} {
			got, err := h.Blob(t.Context(), id, n)
			if err != nil || got != text {
				t.Errorf("text %q has %d bytes, %v, want %d", n, len(got), err, len(text))
			}
		}
		_, err := h.Blob(t.Context(), id, name[:7])
		wantError(t, err, storage.ErrNotFound)
		_, err = h.Blob(t.Context(), id, name+"0")
		wantError(t, err, storage.ErrNotFound)
	}
	if name, err := c.w.PutBlob(t.Context(), "short"); err != nil || names[name] != "short" {
		t.Errorf("stored again after opening: %q, %v", name, err)
	}
}

func keepsEarlyTexts(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	name, err := c.w.PutBlob(t.Context(), "you are a helpful ship")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Blob(t.Context(), id, name)
	wantError(t, err, storage.ErrNotFound)
	c.add(conversation.Instructions{System: name}, conversation.UserMessage{Text: "hello"})
	got, err := h.Blob(t.Context(), id, name)
	if err != nil || got != "you are a helpful ship" {
		t.Errorf("text is %q, %v", got, err)
	}
}

func refusesAfterClose(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "hello"})
	if err := errors.Join(c.w.Close(), c.w.Close()); err != nil {
		t.Fatal(err)
	}
	events := c.log.Prepare(start, conversation.UserMessage{Text: "too late"})
	wantError(t, c.w.Append(t.Context(), events), storage.ErrClosed)
	wantError(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: 1}), storage.ErrClosed)
	_, err := c.w.PutBlob(t.Context(), "text")
	wantError(t, err, storage.ErrClosed)
	c.checkLoaded()
}

func obeysContext(t *testing.T, h *storage.Store) {
	c := begin(t, h)
	c.add(conversation.UserMessage{Text: "hello"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, c.w.Append(ctx, c.log.Prepare(start, conversation.Notice{})), context.Canceled)
	wantError(t, c.w.KeepPartial(ctx, conversation.PartialReply{After: 1}), context.Canceled)
	_, err := c.w.PutBlob(ctx, "text")
	wantError(t, err, context.Canceled)
	_, _, err = h.Load(ctx, id)
	wantError(t, err, context.Canceled)
	_, _, err = h.Partial(ctx, id)
	wantError(t, err, context.Canceled)
	c.checkLoaded()
}

func saysNotFound(t *testing.T, h *storage.Store) {
	for _, id := range []string{"zzzzzzzzzzzz", "", "../escape", strings.Repeat("a", 5000)} {
		_, _, err := h.Load(t.Context(), id)
		wantError(t, err, storage.ErrNotFound)
		_, err = h.OpenWriter(t.Context(), id)
		wantError(t, err, storage.ErrNotFound)
		_, _, err = h.Partial(t.Context(), id)
		wantError(t, err, storage.ErrNotFound)
		_, err = h.Blob(t.Context(), id, strings.Repeat("0", 64))
		wantError(t, err, storage.ErrNotFound)
	}
}
