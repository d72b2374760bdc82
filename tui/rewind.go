package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// Turns can be taken back: they stay in the log, the model is not sent them any
// more, and what was said in the first of them comes back to the composer.

// newestTurn is the turn to rewind to where none is named.
const newestTurn = -1

// slashRewind takes turns back from the one on whose number is typed.
func (m *Model) slashRewind(args string) tea.Cmd {
	if args == "" {
		return m.rewind(newestTurn)
	}
	turn, err := strconv.Atoi(args)
	if err != nil || turn < 0 {
		return m.say("write the number of the first turn to take back behind it, counted from 0, or nothing for the newest", true)
	}
	return m.rewind(turn)
}

// slashUndo takes the newest turn back.
func (m *Model) slashUndo(string) tea.Cmd { return m.rewind(newestTurn) }

func (m *Model) rewind(turn int) tea.Cmd {
	switch {
	case m.unchangeable() != "":
		return m.say(m.unchangeable(), true)
	case !m.transcript.Said():
		return m.say("nothing was said yet: there is nothing to take back", true)
	}
	m.talk.Session.Rewind(turn)
	return nil
}
