package history

import (
	"strings"
	"time"

	"plimsoll/compact/projection"

	"charm.land/bubbles/v2/key"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// explainer says in a line why a row looks as it does: what happened to it, and which overlay did it, when, and for whom.
type explainer struct {
	book *book
	keys *KeyMap
	zone *time.Location
}

// why explains a row.
func (w *explainer) why(it item) string {
	switch it.kind {
	case kindSaid:
		r := &w.book.rows[it.at]
		return w.row(r)
	case kindEvent:
		return w.event(it.at)
	case kindMessage:
		msg := &w.book.messages[it.at]
		if len(msg.Events) == 0 {
			return "added by Plimsoll: " + orElse(plain.Line(msg.Why), "it makes the request valid")
		}
		return w.state(msg.State, msg.Why) + w.by(msg.Overlay)
	case kindPrompt:
		return "the system prompt: rebuilt for every request, never compacted"
	}
	return "the tools that the model could call"
}

// row explains the row of a message.
func (w *explainer) row(r *inspect.Row) string {
	if w.book.takenBack(r) {
		return "undone with its turn" + w.by(r.Overlay) + w.way(w.keys.Redo, "redoes it")
	}
	if r.Message < 0 && r.State == projection.StateDropped && r.Why == "" {
		return "not sent, and nothing replaces it"
	}
	if isPart(r) && w.book.side == sideBoth {
		return partOf(r) + w.by(r.Overlay)
	}
	return w.state(r.State, r.Why) + w.by(r.Overlay)
}

// way names the key that changes something about it, where that can be changed.
func (w *explainer) way(b key.Binding, does string) string {
	if w.book.ReadOnly != "" {
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

// state explains a state.
func (w *explainer) state(state projection.State, why string) string {
	why = plain.Line(why)
	switch state {
	case projection.StateVerbatim:
		return orElse(why, "sent in full")
	case projection.StatePinned:
		return "pinned: always sent in full" + w.way(w.keys.Pin, "unpins it")
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

// by names the overlay that shaped a row.
func (w *explainer) by(overlay uint64) string {
	i := w.book.index(overlay)
	if overlay == 0 || i < 0 {
		return ""
	}
	e := w.book.Log[i]
	made, _ := conversation.MadeOf(e.Body)
	text := " · " + eventName(conversation.EpochOf(e)) + " at " + clock(e.Time, w.zone) + by(made)
	if made.Source == conversation.SourceManual {
		text += " by hand"
	}
	if made.Trigger != "" && made.Trigger != "command" {
		text += " (" + plain.Line(made.Trigger) + ")"
	}
	return text
}

// event says what can be done about an event.
func (w *explainer) event(i int) string {
	switch b := w.book.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		if w.book.undone(i) {
			return "compaction undone: it hides nothing" + w.way(w.keys.Redo, "redoes the last undone one")
		}
		return "compaction active" + w.way(w.keys.Undo, "undoes it")
	case conversation.Rewind:
		if w.book.undone(i) {
			return "these turns were redone"
		}
		return "turns undone: the model is not sent them" + w.way(w.keys.Redo, "redoes them")
	case conversation.Pin:
		return "pinned by you: always sent in full"
	case conversation.Attempt:
		return "it changed nothing: " + plain.Line(b.Why)
	case conversation.ModelChanged:
		return "from here requests go to this model"
	case conversation.Instructions:
		return "from here requests carry this system prompt and these tools"
	}
	return plain.Line(head(w.book.words(i), maxSubject))
}
