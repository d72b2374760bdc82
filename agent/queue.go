package agent

// What is said while a turn runs waits, visibly, and becomes turns of its own
// in the order it was said. It comes back to the composer when the turn before
// it was stopped or failed: it was written in the hope of an answer that never
// came.

// queue is the messages that wait for the running turn.
type queue struct {
	texts []string
	shown bool // the watcher knows of some
}

// next takes the oldest message that waits.
func (a *Agent) next() (text string, ok bool) {
	if len(a.queue.texts) == 0 {
		return "", false
	}
	text = a.queue.texts[0]
	a.queue.texts = a.queue.texts[1:]
	if a.queue.shown || len(a.queue.texts) > 0 {
		a.showQueue()
	}
	return text, true
}

// showQueue tells which messages wait.
func (a *Agent) showQueue() {
	a.updates.Put(Queued{Texts: append([]string(nil), a.queue.texts...)})
	a.queue.shown = len(a.queue.texts) > 0
}

// giveBack returns texts and then the queued messages to the composer.
func (a *Agent) giveBack(texts ...string) {
	texts = append(texts, a.queue.texts...)
	a.queue.texts = nil
	a.backlog.put(nil)
	// In this order, so that a watcher who leaves between the two has them.
	if len(texts) > 0 {
		a.updates.Put(Returned{Texts: texts})
	}
	if a.queue.shown {
		a.showQueue()
	}
}
