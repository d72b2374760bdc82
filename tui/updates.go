package tui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/tui/meter"
)

// updates shows all that happened since the last time, in order, and listens
// for more.
func (m *Model) updates(msg updatesMsg) tea.Cmd {
	if msg.from != m.talk.Session {
		return nil // of a conversation that was left
	}
	var cmds []tea.Cmd
	for _, u := range msg.list {
		if cmd := m.apply(u); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	m.views.stale = true
	if msg.ended {
		m.status.job = summaryJob{} // nobody would say that it is over
	} else {
		cmds = append(cmds, listen(m.ctx, msg.from))
	}
	return tea.Batch(append(cmds, m.keepTicking())...)
}

// apply shows one update.
func (m *Model) apply(u agent.Update) tea.Cmd {
	switch u := u.(type) {
	case agent.Appended:
		m.appended(u.Events)
	case agent.Delta:
		m.delta(u)
	case agent.CallStreaming:
		m.status.calls = callProgress(u)
	case agent.Discarded:
		m.discarded()
	case agent.ToolStarted:
		m.transcript.ToolStarted(u.CallID, u.Title)
	case agent.ToolOutput:
		m.transcript.ToolOutput(u.CallID, u.Text)
	case agent.AskApproval:
		return m.asks(u)
	case agent.ApprovalClosed:
		m.closeQuestion(u.CallID)
	case agent.Queued:
		m.setQueued(u.Texts)
	case agent.Returned:
		m.status.queued = nil
		m.returned(u.Texts)
	case agent.Status:
		m.setStatus(u)
	case agent.Metered:
		m.metered(u.Meter)
	case agent.ModelSwitched:
		return m.switched(u.Model)
	case agent.Elsewhere:
		m.elsewhere(u)
	case agent.Failed:
		return m.failed(u.Err)
	default:
		return m.compaction(u)
	}
	return nil
}

// delta shows text of the reply, and how it fills the window.
func (m *Model) delta(u agent.Delta) {
	m.status.calls = ""
	m.transcript.Delta(u.Text, u.Reasoning)
	m.talk.reply = m.talk.reply.Plus(conversation.Measure(u.Text))
}

// discarded takes back what streamed.
func (m *Model) discarded() {
	m.transcript.Discard()
	m.talk.reply = conversation.Size{}
}

// callProgress says which call the model is writing.
func callProgress(u agent.CallStreaming) string {
	if u.Chars < 1000 {
		return u.Name
	}
	return fmt.Sprintf("%s (%s characters so far)", u.Name, meter.Tokens(u.Chars))
}

func (m *Model) appended(events []conversation.Event) {
	m.transcript.Append(events)
	m.talk.log = append(m.talk.log, events...)
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Renamed:
			m.talk.Title = b.Title
		case conversation.AssistantMessage:
			m.talk.logged = true
		case conversation.UserMessage:
			delete(m.talk.sent, b.Text) // only a rewind brings it back
		case conversation.ConfigChanged:
			if name, ok := b.Set[defaultProfile]; ok {
				m.talk.Profile = unquoted(name)
			}
		}
	}
}

// unquoted is a setting as it is recorded, without the quotes that it may have.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// switched takes over the model, and says so if it is another one.
func (m *Model) switched(to agent.Model) tea.Cmd {
	other := to.Name() != m.talk.Model.Name()
	m.talk.Model = to
	if !other {
		return nil // its window became known
	}
	return m.say("now talking to "+to.Name(), false)
}

// elsewhere says who may write the conversation now. It stays in the transcript:
// the other window may close while nobody looks at this one.
func (m *Model) elsewhere(u agent.Elsewhere) {
	m.talk.ReadOnly, m.talk.Following = u.Why, u.Open
	m.transcript.Note(u.Why)
}

// failed shows a failure. It stays in the transcript, where it can be read in
// peace.
func (m *Model) failed(err *agent.Error) tea.Cmd {
	if err.Class == agent.Cancelled {
		return nil
	}
	m.transcript.Fault(err.Error(), err.Hint)
	if m.views.top() != nil {
		return m.say(err.Error(), true)
	}
	return nil
}
