package conversation

import (
	"fmt"
	"strings"

	"plimsoll/conversation/names"
)

// maxNamesChars limits the names listed after the cut marker, in characters: about
// 300 tokens.
const maxNamesChars = 1200

// ArrivalCap limits the length of a tool result when it is appended to the log. The
// event stores the shortened text.
type ArrivalCap struct {
	// Chars is how many characters of the result are kept.
	Chars int
	// DescribesRest adds a line after the marker of FEAT-011: how to recall the rest of
	// the result, and which names occur in it.
	DescribesRest bool
}

// Apply cuts a text as [Cut] does. recall is the id by which the model can recall the
// whole text, "" if it cannot.
func (c ArrivalCap) Apply(text, recall string) (shown string, total int) {
	text = Clean(text)
	shown, total = Cut(text, c.Chars)
	if total == 0 || !c.DescribesRest {
		return shown, total
	}
	kept := strings.LastIndex(shown, cutMarkerBegin)
	return shown + restLine(recall, max(c.Chars, 0), names.Omitted(text, kept, maxNamesChars)), total
}

// The parts of the line after the marker. Names are ASCII words, so the text
// is a single line and its only closing bracket is the last character.
const (
	restBegin  = "\n["
	restRecall = "The rest: recall %s with offset %d, or with a query."
	restNames  = "Names in the rest: "
	restEnd    = "]"
)

// restLine returns the line after the marker; "" without a recall id and names.
func restLine(recall string, shown int, names string) string {
	var parts []string
	if recall != "" {
		parts = append(parts, fmt.Sprintf(restRecall, recall, shown))
	}
	if names != "" {
		parts = append(parts, restNames+names)
	}
	if parts == nil {
		return ""
	}
	return restBegin + strings.Join(parts, " ") + restEnd
}
