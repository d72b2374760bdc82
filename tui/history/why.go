package history

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// Why a row looks as it does, in a line of words: what happened to it, and which
// overlay did it, when, and for whom.

// why explains a row.
func (m *Model) why(it item) string {
	switch it.kind {
	case kindSaid:
		r := &m.book.rows[it.at]
		return m.whyRow(r)
	case kindEvent:
		return m.whyEvent(it.at)
	case kindMessage:
		msg := &m.book.messages[it.at]
		if len(msg.Events) == 0 {
			return "no event says this: " + orElse(plain.Line(msg.Why), "it makes the request valid")
		}
		return m.whyState(msg.State, msg.Why) + m.wrought(msg.Overlay)
	case kindPrompt:
		return "the system prompt: it is made anew for every request, and never compacted"
	}
	return "the tools that the model could call"
}

// whyRow explains what was said.
func (m *Model) whyRow(r *compact.Row) string {
	if m.book.takenBack(r) {
		return "taken back with its turn" + m.wrought(r.Overlay) + m.way(m.keys.Redo, "brings it back")
	}
	if r.Message < 0 && r.State == compact.StateDropped && r.Why == "" {
		return "not sent: nothing stands for it in what the model is sent"
	}
	return m.whyState(r.State, r.Why) + m.wrought(r.Overlay)
}

// way names the key that changes something about it, where that can be changed.
func (m *Model) way(b key.Binding, does string) string {
	if m.book.ReadOnly != "" {
		return ""
	}
	return keyFor(b, does)
}

// keyFor names a key and what it does, behind something else that is said; one that is
// off is not named.
func keyFor(b key.Binding, does string) string {
	if !b.Enabled() {
		return ""
	}
	return " · " + b.Help().Key + " " + does
}

// whyState explains a state.
func (m *Model) whyState(state compact.State, why string) string {
	why = plain.Line(why)
	switch state {
	case compact.StateVerbatim:
		return orElse(why, "sent as it was said")
	case compact.StatePinned:
		return "pinned: sent as it was said, whatever else covers it" + m.way(m.keys.Pin, "ends that")
	}
	word := stateWord(state, why)
	if why == "" || why == word {
		return word
	}
	if strings.HasPrefix(why, word) {
		return why
	}
	return word + ": " + why
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// wrought names the overlay that shaped a row.
func (m *Model) wrought(overlay uint64) string {
	i := m.book.index(overlay)
	if overlay == 0 || i < 0 {
		return ""
	}
	e := m.book.Log[i]
	made, _ := conversation.MadeOf(e.Body)
	text := " · " + eventName(conversation.EpochOf(e)) + " at " + m.clock(e.Time) + by(made)
	if made.Source == conversation.SourceManual {
		text += " by hand"
	}
	if made.Trigger != "" && made.Trigger != "command" {
		text += " (" + plain.Line(made.Trigger) + ")"
	}
	return text
}

// whyEvent says what can be done about an event.
func (m *Model) whyEvent(i int) string {
	switch b := m.book.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		if m.book.undone(i) {
			return "this compaction was undone: nothing is hidden by it" + m.way(m.keys.Redo, "redoes the one undone last")
		}
		return "this compaction is in force" + m.way(m.keys.Undo, "takes it back")
	case conversation.Rewind:
		if m.book.undone(i) {
			return "these turns were brought back"
		}
		return "the model is not sent these turns" + m.way(m.keys.Redo, "brings them back")
	case conversation.Pin:
		return "pinned by hand: sent as said, whatever else covers it"
	case conversation.Attempt:
		return "nothing was changed by it: " + plain.Line(b.Why)
	case conversation.ModelChanged:
		return "requests go to this model from here on"
	case conversation.Instructions:
		return "requests carry this system prompt and these tools from here on"
	}
	return plain.Line(head(m.words(i), maxSubject))
}
