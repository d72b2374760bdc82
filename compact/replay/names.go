package replay

import (
	"regexp"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// idPattern matches event and turn ids in stubs and notes, and turn numbers in headings of summaries.
var idPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([et][0-9]+(?:-[0-9]+)?)\b|(?i:\bturns?) ([0-9]+(?:–[0-9]+)?)`)
})

// idsIn returns the event and turn ids in a text, as recall accepts them.
func idsIn(text string) []conversation.RecallID {
	ids := []conversation.RecallID{}
	for _, match := range idPattern().FindAllStringSubmatch(text, -1) {
		id := match[1]
		if id == "" {
			id = "t" + strings.ReplaceAll(match[2], "–", "-")
		}
		if parsed, ok := conversation.ParseRecallID(id); ok {
			ids = append(ids, parsed)
		}
	}
	return ids
}

func idsMatch(ids []conversation.RecallID, event, turn uint64) bool {
	for _, id := range ids {
		n := event
		if id.Turns {
			n = turn
		}
		if id.First <= n && n <= id.Last {
			return true
		}
	}
	return false
}
