package setup

import (
	"slices"
	"strings"

	"plimsoll/agent/llm"
)

// SplitEffort splits "MODEL EFFORT"; either can be missing. The effort is "" if it is missing or auto, which lets the model
// decide how much it reasons.
func SplitEffort(text string) (name, effort string, err error) {
	words := strings.Fields(text)
	last := len(words) - 1
	switch {
	case last < 0:
		return "", "", nil
	case words[last] == "auto":
		return strings.Join(words[:last], " "), "", nil
	case slices.Contains(llm.Efforts(), words[last]):
		return strings.Join(words[:last], " "), words[last], nil
	case last > 0:
		return "", "", llm.CheckEffort(words[last])
	}
	return words[0], "", nil
}
