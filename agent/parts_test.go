package agent

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
)

func TestAQueueReturnsMessagesAndKeepsThoseThatAskForNoReply(t *testing.T) {
	t.Parallel()
	box := updates.NewMailbox()
	q := &queue{updates: box, messages: []queued{{text: "one"}, {text: "a note", quiet: true}, {text: "two"}}}
	q.show()
	q.giveBack("typed before")
	if diff := cmp.Diff([]string{"a note"}, q.texts()); diff != "" {
		t.Errorf("what stays (-want +got):\n%s", diff)
	}
	got, err := box.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []updates.Update{
		updates.Queued{Texts: []string{"one", "a note", "two"}}, updates.Returned{Texts: []string{"typed before", "one", "two"}}, updates.Queued{Texts: []string{"a note"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the watcher is told (-want +got):\n%s", diff)
	}
	if m, ok := q.next(); !ok || m.text != "a note" || !m.quiet {
		t.Errorf("next is %+v", m)
	}
	if _, ok := q.next(); ok {
		t.Error("an empty queue has a next message")
	}
}

func TestAnInspectorAnswersOneLookAtATime(t *testing.T) {
	t.Parallel()
	in, box, looks := core.NewInbox(), updates.NewMailbox(), 0
	i := &inspector{inbox: in, updates: box, account: func() func() inspect.Breakdown {
		looks++
		return func() inspect.Breakdown { return inspect.Breakdown{} }
	}}
	for range 3 {
		i.look()
	}
	in.Drain(t.Context()) // the newest of the three
	i.look()
	i.look()
	for looks < 2 {
		<-in.Wake
		in.Drain(t.Context())
	}
	i.wait()
	if looks != 2 {
		t.Errorf("%d looks, want one for those that waited, then one more", looks)
	}
}

func TestACallThatNobodyIsAskedAboutIgnoresAnswers(t *testing.T) {
	t.Parallel()
	r := &callRunner{}
	r.answer("c1", conversation.Answer{}) // nothing waits
	r.question = &question{callID: "c2", answer: make(chan conversation.Answer, 1)}
	r.answer("c1", conversation.Answer{Text: "to another call"})
	if r.question == nil {
		t.Fatal("an answer to another call was taken")
	}
	asked := r.question.answer
	r.answer("c2", conversation.Answer{Text: "yes"})
	if got := <-asked; got.Text != "yes" || r.question != nil {
		t.Errorf("the call was answered %+v", got)
	}
}

func TestTheOwnerDrainsItsInboxWhileItWaits(t *testing.T) {
	t.Parallel()
	in, released := core.NewInbox(), make(chan struct{})
	in.Put(func(context.Context) { close(released) })
	got := core.Concurrently(t.Context(), in, func() int {
		<-released // by the command: without it this never ends
		return 7
	})
	if got != 7 {
		t.Errorf("got %d", got)
	}
}
