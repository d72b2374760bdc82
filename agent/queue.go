package agent

import (
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
)

// A message that is sent while a turn runs waits, visibly, and becomes a turn of its own, in the order of sending.
// If the turn before it is stopped or fails, it returns to the composer, because the user expected another reply
// first. A quiet message, which asks for no reply, stays in the queue until it is in the log.

// queue holds the messages that wait for the running turn.
type queue struct {
	messages []queued
	isShown  bool // the newest Queued update was not empty
	backlog  backlog
	updates  *updates.Mailbox
}

type queued struct {
	text  string
	quiet bool          // asks for no reply
	on    *llm.Endpoint // answers in place of the model in use; nil for that
}

// next removes and returns the oldest message.
func (q *queue) next() (m queued, ok bool) {
	if len(q.messages) == 0 {
		return queued{}, false
	}
	m = q.messages[0]
	q.messages = q.messages[1:]
	if q.isShown || len(q.messages) > 0 {
		q.show()
	}
	return m, true
}

func (q *queue) show() {
	q.updates.Put(updates.Queued{Texts: q.texts()})
	q.isShown = len(q.messages) > 0
}

// returnToComposer returns texts, and then the queued messages except quiet ones, to the composer.
func (q *queue) returnToComposer(texts ...string) {
	var quietOnes []queued
	for _, m := range q.messages {
		if m.quiet {
			quietOnes = append(quietOnes, m)
			continue
		}
		texts = append(texts, m.text)
	}
	q.messages = quietOnes
	q.store()
	// Returned goes first, so that a watcher that stops between the two has the texts.
	if len(texts) > 0 {
		q.updates.Put(updates.Returned{Texts: texts})
	}
	if q.isShown {
		q.show()
	}
}

// store stores the queue, so that a crash does not lose it.
func (q *queue) store() { q.backlog.replaceTexts(q.texts()) }

// texts lists the texts of the queue, oldest first.
func (q *queue) texts() []string {
	var texts []string
	for _, m := range q.messages {
		texts = append(texts, m.text)
	}
	return texts
}
