package setup

import (
	"slices"
	"strings"

	"plimsoll/agent/llm"
)

// autoEffort lets the model decide how much it reasons.
const autoEffort = "auto"

// SplitEffort splits "MODEL EFFORT"; either can be missing. The effort is "" if it is missing or auto.
func SplitEffort(text string) (name, effort string, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "", "", nil
	}
	last := words[len(words)-1]
	switch {
	case last == autoEffort || slices.Contains(llm.Efforts(), last):
		words = words[:len(words)-1]
	case len(words) > 1:
		return "", "", llm.CheckEffort(last)
	default:
		last = ""
	}
	if last == autoEffort {
		last = ""
	}
	return strings.Join(words, " "), last, nil
}
