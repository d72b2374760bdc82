package agent

import "plimsoll/agent/updates"

// A message that is sent while a turn runs waits, visibly, and becomes its own turn, in
// the order of sending. It returns to the composer when the turn before
// it was stopped or failed: it was written in the hope of an answer that never
// came. What asks for no answer stays until it is in the log.

// queue is the messages that wait for the running turn.
type queue struct {
	messages []queued
	shown    bool // the watcher knows of some
	backlog  backlog
	updates  *updates.Mailbox
}

// queued is a message that waits.
type queued struct {
	text  string
	quiet bool // no reply is asked for
}

// next takes the oldest message that waits.
func (q *queue) next() (m queued, ok bool) {
	if len(q.messages) == 0 {
		return queued{}, false
	}
	m = q.messages[0]
	q.messages = q.messages[1:]
	if q.shown || len(q.messages) > 0 {
		q.show()
	}
	return m, true
}

// show tells which messages wait.
func (q *queue) show() {
	q.updates.Put(updates.Queued{Texts: q.texts()})
	q.shown = len(q.messages) > 0
}

// giveBack returns texts and then the queued messages to the composer, but for
// those that ask for no answer.
func (q *queue) giveBack(texts ...string) {
	var left []queued
	for _, m := range q.messages {
		if m.quiet {
			left = append(left, m)
			continue
		}
		texts = append(texts, m.text)
	}
	q.messages = left
	q.store()
	// In this order, so that a watcher who leaves between the two has them.
	if len(texts) > 0 {
		q.updates.Put(updates.Returned{Texts: texts})
	}
	if q.shown {
		q.show()
	}
}

// store keeps what waits in the backlog, so that a crash does not lose it.
func (q *queue) store() { q.backlog.replace(q.texts()) }

// texts lists what waits, oldest first.
func (q *queue) texts() []string {
	var texts []string
	for _, m := range q.messages {
		texts = append(texts, m.text)
	}
	return texts
}
