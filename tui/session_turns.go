package tui

import (
	"slices"
	"strconv"

	"plimsoll/conversation"
	"plimsoll/tui/meter"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// Turns can be undone: they stay in the log, the prompt no longer has them, and the
// message of the first of them returns to the composer. They can be redone until
// another message is sent; a copy that goes on from an earlier message leaves this
// conversation as it is.

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

// restoreTurns redoes the turns that were undone last.
func (s *session) restoreTurns() pane.Action {
	if why := s.unchangeable(); why != "" {
		return refuse(why)
	}
	s.Session.RestoreTurns()
	return s.later("brings the turns back")
}

// rewindNamed undoes turns from the one on whose number is typed.
func (s *session) rewindNamed(args string) pane.Action {
	turn, err := strconv.Atoi(args)
	if err != nil || turn < 0 {
		return refuse("write the number of the first turn to take back behind it, counted from 0, or nothing to choose it")
	}
	return s.rewind(turn)
}

func (s *session) rewind(turn int) pane.Action {
	if why := s.unrewindable(); why != "" {
		return refuse(why)
	}
	if !slices.ContainsFunc(s.turns(), func(t userTurn) bool { return turn < 0 || t.event.Turn == turn }) {
		return refuse("there is no such turn to go back to")
	}
	s.Session.Rewind(turn)
	return nil
}

// userTurn is a message of the user that a rewind can go back to.
type userTurn struct {
	event conversation.Event
	text  string
}

// turns lists the messages of the user that are in force, oldest first.
func (s *session) turns() []userTurn {
	gone := conversation.TakenBack(s.log)
	var list []userTurn
	for i, e := range s.log {
		if u, ok := e.Body.(conversation.UserMessage); ok && (gone == nil || gone[i] == 0) {
			list = append(list, userTurn{e, u.Text})
		}
	}
	return list
}

// pickTurn lets the user choose the message to go back to, the newest first. Labels
// come from label, as the messages were typed.
func (s *session) pickTurn(label func(sent string) string) pane.Action {
	if why := s.unrewindable(); why != "" {
		return refuse(why)
	}
	turns := s.turns()
	items := make([]overlay.Item, 0, len(turns))
	for _, t := range slices.Backward(turns) {
		items = append(items, overlay.Item{
			ID:     strconv.FormatUint(t.event.Seq, 10),
			Title:  strconv.Itoa(t.event.Turn) + "  " + label(t.text),
			Detail: t.event.Time.In(s.env.zone()).Format("2 Jan 15:04") + " · " + "~" + meter.Tokens(s.estimateText(t.text)) + " tokens",
		})
	}
	return open(overlay.PickerOptions{ID: dialogRewind, Title: "Go back to", Items: items, Empty: "every turn was taken back; /redo brings the last ones back"})
}

// pickBack lets the user choose how to go back to a message.
func (s *session) pickBack(event string) pane.Action {
	seq, err := strconv.ParseUint(event, 10, 64)
	if err != nil {
		return nil
	}
	return open(overlay.PickerOptions{ID: dialogBack, Title: "Turn " + strconv.Itoa(s.outline.TurnOf(seq)), Items: []overlay.Item{
		{ID: backHere + " " + event, Title: "Go back here", Detail: "it comes back to the composer; /redo undoes that"},
		{ID: backFork + " " + event, Title: "Go on from here in a copy", Detail: "this conversation stays as it is"},
		{ID: backHistory + " " + event, Title: "Look at it in the history", Detail: "what was said, and what the model sees"},
	}})
}

// goBack goes back to a message in the way that was chosen.
func (s *session) goBack(way string, event uint64) pane.Action {
	switch way {
	case backHere:
		return s.rewind(s.outline.TurnOf(event))
	case backFork:
		return forkBefore{event}
	case backHistory:
		return pane.Jump{Event: event}
	}
	return nil
}
