package storage_test

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

// checkLoaded fails the test unless the store loads the events that were appended.
func (c *testConversation) checkLoaded(s *storage.Store) {
	c.t.Helper()
	got, report, err := s.Load(c.t.Context(), c.w.ID())
	if diff := cmp.Diff(c.log.Events(), got); err != nil || len(report.Damaged) > 0 || diff != "" {
		c.t.Errorf("error %v, damaged %v, loaded events (-appended +loaded):\n%s", err, report.Damaged, diff)
	}
}

func TestWriterStoresWhatIsAppended(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "<b>große</b> 船 \u202e & \x00 \xff \U0001F6A2")
	for i := range 300 {
		c.add(reply(fmt.Sprint("reply ", i)), conversation.UserMessage{Text: strings.Repeat("more ", i)})
	}
	c.add(conversation.Unknown{Name: "hologram", Raw: []byte(`{"depth":3}`)})
	c.checkLoaded(s)
	c.close()
	again := reopen(t, s, idA)
	again.add(reply("done"))
	again.checkLoaded(s)
	if err := again.w.Append(t.Context(), nil); err != nil {
		t.Errorf("appending no events: %v, want no error", err)
	}
}

func TestWriterStoresNothingUntilTheUserSpeaks(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	w, err := s.Create(t.Context(), storage.NewConversation{ID: idA, Workspace: "/w"})
	must(t, err)
	c := &testConversation{t: t, w: w}
	c.add(conversation.ModelChanged{Provider: "demo", Model: "demo-1"})
	_, _, err = s.Load(t.Context(), idA)
	wantError(t, err, storage.ErrNotFound)
	c.add(conversation.UserMessage{Text: "now"}, conversation.Notice{Text: "and this"})
	c.checkLoaded(s)
}

func TestWriterRefusesEventsThatDoNotFollow(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "one")
	next := c.prepare(reply("two"), reply("three"))
	for name, events := range map[string][]conversation.Event{
		"stored already": c.log.Events(), "a gap before": next[1:], "a gap between": {next[0], {Seq: 4, Time: start, Body: conversation.Notice{}}},
	} {
		if err := c.w.Append(t.Context(), events); !errors.Is(err, storage.ErrConflict) {
			t.Errorf("%s: error is %v, want a conflict", name, err)
		}
	}
	c.checkLoaded(s)
	c.add(reply("still works"))
	c.checkLoaded(s)
}

func TestConversationHasOneWriter(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "mine")
	_, err := s.OpenWriter(t.Context(), idA)
	wantError(t, err, storage.ErrLocked)
	_, err = s.Create(t.Context(), storage.NewConversation{ID: idA, Workspace: "/w"})
	wantError(t, err, storage.ErrExists)
	c.close()
	must(t, c.w.Close())
	wantError(t, c.w.Append(t.Context(), c.prepare(reply("too late"))), storage.ErrClosed)
	wantError(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: 1}), storage.ErrClosed)
	_, err = c.w.PutBlob(t.Context(), "text")
	wantError(t, err, storage.ErrClosed)
	reopen(t, s, idA).add(reply("mine again"))
}

func TestPartialReplyIsKeptUntilTheReply(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "go on")
	p := conversation.PartialReply{After: 1, Model: "demo/demo-1", Reasoning: "hm", Time: start.Add(time.Second),
		Request: conversation.Usage{Model: "demo/demo-1", Prompt: -1, Estimate: 9.5, Through: 1, MaxTokens: 70, WireForm: "chat usage", BodyHash: "ab"}}
	for _, p.Text = range []string{"Once", "Once upon", "Once upon a time"} {
		must(t, c.w.KeepPartial(t.Context(), p))
	}
	if got, ok, err := s.Partial(t.Context(), idA); err != nil || !ok || !cmp.Equal(got, p) {
		t.Errorf("the partial reply is %+v, %v, %v, want %+v", got, ok, err, p)
	}
	c.close()
	again := reopen(t, s, idA)
	if found, ok := again.w.Partial(); !ok || !cmp.Equal(found, p) {
		t.Errorf("the partial reply found on opening is %+v, %v, want %+v", found, ok, p)
	}
	again.add(p.RecoveredBodies(2)...)
	if got, ok, err := s.Partial(t.Context(), idA); ok || err != nil {
		t.Errorf("after the reply the partial reply is %+v, %v, want none", got, err)
	}
	again.checkLoaded(s)
}

func TestPartialReplyIsForgottenAfterAnotherMessage(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "go on")
	must(t, c.w.KeepPartial(t.Context(), conversation.PartialReply{After: 1, Text: "Once"}))
	c.add(conversation.UserMessage{Text: "never mind"})
	if p, ok, err := s.Partial(t.Context(), idA); ok || err != nil {
		t.Errorf("the partial reply is %+v, %v, want none", p, err)
	}
	c.close()
	if found, ok := reopen(t, s, idA).w.Partial(); ok {
		t.Errorf("the partial reply found on opening is %+v, want none", found)
	}
}

func TestTextsAreFoundByTheBeginningOfTheirName(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	for _, text := range []string{"", "short", strings.Repeat("long and repetitive\n", 50_000), "\u202e 船 \U0001F6A2", "bad \xff \x00"} {
		name, err := c.w.PutBlob(t.Context(), text)
		must(t, err)
		if again, err := c.w.PutBlob(t.Context(), text); err != nil || again != name {
			t.Errorf("stored again: %q, %v, want %q", again, err, name)
		}
		for _, n := range []string{name, name[:8], name[:63]} {
			if got, err := s.Blob(t.Context(), idA, n); err != nil || got != conversation.Clean(text) {
				t.Errorf("text %q has %d bytes, %v, want %d", n, len(got), err, len(text))
			}
		}
		for _, n := range []string{name[:7], name + "0"} {
			_, err := s.Blob(t.Context(), idA, n)
			wantError(t, err, storage.ErrNotFound)
		}
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, putErr := c.w.PutBlob(ctx, "text")
	_, _, loadErr := s.Load(ctx, idA)
	_, _, partialErr := s.Partial(ctx, idA)
	for _, err := range []error{putErr, loadErr, partialErr, c.w.Append(ctx, c.prepare(conversation.Notice{})),
		c.w.KeepPartial(ctx, conversation.PartialReply{After: 1})} {
		wantError(t, err, context.Canceled)
	}
	c.checkLoaded(s)
}

func TestMissingConversationIsNotFound(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	for _, id := range []string{"zzzzzzzzzzzz", "", "../escape", strings.Repeat("a", 5000)} {
		_, _, loadErr := s.Load(t.Context(), id)
		_, openErr := s.OpenWriter(t.Context(), id)
		_, _, partialErr := s.Partial(t.Context(), id)
		_, blobErr := s.Blob(t.Context(), id, strings.Repeat("0", 64))
		for _, err := range []error{loadErr, openErr, partialErr, blobErr} {
			wantError(t, err, storage.ErrNotFound)
		}
	}
}
