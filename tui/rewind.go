package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/meter"
	"plimsoll/tui/overlay"
)

// Turns can be taken back: they stay in the log, the model is not sent them any
// more, and what was said in the first of them comes back to the composer. They can
// be brought back until something else is said; a copy that goes on from an earlier
// message leaves this conversation as it is.

// newestTurn is the turn to rewind to where none is named.
const newestTurn = -1

// The dialogs about going back.
const (
	dialogRewind = "pick/turn"
	dialogBack   = "pick/back"
)

// The ways to go back to a message.
const (
	backHere    = "here"
	backFork    = "fork"
	backHistory = "history"
)

// slashUndo takes the newest turn back.
func (m *Model) slashUndo(string) tea.Cmd { return m.rewind(newestTurn) }

// slashRedo brings the turns back that were taken back last.
func (m *Model) slashRedo(string) tea.Cmd {
	if why := m.unchangeable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.RestoreTurns()
	return m.later("brings the turns back")
}

// slashRewind takes turns back from the one on whose number is typed, or lets the
// user choose it.
func (m *Model) slashRewind(args string) tea.Cmd {
	if args == "" {
		return m.pickTurn()
	}
	turn, err := strconv.Atoi(args)
	if err != nil || turn < 0 {
		return m.say("write the number of the first turn to take back behind it, counted from 0, or nothing to choose it", true)
	}
	return m.rewind(turn)
}

func (m *Model) rewind(turn int) tea.Cmd {
	if why := m.unrewindable(); why != "" {
		return m.say(why, true)
	}
	if !slices.ContainsFunc(m.turnsSaid(), func(t saidTurn) bool { return turn < 0 || t.event.Turn == turn }) {
		return m.say("there is no such turn to go back to", true)
	}
	m.talk.Session.Rewind(turn)
	return nil
}

// unrewindable is why no turn can be taken back, "" if one can.
func (m *Model) unrewindable() string {
	switch {
	case m.unchangeable() != "":
		return m.unchangeable()
	case !m.transcript.Said():
		return "nothing was said yet: there is nothing to take back"
	}
	return ""
}

// goBack is what the key to cancel does where there is nothing to cancel: a second
// time in a row it goes back to an earlier message.
func (m *Model) goBack() tea.Cmd {
	again := m.hands.backSeq != 0 && m.hands.backSeq == m.status.snack.seq && m.snackText() != ""
	m.hands.backSeq = 0
	switch {
	case !m.transcript.Said() || m.unchangeable() != "":
		return nil
	case again:
		m.status.snack.text = ""
		return m.pickTurn()
	}
	cmd := m.say(m.options.Keys.Screen.Cancel.Help().Key+" again to go back to an earlier message", false)
	m.hands.backSeq = m.status.snack.seq
	return cmd
}

// saidTurn is a message of the user that a rewind can go back to.
type saidTurn struct {
	event conversation.Event
	text  string
}

// turnsSaid lists the messages of the user that were not taken back, oldest first.
func (m *Model) turnsSaid() []saidTurn {
	gone := conversation.TakenBack(m.talk.log)
	var list []saidTurn
	for i, e := range m.talk.log {
		if u, ok := e.Body.(conversation.UserMessage); ok && (gone == nil || gone[i] == 0) {
			list = append(list, saidTurn{e, u.Text})
		}
	}
	return list
}

// pickTurn lets the user choose the message to go back to, the newest first.
func (m *Model) pickTurn() tea.Cmd {
	if why := m.unrewindable(); why != "" {
		return m.say(why, true)
	}
	said := m.turnsSaid()
	items := make([]overlay.Item, 0, len(said))
	for i := len(said) - 1; i >= 0; i-- {
		t := said[i]
		items = append(items, overlay.Item{
			ID:     strconv.FormatUint(t.event.Seq, 10),
			Title:  strconv.Itoa(t.event.Turn) + "  " + newWaiting(m.typed(t.text)).label,
			Detail: t.event.Time.In(m.zone()).Format("2 Jan 15:04") + " · " + "~" + meter.Tokens(m.estimate(conversation.Measure(t.text))) + " tokens",
		})
	}
	m.pick(overlay.PickerOptions{ID: dialogRewind, Title: "Go back to", Items: items, Empty: "every turn was taken back; /redo brings the last ones back"})
	return nil
}

// pickBack lets the user choose how to go back to a message.
func (m *Model) pickBack(event string) tea.Cmd {
	seq, err := strconv.ParseUint(event, 10, 64)
	if err != nil {
		return nil
	}
	m.pick(overlay.PickerOptions{ID: dialogBack, Title: "Turn " + strconv.Itoa(m.transcript.TurnOf(seq)), Items: []overlay.Item{
		{ID: backHere + " " + event, Title: "Go back here", Detail: "it comes back to the composer; /redo undoes that"},
		{ID: backFork + " " + event, Title: "Go on from here in a copy", Detail: "this conversation stays as it is"},
		{ID: backHistory + " " + event, Title: "Look at it in the history", Detail: "what was said, and what the model sees"},
	}})
	return nil
}

// goBackTo goes back to a message in the way that was chosen.
func (m *Model) goBackTo(way string, seq uint64) tea.Cmd {
	switch way {
	case backHere:
		return m.rewind(m.transcript.TurnOf(seq))
	case backFork:
		return m.forkAt(seq)
	case backHistory:
		return m.openHistoryAt(seq, "")
	}
	return nil
}

// forkAt goes on in a copy of what was said before an event. What the user said
// there comes to the composer.
func (m *Model) forkAt(before uint64) tea.Cmd {
	if m.door.busy { // its draft is for the conversation that is being opened
		return m.say("a conversation is still being opened", true)
	}
	again := ""
	for _, e := range m.talk.log {
		if u, ok := e.Body.(conversation.UserMessage); ok && e.Seq == before {
			again = m.typed(u.Text)
		}
	}
	m.door.draft = again
	host := m.options.Backend
	return m.enter(forkFrom(host, before))
}
