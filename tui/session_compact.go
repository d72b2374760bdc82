package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// What the user does to the prompt of the next requests: compactions, and pins and
// masks of single messages. They take effect before the next request, at once while
// the conversation is idle; the gauge then says what came of it.

// compact compacts as was requested.
func (s *session) compact(w compact.Wish) pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	s.Session.Compact(w)
	return s.later("compacts")
}

// undoCompaction undoes a compaction, 0 for the newest in force.
func (s *session) undoCompaction(epoch uint64) pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	s.Session.UndoCompaction(epoch)
	return s.later("takes the compaction back")
}

// undoNumbered undoes a compaction by the number its line says.
func (s *session) undoNumbered(args string) pane.Action {
	if args == "" {
		return s.undoCompaction(0)
	}
	epoch, err := strconv.ParseUint(args, 10, 64)
	if err != nil || epoch == 0 {
		return refuse("write the number of a compaction behind it, as its line has it, or nothing for the newest")
	}
	return s.undoCompaction(epoch)
}

func (s *session) redoCompaction() pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	s.Session.RedoCompaction()
	return s.later("brings the compaction back")
}

// fork continues a copy, compacted first if --compact says so.
func (s *session) fork(args string) pane.Action {
	with, ok := forkProfile(args)
	if !ok {
		return refuse("write /fork, /fork --compact or /fork --compact=PROFILE")
	}
	b := s.env.Backend
	return enter{func(ctx context.Context) (Conversation, error) { return b.Fork(ctx, with) }}
}

// forkProfile reads what stands behind /fork.
func forkProfile(args string) (with string, ok bool) {
	if args == "" {
		return "", true
	}
	flag, name, named := strings.Cut(strings.Join(strings.Fields(args), "="), "=")
	switch {
	case flag != "--compact" || strings.Contains(name, "=") || named && name == "":
		return "", false
	case !named:
		return CompactByDefault, true
	}
	return name, true
}

// profiles shows the profiles, or chooses the one for compactions that name none.
func (s *session) profiles(args string) pane.Action {
	if why := s.unchangeable(); why != "" {
		return refuse(why)
	}
	if args != "" {
		return s.setProfile(args)
	}
	items := make([]overlay.Item, len(s.Profiles))
	for i, p := range s.Profiles {
		items[i] = overlay.Item{ID: p.Name, Title: p.Name, Detail: p.Note, Current: p.Name == s.Profile}
	}
	return open(overlay.PickerOptions{ID: dialogProfiles, Title: "Profile", Items: items, Empty: "there are no profiles"})
}

// setProfile chooses the profile for compactions that name none.
func (s *session) setProfile(name string) pane.Action {
	names := make([]string, len(s.Profiles))
	for i, p := range s.Profiles {
		if p.Name == name {
			s.Profile = name
			s.Session.SetProfile(name)
			return say("compaction by default: " + plain.Line(name+" · "+p.Note))
		}
		names[i] = p.Name
	}
	return refuse(fmt.Sprintf("there is no profile %q; there are %s", name, strings.Join(names, ", ")))
}

// pinNamed pins what is named behind the command, or ends that: the events of a
// turn, one event, or without a name the newest message of the user.
func (s *session) pinNamed(args string, pinned bool) pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	events := s.eventsNamed(args)
	if len(events) == 0 {
		return refuse(fmt.Sprintf("there is no turn and no event %q; write a turn's number (3) or an event (e41)", args))
	}
	return s.pin(events, pinned)
}

// eventsNamed are the events of a turn by its number, others by their names (e41,
// t3-7), or the newest message of the user.
func (s *session) eventsNamed(name string) []uint64 {
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
	for _, e := range s.log {
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

// pin keeps events verbatim, or ends that.
func (s *session) pin(events []uint64, pinned bool) pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	s.Session.Pin(events, pinned)
	if pinned {
		return s.later("pins it")
	}
	return s.later("unpins it")
}

// mask shows stubs in place of the results of events.
func (s *session) mask(events []uint64) pane.Action {
	if why := s.uncompactable(); why != "" {
		return refuse(why)
	}
	s.Session.Mask(events)
	return s.later("masks it")
}
