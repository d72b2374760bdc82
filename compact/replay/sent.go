package replay

import (
	"errors"

	"plimsoll/compact/projection"
)

// Requests are hardened and checked one after another. Most views are the one
// before with more behind it, on the same array, which nobody writes to. Then
// what is new is hardened and checked alone, if that cannot change what stands
// before it: no id of its calls and results occurs there, and hardening renames
// none. Results are the same as those of hardening the whole view.

// sent is the newest request.
type sent struct {
	view     []projection.Message // what it was made of
	messages []projection.Message
	chars    int
	renamed  bool // hardening gave a call another id
	checks   checks
}

// after hardens the view of the next request. If it grew, these are the messages
// behind those of the request before, otherwise all of them.
func (s *sent) after(v projection.View) (messages []projection.Message, grew bool, err error) {
	if s.begins(v.Messages) {
		if messages, grew = s.more(v.Messages[len(s.view):]); grew {
			return messages, true, nil
		}
	}
	messages, err = projection.Harden(v, projection.Capabilities{})
	if errors.Is(err, projection.ErrNothingToSend) {
		err = nil // it is checked
	}
	return messages, false, err
}

// begins reports whether a view is that of the newest request, with or without
// more behind it.
func (s *sent) begins(view []projection.Message) bool {
	return len(s.messages) > 0 && len(s.view) > 0 && len(view) >= len(s.view) && &view[0] == &s.view[0]
}

// more hardens what stands behind the view of the newest request, if that can be
// done alone.
func (s *sent) more(view []projection.Message) (messages []projection.Message, ok bool) {
	if s.renamed {
		return nil, false
	}
	for i := range view {
		if view[i].Role == projection.RoleTool && s.checks.ids[view[i].CallID] {
			return nil, false
		}
		for _, c := range view[i].Calls {
			if s.checks.ids[c.ID] {
				return nil, false
			}
		}
	}
	// A message of the user in front, because a request must begin with one.
	alone := make([]projection.Message, 0, len(view)+1)
	alone = append(append(alone, projection.Message{Role: projection.RoleUser, Text: "-"}), view...)
	messages, _ = projection.Harden(projection.View{Messages: alone}, projection.Capabilities{}) // its error is about the end
	messages = messages[1:]
	return messages, !renamed(view, messages)
}

// renamed reports whether hardening gave a call another id. It keeps all calls of
// replies, in their order; calls of others it does not know.
func renamed(view, messages []projection.Message) bool {
	at := 0
	for i := range view {
		if len(view[i].Calls) == 0 {
			continue
		}
		if view[i].Role != projection.RoleAssistant {
			return true
		}
		for len(messages[at].Calls) == 0 {
			at++
		}
		for k, c := range view[i].Calls {
			if messages[at].Calls[k].ID != c.ID {
				return true
			}
		}
		at++
	}
	return false
}

// take makes the next request the newest one: what after gave for a view.
func (s *sent) take(v projection.View, messages []projection.Message, grew bool) {
	behind := v.Messages
	if grew {
		behind = behind[len(s.view):]
		s.messages = append(s.messages, messages...)
	} else {
		s.messages, s.chars, s.renamed = messages, 0, renamed(v.Messages, messages)
		s.checks.reset()
	}
	s.view = v.Messages
	for i := range messages {
		s.chars += chars(&messages[i])
	}
	s.checks.add(behind, messages)
}
