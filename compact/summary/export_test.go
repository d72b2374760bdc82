package summary

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/names"
)

// NamesIn returns the index of names of results.
func NamesIn(events []conversation.Event, room float64) string {
	return nameIndex(events, shownNames{}, room)
}

// NamesOf lists the names in a text, in its order.
func NamesOf(text string) []string {
	var out []string
	names.Scan(text, func(name string) { out = append(out, name) })
	return out
}

// NoteWithin returns a note on spans with budget tokens for quotes of the user.
func NoteWithin(log []conversation.Event, spans []conversation.Span, budget int) string {
	tokens := float64(budget)
	return Note(log, projection.View{}, spans, NoteLimits{Lists: tokens / 2, Quotes: tokens, Index: tokens / 2})
}

// ForceOf returns how binding a sentence is: 2 for a demand, 1 for a preference.
func ForceOf(s string) int { return int(strengthOf(s)) }
