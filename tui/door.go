package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
)

// One conversation is open at a time, and one at a time is opened: so what is
// on screen is what is open. What is sent meanwhile goes to the one that opens;
// what the old one still had queued comes back to the composer.

// door is the way into a conversation.
type door struct {
	busy  bool
	then  string      // ID of the conversation to go on to, "" for none
	asked int         // the key that asked for it, by hands.pressed
	draft string      // what comes to the composer there, "" for nothing
	spot  place       // what is shown there, the zero place for its end
	from  *searchView // that found it, and stays open below it; nil for none

	consent *Consent // that a conversation or a model waits for, nil for none
}

// place is an event of a conversation, with what was searched for there.
type place struct {
	event uint64
	query string
}

// enter opens, begins, forks or deletes, as open does.
func (m *Model) enter(open func(context.Context) (Conversation, error)) tea.Cmd {
	if m.door.busy {
		return m.say("a conversation is still being opened", true)
	}
	m.giveBack() // it was meant for the one that is left
	m.door.busy, m.door.asked, m.talk.failed = true, m.hands.pressed, ""
	return conversationFrom(m.ctx, open)
}

// resume continues another conversation, as soon as one that is being opened
// is open.
func (m *Model) resume(id string) tea.Cmd {
	if m.door.busy {
		m.door.then = id
		return nil
	}
	host := m.options.Backend
	return m.enter(func(ctx context.Context) (Conversation, error) { return host.Resume(ctx, id) })
}

// opened takes over a conversation.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	then, draft, spot, from := m.door.then, m.door.draft, m.door.spot, m.door.from
	undisturbed := m.still(m.door.asked)
	m.dropConsent()
	m.door = door{}
	var cmds []tea.Cmd
	if msg.err != nil {
		cmds = append(cmds, m.notOpened(msg.err))
	} else {
		cmds = append(cmds, m.takeOver(msg.talk, from))
		if draft != "" {
			m.composer.Prepend(draft)
		}
		if spot.event != 0 && undisturbed {
			cmds = append(cmds, m.openHistoryAt(spot.event, spot.query))
		}
	}
	if then != "" {
		cmds = append(cmds, m.resume(then))
	}
	return tea.Batch(append(cmds, m.flush())...)
}

// notOpened says why a conversation was not opened. The one that is open, if
// one is, goes on.
func (m *Model) notOpened(err error) tea.Cmd {
	if m.talk.open {
		m.giveBack() // it was meant for the one that is not open
	}
	if cmd, asks := m.needsConsent(err); asks {
		return cmd
	}
	m.giveBack()
	if !m.talk.open {
		m.talk.failed = err.Error()
		return nil
	}
	return m.miss(err)
}

// takeOver shows a conversation that is open now. Of the views only the search that
// led there stays, nil for none: what it found is of all conversations.
func (m *Model) takeOver(c Conversation, from *searchView) tea.Cmd {
	for _, q := range m.questions { // they were about the one that is left
		m.overlays.Remove(q.dialog, m.options.Now())
	}
	m.questions = nil
	var queued []string
	for _, w := range m.status.queued {
		queued = append(queued, w.text)
	}
	m.returned(queued)
	m.status.queued, m.status.now, m.status.calls, m.status.job = nil, agent.Status{}, "", summaryJob{}
	faults := m.talk.faults
	m.talk = talk{Conversation: c, open: true, sent: map[string]string{}, meter: c.Meter, log: slices.Clip(c.Events)}
	m.closeViewsBut(from) // they were about that one, too
	m.composer.SetBusy(false)
	m.transcript.SetFactor(m.factor())
	m.transcript.Reset(c.Events)
	for _, note := range c.Notes {
		m.transcript.Note(note)
	}
	if c.ReadOnly != "" {
		m.transcript.Note(c.ReadOnly)
	}
	m.recovered(c.Waiting)
	for _, fault := range faults {
		m.transcript.Fault(fault, "")
	}
	return listen(m.ctx, c.Session)
}

// metered takes over the meter. The reply that is arriving counts beside it
// until it is in the log.
func (m *Model) metered(meter compact.Meter) {
	m.talk.meter = meter
	if m.talk.logged {
		m.talk.reply, m.talk.logged = conversation.Size{}, false
	}
	m.transcript.SetFactor(m.factor())
}
