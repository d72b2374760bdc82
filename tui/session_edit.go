package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

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

// undoCompaction undoes a compaction by its epoch, 0 for the newest in force.
func (s *session) undoCompaction(epoch uint64) pane.Action {
	return s.changePrompt("undoes the compaction", func() { s.Session.UndoCompaction(epoch) })
}

func (s *session) undoNumbered(args string) pane.Action {
	epoch, err := strconv.ParseUint(cmp.Or(args, "0"), 10, 64)
	if err != nil || epoch == 0 && args != "" {
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
	var names []string
	for _, p := range s.Profiles {
		if p.Name == name {
			s.Profile = name
			s.Session.SetProfile(name)
			return textSnackbar("default compaction profile: " + plain.Line(name+" · "+p.Note))
		}
		names = append(names, p.Name)
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
	return refusal(fmt.Sprintf("no turn or message %q; use a turn (3), or find the message in the history", name))
}

func (s *session) pin(events []uint64, pinned bool) pane.Action {
	what := "pins it"
	if !pinned {
		what = "unpins it"
	}
	return s.changePrompt(what, func() { s.Session.Pin(events, pinned) })
}

// retry sends the request of the newest turn again.
func (s *session) retry() pane.Action {
	if why := s.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	s.Session.Retry()
	return nil
}
