package ledger

import (
	"plimsoll/compact/inspect"
	"plimsoll/tui/pane"
)

// What the keys do with the entry under the cursor; ok is false where there is none. Where one does nothing, it says
// why and what to do instead. What can be redone or restored is what the log would allow:
// the compaction undone last, until another is made, and the turns rewound last.

func jump(e row, ok bool) pane.Action {
	if !ok || e.Event == 0 {
		return pane.Say{Text: "There is nothing to go to."}
	}
	return pane.Jump{Event: e.Event}
}

func (s *entries) undo(e row, ok bool, keys *KeyMap) pane.Action {
	if !ok {
		return pane.Say{Text: "Nothing to undo yet."}
	}
	switch e.Kind {
	case inspect.EntryEpoch:
		switch {
		case e.Result != inspect.ResultInForce:
			return pane.Say{Text: "It is already undone."}
		case s.content.ReadOnly:
			return readOnly()
		}
		return pane.Undo{Epoch: e.Event}
	case inspect.EntryAttempt:
		return pane.Say{Text: "It failed: there is nothing to undo."}
	case inspect.EntryUndo:
		return pane.Say{Text: "Redo reverses an undo: " + keys.Redo.Help().Key + "."}
	case inspect.EntryRedo:
		return pane.Say{Text: "Undo the compaction itself, " + name(e.About) + "."}
	case inspect.EntryRewind:
		return pane.Say{Text: "Turns that were undone are redone with " + keys.Redo.Help().Key + "."}
	case inspect.EntryRestore:
		return pane.Say{Text: "/rewind undoes turns again."}
	}
	return pane.Say{Text: "Pin and unpin messages in the history."}
}

func (s *entries) redo(e row, ok bool) pane.Action {
	switch {
	case !ok:
		return pane.Say{Text: "Nothing to redo yet."}
	case s.canRedo(e) || s.canRestore(e):
		if s.content.ReadOnly {
			return readOnly()
		}
		if s.canRedo(e) {
			return pane.Redo{}
		}
		return pane.Restore{}
	case e.Kind == inspect.EntryEpoch && e.Result == inspect.ResultInForce:
		return pane.Say{Text: "It is active: there is nothing to redo."}
	case e.Kind == inspect.EntryEpoch, e.Kind == inspect.EntryUndo && e.Result == inspect.ResultInForce:
		return pane.Say{Text: "Only the last undone compaction can be redone, and only until the next one."}
	case e.Kind == inspect.EntryRewind && e.Result == inspect.ResultInForce:
		return pane.Say{Text: "Later turns were undone since: redo those first."}
	case e.Kind == inspect.EntryRewind:
		return pane.Say{Text: "These turns are already redone."}
	}
	return pane.Say{Text: "There is nothing to redo here."}
}

// canRedo reports whether an entry is the compaction that redo applies to, or its undo.
func (s *entries) canRedo(e row) bool {
	epoch := e.Event
	switch e.Kind {
	case inspect.EntryEpoch:
	case inspect.EntryUndo:
		epoch = e.About
	default:
		return false
	}
	for n := range s.content.Entries { // the newest first
		switch other := s.at(n); {
		case other.Result != inspect.ResultInForce:
		case other.Kind == inspect.EntryEpoch:
			return false // another one was made since
		case other.Kind == inspect.EntryUndo:
			return other.About == epoch && (e.Kind == inspect.EntryEpoch || e.Event == other.Event)
		}
	}
	return false
}

// canRestore reports whether an entry is the rewind that is restored next.
func (s *entries) canRestore(e row) bool {
	if e.Kind != inspect.EntryRewind || e.Result != inspect.ResultInForce {
		return false
	}
	for n := range s.content.Entries {
		if other := s.at(n); other.Kind == inspect.EntryRewind && other.Result == inspect.ResultInForce {
			return other.Event == e.Event
		}
	}
	return false
}

func readOnly() pane.Action {
	return pane.Say{Text: "This conversation is read only."}
}
