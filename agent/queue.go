package agent

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What is said while a turn runs waits, visibly, and becomes turns of its own
// in the order it was said. It comes back to the composer when the turn before
// it was stopped or failed: it was written in the hope of an answer that never
// came. What asks for no answer stays until it is in the log.

// queue is the messages that wait for the running turn.
type queue struct {
	messages []queued
	shown    bool // the watcher knows of some
}

// queued is a message that waits.
type queued struct {
	text  string
	quiet bool // no reply is asked for
}

// texts lists what waits, oldest first.
func (q *queue) texts() []string {
	var texts []string
	for _, m := range q.messages {
		texts = append(texts, m.text)
	}
	return texts
}

// enqueue says something when its turn comes. What can never be sent comes back at
// once: nobody should learn of it when he has forgotten what it was. Where nothing
// runs, its turn is now.
func (a *Agent) enqueue(m queued) {
	if strings.TrimSpace(m.text) == "" {
		return
	}
	busy := a.turn != nil || a.compactor.held
	if err := a.oversized(m.text); err != nil && busy {
		a.updates.Put(Returned{Texts: []string{m.text}})
		a.updates.Put(Failed{Err: err})
		return
	}
	a.queue.messages = append(a.queue.messages, m)
	if busy {
		a.backlog.put(a.queue.texts())
		a.showQueue()
	}
}

// oversized is why a message can never be sent, whatever is left out of the
// conversation: with the system prompt and the tools alone it is longer than the
// window. Nil if it can be, or nobody knows. It is measured as the gauge measures
// it; what is close goes through, as the server may count otherwise.
func (a *Agent) oversized(text string) *Error {
	r := a.meter.Reading()
	if !r.Window.Known() {
		return nil
	}
	tokens := int(a.meter.Weigh(conversation.Measure(conversation.Clean(text))))
	fixed := r.Segments[compact.System] + r.Segments[compact.Tools]
	if tokens+fixed <= a.mostSendable(r) {
		return nil
	}
	return &Error{
		Class: Overflow,
		Message: fmt.Sprintf("the message was not sent: it has about %d tokens, and the window of %s has %d, of which system prompt and tools take %d",
			tokens, a.settings.model.Name(), r.Window.Tokens, fixed),
		Hint: "make it shorter, save it as a file and ask about parts of that, " + a.settings.model.larger(),
	}
}

// oversizedNow is the same by what the server says now, where its word is what counts.
func (a *Agent) oversizedNow(ctx context.Context, text string) *Error {
	err := a.oversized(text)
	if err == nil || !told(a.settings.model.Window) || !a.windows.askWindow(ctx) {
		return err
	}
	return a.oversized(text)
}

// next takes the oldest message that waits.
func (a *Agent) next() (m queued, ok bool) {
	if len(a.queue.messages) == 0 {
		return queued{}, false
	}
	m = a.queue.messages[0]
	a.queue.messages = a.queue.messages[1:]
	if a.queue.shown || len(a.queue.messages) > 0 {
		a.showQueue()
	}
	return m, true
}

// deliver does what a message asks for: a turn, or nothing.
func (a *Agent) deliver(ctx context.Context, m queued) {
	if !m.quiet {
		a.runTurn(ctx, m.text)
		return
	}
	if err := a.say(ctx, m.text); err != nil {
		a.giveBack(m.text)
		a.updates.Put(Failed{Err: AsError(err)})
	}
	a.backlog.put(a.queue.texts()) // it is in the log now, or with the user
	a.setIdle()
}

// keepQuiet stores what waits and asks for no answer. It is for the end.
func (a *Agent) keepQuiet(ctx context.Context) {
	var left []queued
	before := len(a.queue.messages)
	for _, m := range a.queue.messages {
		if !m.quiet || a.say(context.WithoutCancel(ctx), m.text) != nil {
			left = append(left, m)
		}
	}
	a.queue.messages = left
	if len(left) < before {
		a.backlog.put(a.queue.texts())
	}
}

// showQueue tells which messages wait.
func (a *Agent) showQueue() {
	a.updates.Put(Queued{Texts: a.queue.texts()})
	a.queue.shown = len(a.queue.messages) > 0
}

// giveBack returns texts and then the queued messages to the composer, but for
// those that ask for no answer.
func (a *Agent) giveBack(texts ...string) {
	var left []queued
	for _, m := range a.queue.messages {
		if m.quiet {
			left = append(left, m)
			continue
		}
		texts = append(texts, m.text)
	}
	a.queue.messages = left
	a.backlog.put(a.queue.texts())
	// In this order, so that a watcher who leaves between the two has them.
	if len(texts) > 0 {
		a.updates.Put(Returned{Texts: texts})
	}
	if a.queue.shown {
		a.showQueue()
	}
}
