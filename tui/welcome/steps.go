package welcome

import (
	"strings"

	"plimsoll/conversation"
)

// The tour of the demo model: while the composer is empty, it shows the next step, from filling the gauge
// to connecting a real model.

// Suggestions returns the messages and commands that the card of the demo model offers, by number.
func Suggestions() []string { return []string{"what is in this project?", filling, "/context"} }

const filling = "fill the gauge"

// Keys are the keys that the steps mention. Undo and History are commands if their keys are off.
type Keys struct{ Complete, Undo, History string }

// Step is the next step of the tour: Words is the placeholder of the composer, Text the input that the
// completion key writes into it.
type Step struct{ Words, Text string }

// Next returns the next step for a conversation with the demo model.
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
		return k.step("/context", "/context shows what fills the window")
	}
	return k.step(filling, "let the demo fill the gauge")
}

// step makes a Step. Its words name the completion key, if it is bound.
func (k Keys) step(text, words string) Step {
	words = "Next: " + words
	if k.Complete != "" {
		words += " (" + k.Complete + ": " + text + ")"
	}
	return Step{words, text}
}
