package replay

import (
	"time"

	"plimsoll/compact/projection"
)

// RequestCost is the cost of a request by a sheet.
func RequestCost(s PriceSheet, tokens, prefix float64, idle time.Duration) float64 {
	return s.requestCost(sentRequest{tokens: tokens, prefix: prefix, idle: idle})
}

// Identifiers lists the identifiers in a text.
func Identifiers(text string) []string {
	var out []string
	identifiers(text, func(id string) { out = append(out, id) })
	return out
}

// Instructions lists the sentences of a text that bind.
func Instructions(text string) []string { return instructions(text) }

// Found lists which of some texts stand in others, by their place.
func Found(needles []string, texts ...string) []int32 {
	all := make([]searchText, len(needles))
	for i, n := range needles {
		all[i] = searchText{n, int32(i)}
	}
	return newFinder(all).find(texts...)
}

// AsJSON is text as it stands in a JSON text that is all ASCII.
func AsJSON(text string) string { return asJSON(text) }

// Misplaced counts what stands in the wrong place in a request.
func Misplaced(messages []projection.Message) int { return countMisplaced(messages) }

// Names reports whether a text names an event or a turn by an id of either.
func Names(text string, event, turn uint64) bool { return idsMatch(idsIn(text), event, turn) }
