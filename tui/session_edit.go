package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/edit"
	"plimsoll/conversation/plain"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Changes of the prompt of the next requests by the user: compactions, and pins and
// masks of single messages. They take effect before the next request, or at once while
// the conversation is idle; the gauge then shows the result.

// changePrompt calls change, and shows when it takes effect if a turn runs.
func (s *session) changePrompt(what string, change func()) pane.Action {
	if why := s.whyNotCompactable(); why != "" {
		return refusal(why)
	}
	change()
	return s.delayedSnackbar(what)
}

func (s *session) compact(request edit.Request) pane.Action {
	return s.changePrompt("compacts", func() { s.Session.Compact(request) })
}

// undoCompaction undoes a compaction by its epoch, 0 for the newest in force.
func (s *session) undoCompaction(epoch uint64) pane.Action {
	return s.changePrompt("undoes the compaction", func() { s.Session.UndoCompaction(epoch) })
}

// undoNumbered undoes a compaction by the number in its line.
func (s *session) undoNumbered(args string) pane.Action {
	if args == "" {
		return s.undoCompaction(0)
	}
	epoch, err := strconv.ParseUint(args, 10, 64)
	if err != nil || epoch == 0 {
		return refusal("usage: /undo-compact [NUMBER]")
	}
	return s.undoCompaction(epoch)
}

func (s *session) redoCompaction() pane.Action {
	return s.changePrompt("redoes the compaction", func() { s.Session.RedoCompaction() })
}

// profileCommand lists the profiles, or sets the default profile for compactions.
func (s *session) profileCommand(args string) pane.Action {
	if why := s.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	if args != "" {
		return s.setProfile(args)
	}
	items := make([]dialog.Item, len(s.Profiles))
	for i, p := range s.Profiles {
		items[i] = dialog.Item{ID: p.Name, Title: p.Name, Columns: []string{p.Note}, Current: p.Name == s.Profile}
	}
	return open(dialog.PickerOptions{Title: "Profile", Items: items, Empty: "there are no profiles",
		Choose: func(name, _ string) pane.Action { return s.setProfile(name) }})
}

func (s *session) setProfile(name string) pane.Action {
	names := make([]string, len(s.Profiles))
	for i, p := range s.Profiles {
		if p.Name == name {
			s.Profile = name
			s.Session.SetProfile(name)
			return textSnackbar("default compaction profile: " + plain.Line(name+" · "+p.Note))
		}
		names[i] = p.Name
	}
	return refusal(fmt.Sprintf("there is no profile %q; there are %s", name, strings.Join(names, ", ")))
}

// pinNamed pins or unpins what the argument of the command names: the events of a
// turn, one event, or for "" the newest user message.
func (s *session) pinNamed(args string, pinned bool) pane.Action {
	if why := s.whyNotCompactable(); why != "" {
		return refusal(why)
	}
	events := s.log.eventsNamed(args)
	if len(events) == 0 {
		return noSuchMessage(args)
	}
	return s.pin(events, pinned)
}

func noSuchMessage(name string) pane.Action {
	return refusal(fmt.Sprintf("no turn or message %q; use a turn (3) or a message's number in the history (e41)", name))
}

func (s *session) pin(events []uint64, pinned bool) pane.Action {
	what := "pins it"
	if !pinned {
		what = "unpins it"
	}
	return s.changePrompt(what, func() { s.Session.Pin(events, pinned) })
}

// Turns can be undone: they stay in the log, but not in the prompt, and the message of
// the first of them returns to the composer. They can be redone until another message is
// sent. A fork from an earlier message does not change this conversation.

// newestTurn is the argument of Rewind for the newest turn.
const newestTurn = -1

// retry sends the request of the newest turn again.
func (s *session) retry() pane.Action {
	if why := s.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	s.Session.Retry()
	return nil
}

// restoreTurns redoes the turns that were undone last.
func (s *session) restoreTurns() pane.Action {
	if why := s.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	s.Session.RestoreTurns()
	return s.delayedSnackbar("redoes the turns")
}

// rewindNamed undoes all turns from a typed turn number on.
func (s *session) rewindNamed(args string) pane.Action {
	turn, err := strconv.Atoi(args)
	if err != nil || turn < 0 {
		return refusal("usage: /rewind [TURN]")
	}
	return s.rewind(turn)
}

func (s *session) rewind(turn int) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	if !slices.ContainsFunc(s.log.userTurns(), func(t userTurn) bool { return turn < 0 || t.event.Turn == turn }) {
		return refusal("there is no such turn")
	}
	s.Session.Rewind(turn)
	return nil
}

// pickTurn lets the user choose the message to go back to, the newest first. label
// returns a message as it was typed.
func (s *session) pickTurn(label func(sent string) string) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	var items []dialog.Item
	for _, t := range slices.Backward(s.log.userTurns()) {
		when := t.event.Time.In(s.env.Now().Location()).Format("2 Jan 15:04")
		items = append(items, dialog.Item{
			ID:      strconv.FormatUint(t.event.Seq, 10),
			Title:   strconv.Itoa(t.event.Turn) + "  " + label(t.text),
			Columns: []string{when, "~" + pane.Tokens(s.load.estimateText(t.text)) + " tokens"},
		})
	}
	return open(dialog.PickerOptions{Title: "Go back to an earlier message", Items: items, Empty: "every turn is undone; /redo redoes the latest",
		Choose: func(event, _ string) pane.Action {
			seq, _ := strconv.ParseUint(event, 10, 64) // as it was written above
			return s.rewind(s.outline.TurnOf(seq))
		}})
}
