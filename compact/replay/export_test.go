package replay

import (
	"time"

	"plimsoll/compact/projection"
)

// RequestCost returns the cost of a request of which prefix tokens may be cached, idle after the last one.
func RequestCost(s PriceSheet, tokens, prefix float64, idle time.Duration) float64 {
	return s.requestCost(sentRequest{tokens: tokens, prefix: prefix, idle: idle})
}

// Identifiers lists the names in a text that a model may use later: paths, functions, ids.
func Identifiers(text string) []string {
	var out []string
	identifiers(text, func(id string) { out = append(out, id) })
	return out
}

// Instructions lists the sentences of a text that the model has to follow, such as "never edit generated files".
func Instructions(text string) []string { return instructions(text) }

// Found returns the indices of the needles that occur in any of the texts.
func Found(needles []string, texts ...string) []int32 {
	all := make([]searchText, len(needles))
	for i, n := range needles {
		all[i] = searchText{n, int32(i)}
	}
	return newFinder(all).find(texts...)
}

// AsJSON returns text as an ASCII-only JSON string escapes it.
func AsJSON(text string) string { return asJSON(text) }

// Misplaced counts the messages and calls of a request that violate the order, and ids that are used twice.
func Misplaced(messages []projection.Message) int { return countMisplaced(messages) }

// Names reports whether a text contains the id of an event (e41) or of a turn (t3).
func Names(text string, event, turn uint64) bool { return idsMatch(idsIn(text), event, turn) }
