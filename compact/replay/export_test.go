package replay

import (
	"time"

	"plimsoll/compact/projection"
)

// RequestCost is the cost of a request by a sheet.
func RequestCost(s Sheet, tokens, prefix float64, idle time.Duration) float64 {
	return s.request(sentRequest{tokens: tokens, prefix: prefix, idle: idle})
}

// Identifiers lists the identifiers in a text.
func Identifiers(text string) []string {
	var out []string
	identifiers(text, func(id string) { out = append(out, id) })
	return out
}

// Instructions lists the sentences of a text that bind.
func Instructions(text string) []string { return instructions(text) }

// Finder looks for texts: what it makes lists which of them stand in others, by
// their place.
func Finder(needles []string) func(texts ...string) []int32 {
	all := make([]needle, len(needles))
	for i, n := range needles {
		all[i] = needle{n, int32(i)}
	}
	return newSearch(newFinder(all), len(needles)).facts
}

// Found lists which of some texts stand in others, by their place.
func Found(needles []string, texts ...string) []int32 { return Finder(needles)(texts...) }

// AsJSON is text as it stands in a JSON text that is all ASCII.
func AsJSON(text string) string { return asJSON(text) }

// InCommon is how many code points two texts begin with alike.
func InCommon(a, b string) int {
	n, _ := alike(a, b)
	return n
}

// Misplaced counts what stands in the wrong place in a request.
func Misplaced(messages []projection.Message) int {
	var c checks
	c.add(nil, messages)
	return ends(messages) + c.misplaced
}

// Sender makes requests of views, one after another. What it makes returns the
// messages of one, how many of them are known to be those of the request before,
// their characters, and what is wrong with them.
func Sender() func(projection.View) (messages []projection.Message, known, size, violations int) {
	var s sent
	return func(v projection.View) ([]projection.Message, int, int, int) {
		messages, grew, _ := s.after(v) // no view is refused
		known := 0
		if grew {
			known = len(s.messages)
		}
		s.take(v, messages, grew)
		return s.messages, known, s.chars, s.checks.violations(s.messages, 0)
	}
}

// Names reports whether a text names an event or a turn by an id of either.
func Names(text string, event, turn int64) bool {
	n := namesIn(text)
	return n.events.has(event) || n.turns.has(turn)
}
