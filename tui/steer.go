package tui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/tui/meter"
)

// What the user does to single messages takes effect before the next request, at
// once while the conversation is idle; the gauge then says what came of it.

func (m *Model) slashPin(args string) tea.Cmd   { return m.pinNamed(args, true) }
func (m *Model) slashUnpin(args string) tea.Cmd { return m.pinNamed(args, false) }

// pinNamed pins what is named behind the command, or ends that: the events of a
// turn, one event, or without a name the newest message of the user.
func (m *Model) pinNamed(args string, pinned bool) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	events := m.eventsNamed(args)
	if len(events) == 0 {
		return m.say(fmt.Sprintf("there is no turn and no event %q; write a turn's number (3) or an event (e41)", args), true)
	}
	return m.pin(events, pinned)
}

// eventsNamed are the events of a turn by its number, others by their names (e41,
// t3-7), or the newest message of the user.
func (m *Model) eventsNamed(name string) []uint64 {
	turn, err := strconv.Atoi(name)
	id, known := conversation.ParseRecallID(name)
	if err == nil && turn >= 0 { // a bare number is a turn
		id, known = conversation.RecallID{Turns: true, First: uint64(turn), Last: uint64(turn)}, true
	}
	named := func(e conversation.Event) bool {
		at := e.Seq
		if id.Turns {
			at = uint64(max(e.Turn, 0))
		}
		return known && at >= id.First && at <= id.Last
	}
	var events []uint64
	for _, e := range m.talk.log {
		switch e.Body.(type) {
		case conversation.UserMessage:
			if name == "" {
				events = []uint64{e.Seq}
			}
		case conversation.AssistantMessage, conversation.ToolResult:
		default:
			continue
		}
		if name != "" && named(e) {
			events = append(events, e.Seq)
		}
	}
	return events
}

// pin keeps events as they were said, or ends that.
func (m *Model) pin(events []uint64, pinned bool) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.Pin(events, pinned)
	if pinned {
		return m.later("pins it")
	}
	return m.later("unpins it")
}

// mask shows stubs in place of the results of events.
func (m *Model) mask(events []uint64) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.Mask(events)
	return m.later("masks it")
}

// withHint is a failure with what to do about it, on a line.
func withHint(err *agent.Error) string {
	if err.Hint == "" {
		return err.Message
	}
	return err.Message + " · " + err.Hint
}

// steered says what came of it.
func (m *Model) steered(u agent.Steered) tea.Cmd {
	switch {
	case u.What == agent.SteerReview && u.Err != nil: // the summary waits on, in sight
		return m.say(u.Err.Message, true)
	case u.Err != nil && u.Err.Class == agent.BadRequest && u.Err.Status == 0:
		m.leave(m.talk.line)
		return m.say(withHint(u.Err), true)
	case u.Err != nil:
		return m.notCompacted(u.Err)
	}
	m.talk.line = typedLine{}
	words := map[agent.Steer]string{
		agent.SteerPin: "pinned: it is sent as it was said", agent.SteerUnpin: "not pinned any more",
		agent.SteerMask: "masked: the model sees a stub", agent.SteerRestore: "the turns are back",
	}[u.What]
	if u.Before != u.After && u.Before > 0 {
		words += fmt.Sprintf(" · ~%s → ~%s tokens", meter.Tokens(u.Before), meter.Tokens(u.After))
	}
	return m.say(words, false)
}
