package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// owner is the program that has a conversation open for writing.
type owner struct {
	app   *app
	t     *testing.T
	store *storage.Store
	w     *storage.Writer
	log   conversation.Log
}

const owned = "abcdefgh2345"

// ownersModel differs from every model that a flag names, and its window is in no catalogue.
var ownersModel = conversation.ModelChanged{Provider: "mine", Model: "big", BaseURL: "http://127.0.0.1:1/v1", Window: 12_345, Source: string(meter.WindowServer)}

// newOwner creates a conversation in a second store in the data directory of a.
func newOwner(t *testing.T, a *app) *owner {
	t.Helper()
	store, err := storage.Open(a.Settings.Flags.Data, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := &owner{app: a, t: t, store: store}
	if o.w, err = store.Create(t.Context(), storage.NewConversation{ID: owned, Workspace: "/w"}); err != nil {
		t.Fatal(err)
	}
	o.append(ownersModel, conversation.UserMessage{Text: "hello"})
	return o
}

func (o *owner) append(bodies ...conversation.Body) {
	o.t.Helper()
	events := o.log.Prepare(time.Now(), bodies...)
	if err := errors.Join(o.w.Append(o.t.Context(), events), o.log.Commit(events)); err != nil {
		o.t.Fatal(err)
	}
}

func (o *owner) close() {
	o.t.Helper()
	if err := o.w.Close(); err != nil {
		o.t.Fatal(err)
	}
}

// reopen opens the conversation again.
func (o *owner) reopen() {
	o.t.Helper()
	var err error
	if o.w, err = o.store.OpenWriter(o.t.Context(), owned); err != nil {
		o.t.Fatal(err)
	}
}

func updatesWithin(t *testing.T, d time.Duration, from source) []updates.Update {
	t.Helper()
	<-time.After(d)
	synctest.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err := from.Take(ctx)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return list
}

// onlyUpdate returns the only update of a type.
func onlyUpdate[T updates.Update](t *testing.T, list []updates.Update) T {
	t.Helper()
	var found []T
	for _, u := range list {
		if u, ok := u.(T); ok {
			found = append(found, u)
		}
	}
	if len(found) != 1 {
		var none T
		t.Fatalf("%d updates are %T: %.1000s", len(found), none, fmt.Sprintf("%+v", list))
	}
	return found[0]
}

// whileFollowing runs a test in a synctest bubble, with a host that follows a conversation of another program.
func whileFollowing(t *testing.T, test func(t *testing.T, o *owner, h *screen.Host, talk tui.Conversation)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := bareApp(t, "providers.mine.base_url=http://127.0.0.1:2/v1")
		defer a.Resources.Close()
		o := newOwner(t, a)
		defer o.store.Close()
		h := screen.NewHost(a.Agents, screen.ChatOptions{})
		defer h.Close()
		talk, err := h.Resume(t.Context(), owned)
		if err != nil {
			t.Fatal(err)
		}
		test(t, o, h, talk)
	})
}

// soon is the time within which new events of the owner must appear.
const soon = 2 * time.Second

func TestEventsOfTheOwnerAppear(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, _ *screen.Host, talk tui.Conversation) {
		if !talk.Elsewhere.Open || talk.ReadOnly == "" || len(talk.Events) != o.log.Len() {
			t.Fatalf("opened as %+v", talk)
		}
		if list := updatesWithin(t, time.Minute, talk.Session); list != nil {
			t.Errorf("nothing happened, and the follower got %+v", list)
		}
		before, known := talk.Meter.Reading().Used, o.log.Len()
		o.append(conversation.AssistantMessage{Text: strings.Repeat("many words ", 500), Stop: conversation.StopEnd, Model: "mine/big"}, conversation.UserMessage{Text: "and?"})
		list := updatesWithin(t, soon, talk.Session)
		if got := onlyUpdate[updates.Appended](t, list).Events; len(got) != 2 || got[0].Seq != uint64(known+1) {
			t.Errorf("appended %+v", got)
		}
		answered := onlyUpdate[updates.Metered](t, list).Meter
		if answered.Reading().Used < before+500 {
			t.Errorf("the gauge is at %d, was at %d", answered.Reading().Used, before)
		}
		epoch := uint64(o.log.Len() + 1)
		o.append(conversation.Summary{Origin: conversation.Origin{Epoch: epoch}, Style: conversation.StylePlimsoll, Version: 1, Spans: []conversation.Span{{First: 1, Last: 3}}, Text: "they said hello"})
		if got := onlyUpdate[updates.Metered](t, updatesWithin(t, soon, talk.Session)).Meter.Reading().Used; got >= answered.Reading().Used {
			t.Errorf("after a compaction the gauge is at %d", got)
		}
		o.append(conversation.Revert{Origin: conversation.Origin{Epoch: epoch + 1}, Epoch: epoch})
		if got := onlyUpdate[updates.Metered](t, updatesWithin(t, soon, talk.Session)).Meter.Reading().Used; got != answered.Reading().Used {
			t.Errorf("after its undo the gauge is at %d, was at %d", got, answered.Reading().Used)
		}
	})
}

// The model is that of the log, not that of this run's flags.
func TestAReadOnlyWindowShowsTheOwnersModelAndWindow(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*setup.Flags){
		"no flag":          func(*setup.Flags) {},
		"another model":    func(f *setup.Flags) { f.Model = "openai/gpt-5.4" },
		"another window":   func(f *setup.Flags) { f.Window = 99 },
		"another endpoint": func(f *setup.Flags) { f.BaseURL, f.Model = "http://127.0.0.1:3/v1", "small" },
		"the demo":         func(f *setup.Flags) { f.Demo = true },
	} {
		a := bareApp(t, "providers.mine.base_url=http://127.0.0.1:2/v1")
		defer a.Resources.Close()
		set(&a.Settings.Flags)
		o := newOwner(t, a)
		defer o.store.Close()
		h := screen.NewHost(a.Agents, screen.ChatOptions{})
		defer h.Close()
		talk, err := h.Resume(t.Context(), owned)
		want := meter.Window{Tokens: ownersModel.Window, Source: meter.WindowServer}
		if err != nil || talk.Model.Name() != "mine/big" || talk.Model.Window != want || talk.Meter.Window() != want {
			t.Errorf("%s: %s with %+v, the gauge by %+v, %v", name, talk.Model.Name(), talk.Model.Window, talk.Meter.Window(), err)
		}
	}
}

// The stored part of an arriving reply is shown, then the complete reply.
func TestAnArrivingReplyIsFollowed(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, _ *screen.Host, talk tui.Conversation) {
		arrives := func(text, thought string) {
			t.Helper()
			if err := o.w.KeepPartial(t.Context(), conversation.PartialReply{After: uint64(o.log.Len()), Text: text, Reasoning: thought}); err != nil {
				t.Fatal(err)
			}
		}
		for _, step := range []struct {
			do   func()
			want []updates.Update
		}{
			{func() { arrives("", "hm") }, []updates.Update{updates.Delta{Reasoning: "hm"}}},
			{func() { arrives("half", "hm, so") }, []updates.Update{updates.Delta{Text: "half", Reasoning: ", so"}}},
			{func() {}, nil},
			{func() { arrives("half a reply", "hm, so") }, []updates.Update{updates.Delta{Text: " a reply"}}},
			{func() { arrives("another", "") }, []updates.Update{updates.Discarded{}, updates.Delta{Text: "another"}}},
		} {
			step.do()
			if diff := cmp.Diff(step.want, updatesWithin(t, soon, talk.Session)); diff != "" {
				t.Error(diff)
			}
		}
		o.append(conversation.AssistantMessage{Text: "another one", Stop: conversation.StopEnd, Model: "mine/big"})
		for _, u := range updatesWithin(t, soon, talk.Session) {
			switch u.(type) {
			case updates.Delta, updates.Discarded:
				t.Errorf("the reply is in the log, and the follower got %+v", u)
			}
		}
		arrives("the next", "")
		o.close() // as if it were killed
		list := updatesWithin(t, soon, talk.Session)
		if got := onlyUpdate[updates.Delta](t, list).Text; got != "the next" {
			t.Errorf("of the next reply there is %q", got)
		}
		if !onlyUpdate[updates.OpenElsewhere](t, list).Closed {
			t.Error("it is open still")
		}
	})
}

// Events that the other window adds just before it closes are shown together with the notice that it closed.
func TestOneOfTwoFollowersTakesOver(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, h *screen.Host, talk tui.Conversation) {
		second := screen.NewHost(o.app.Agents, screen.ChatOptions{})
		defer second.Close()
		if follows, err := second.Resume(t.Context(), owned); err != nil || !follows.Elsewhere.Open {
			t.Fatalf("%+v, %v", follows, err)
		}
		o.app.Settings.Flags.Demo = true
		o.append(conversation.UserMessage{Text: "the last"})
		o.close()
		list := updatesWithin(t, soon, talk.Session)
		if got := onlyUpdate[updates.Appended](t, list).Events; len(got) != 1 || !onlyUpdate[updates.OpenElsewhere](t, list).Closed {
			t.Errorf("told %+v", list)
		}
		talks := make([]tui.Conversation, 2)
		var both sync.WaitGroup
		for i, host := range []*screen.Host{h, second} {
			both.Go(func() {
				var err error
				if talks[i], err = host.Resume(t.Context(), owned); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		first, late := talks[0], talks[1]
		if first.ReadOnly != "" {
			first, late = late, first
		}
		if first.ReadOnly != "" || !late.Elsewhere.Open || len(late.Events) < o.log.Len() {
			t.Errorf("one is %q, the other %+v", first.ReadOnly, late.Elsewhere)
		}
	})
}

func TestTheOwnersModelIsFollowed(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, _ *screen.Host, talk tui.Conversation) {
		o.append(conversation.UserMessage{Text: "more"})
		for _, u := range updatesWithin(t, soon, talk.Session) {
			if u, ok := u.(updates.ModelSwitched); ok {
				t.Errorf("the model is the same, and the follower got %s", u.Model.Name())
			}
		}
		for _, to := range []conversation.ModelChanged{
			{Provider: "mine", Model: "big", Window: 777, Source: string(meter.WindowLearned)},
			{Provider: "mine", Model: "small", Window: 888, Source: string(meter.WindowServer)},
		} {
			o.append(to)
			list := updatesWithin(t, soon, talk.Session)
			m := onlyUpdate[updates.ModelSwitched](t, list).Model
			if w := onlyUpdate[updates.Metered](t, list).Meter.Window(); m.ID != to.Model || m.Window.Tokens != to.Window || w != m.Window {
				t.Errorf("%+v became %s with %+v, the gauge by %+v", to, m.Name(), m.Window, w)
			}
		}
	})
}

func TestTheEndOfTheOtherWindowIsReportedOnce(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, h *screen.Host, talk tui.Conversation) {
		o.close()
		if u := onlyUpdate[updates.OpenElsewhere](t, updatesWithin(t, time.Minute, talk.Session)); u.Open || !u.Closed || !strings.Contains(u.Why, "/resume "+owned) {
			t.Errorf("told %+v", u)
		}
		o.reopen()
		if u := onlyUpdate[updates.OpenElsewhere](t, updatesWithin(t, time.Minute, talk.Session)); !u.Open || u.Closed || !strings.Contains(u.Why, fmt.Sprintf("(pid %d)", os.Getpid())) {
			t.Errorf("when it is open again: %+v", u)
		}
		o.close()
		updatesWithin(t, soon, talk.Session)
		o.app.Settings.Flags.Demo = true
		again, err := h.Resume(t.Context(), owned)
		if err != nil || again.ReadOnly != "" || again.Elsewhere != (updates.OpenElsewhere{}) || again.ID != owned {
			t.Errorf("taken over as %q, %v", again.ReadOnly, err)
		}
		if _, err := talk.Session.Take(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("it is still followed: %v", err)
		}
	})
}

func TestADeletedConversationIsNoLongerFollowed(t *testing.T) {
	whileFollowing(t, func(t *testing.T, o *owner, h *screen.Host, talk tui.Conversation) {
		o.close()
		if err := o.store.Delete(t.Context(), owned); err != nil {
			t.Fatal(err)
		}
		if u := onlyUpdate[updates.OpenElsewhere](t, updatesWithin(t, time.Minute, talk.Session)); u.Open || u.Closed || !strings.Contains(u.Why, "deleted") {
			t.Errorf("told %+v", u)
		}
		if _, err := h.Fork(t.Context()); err == nil || !strings.Contains(err.Error(), "deleted") {
			t.Errorf("a copy of it: %v", err)
		}
		if _, err := talk.Session.Take(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("it is still followed: %v", err)
		}
	})
}

// The draft of a read-only window and the owner's draft have different files. The former is used if there is no other.
func TestADraftOfAFollowerDoesNotReplaceTheOwners(t *testing.T) {
	for name, own := range map[string]tui.Draft{"the owner has none": {}, "the owner has one": {Text: "of the owner"}} {
		t.Run(name, func(t *testing.T) {
			whileFollowing(t, func(t *testing.T, o *owner, h *screen.Host, _ tui.Conversation) {
				mine := tui.Draft{Text: "of a follower"}
				if err := errors.Join(h.KeepDraft(t.Context(), owned, false, own), h.KeepDraft(t.Context(), owned, true, mine)); err != nil {
					t.Fatal(err)
				}
				if talk, err := h.Resume(t.Context(), owned); err != nil || talk.Draft != mine {
					t.Errorf("followed again with %+v, %v", talk.Draft, err)
				}
				o.app.Settings.Flags.Demo = true
				o.close()
				want := own
				if own == (tui.Draft{}) {
					want = mine
				}
				if talk, err := h.Resume(t.Context(), owned); err != nil || talk.ReadOnly != "" || talk.Draft != want {
					t.Errorf("taken over with %+v, %v", talk.Draft, err)
				}
				if err := o.app.Conversations.DeleteDraft(owned); err != nil {
					t.Error(err)
				}
				if left, _ := os.ReadDir(filepath.Dir(o.app.Settings.Paths.Draft(owned))); len(left) != 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		})
	}
}
