package welcome

import (
	"strings"

	"plimsoll/conversation"
)

// The first minute with the demo model: the composer always names the next step while it
// is empty, from the first question to a model that answers.

// Suggestions are what the card of the demo model offers, by number.
func Suggestions() []string { return []string{"what is in this project?", filling, "/context"} }

const filling = "fill the gauge"

// Keys are those that the steps name, or the commands in their place.
type Keys struct{ Complete, Undo, History string }

// Step is what to do next, in words for the empty composer, and the text that the key to
// complete writes there.
type Step struct{ Words, Text string }

// Next is the step that follows what a conversation with the demo model holds.
func Next(log []conversation.Event, k Keys) Step {
	filled := false
	for _, e := range log {
		u, ok := e.Body.(conversation.UserMessage)
		filled = filled || ok && strings.EqualFold(strings.TrimSpace(u.Text), filling)
	}
	epochs := conversation.Epochs(log)
	switch {
	case len(epochs) > 0 && epochs[len(epochs)-1].InForce:
		return k.step("/undo-compact", k.Undo+" undoes the compaction, "+k.History+" shows it")
	case len(epochs) > 0:
		return k.step("/context", "/context shows what fills the window, /connect a real model")
	case filled:
		return k.step("/context", "/context shows what fills the window; past ▲ it is compacted")
	}
	return k.step(filling, "let the demo fill the gauge past ▲")
}

// step offers a text, with the key that writes it where that is bound.
func (k Keys) step(text, words string) Step {
	words = "Next: " + words
	if k.Complete != "" {
		words += " (" + k.Complete + ": " + text + ")"
	}
	return Step{words, text}
}
