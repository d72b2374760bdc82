package ledger

import "plimsoll/compact"

// What the keys do with the entry under the cursor. Where one does nothing, it says
// why and what to do instead. What can be brought back is what the log would allow:
// the compaction undone last, until another is made, and the turns taken back last.

func (m *Model) jump() Action {
	e, any := m.entry()
	if !any || e.Event == 0 {
		return Say{Text: "There is nothing to go to."}
	}
	return Jump{Event: e.Event}
}

func (m *Model) undo() Action {
	e, any := m.entry()
	if !any {
		return Say{Text: "Nothing was compacted yet: there is nothing to undo."}
	}
	switch e.Kind {
	case compact.EntryEpoch:
		switch {
		case e.Result != compact.ResultInForce:
			return Say{Text: "It is undone already."}
		case m.content.ReadOnly:
			return readOnly()
		}
		return Undo{Epoch: e.Event}
	case compact.EntryAttempt:
		return Say{Text: "It came to nothing: there is nothing to undo."}
	case compact.EntryUndo:
		return Say{Text: "An undo is taken back with redo: " + m.keys.Redo.Help().Key + "."}
	case compact.EntryRedo:
		return Say{Text: "Undo the compaction itself: it is " + name(e.About) + "."}
	case compact.EntryRewind:
		return Say{Text: "Turns that were taken back are restored with " + m.keys.Redo.Help().Key + "."}
	case compact.EntryRestore:
		return Say{Text: "/rewind takes turns back again."}
	}
	return Say{Text: "Pins are set and lifted on the message itself, in the history."}
}

func (m *Model) redo() Action {
	e, any := m.entry()
	switch {
	case !any:
		return Say{Text: "Nothing was compacted yet: there is nothing to bring back."}
	case m.canRedo(e) || m.canRestore(e):
		if m.content.ReadOnly {
			return readOnly()
		}
		if m.canRedo(e) {
			return Redo{}
		}
		return Restore{}
	case e.Kind == compact.EntryEpoch && e.Result == compact.ResultInForce:
		return Say{Text: "It is in force: there is nothing to bring back."}
	case e.Kind == compact.EntryEpoch, e.Kind == compact.EntryUndo && e.Result == compact.ResultInForce:
		return Say{Text: "Only the compaction that was undone last can be brought back, and only until another one is made."}
	case e.Kind == compact.EntryRewind && e.Result == compact.ResultInForce:
		return Say{Text: "Later turns were taken back since: restore those first."}
	case e.Kind == compact.EntryRewind:
		return Say{Text: "These turns are back already."}
	}
	return Say{Text: "There is nothing to bring back here."}
}

// canRedo reports whether an entry is the compaction that redo brings back, or its undo.
func (m *Model) canRedo(e row) bool {
	epoch := e.Event
	switch e.Kind {
	case compact.EntryEpoch:
	case compact.EntryUndo:
		epoch = e.About
	default:
		return false
	}
	for n := range m.content.Entries { // the newest first
		switch other := m.at(n); {
		case other.Result != compact.ResultInForce:
		case other.Kind == compact.EntryEpoch:
			return false // another one was made since
		case other.Kind == compact.EntryUndo:
			return other.About == epoch && (e.Kind == compact.EntryEpoch || e.Event == other.Event)
		}
	}
	return false
}

// canRestore reports whether an entry is the rewind that is restored next.
func (m *Model) canRestore(e row) bool {
	if e.Kind != compact.EntryRewind || e.Result != compact.ResultInForce {
		return false
	}
	for n := range m.content.Entries {
		if other := m.at(n); other.Kind == compact.EntryRewind && other.Result == compact.ResultInForce {
			return other.Event == e.Event
		}
	}
	return false
}

func readOnly() Action {
	return Say{Text: "This conversation is open for reading only: nothing can be changed in it."}
}
