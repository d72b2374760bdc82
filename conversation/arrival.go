package conversation

import (
	"fmt"
	"strings"

	"plimsoll/conversation/names"
)

// maxNamesChars is how much a marker names of what was cut, in characters: about 300
// tokens.
const maxNamesChars = 1200

// ArrivalCap is how a tool result is cut when it arrives. What it makes is frozen
// in the event.
type ArrivalCap struct {
	// Chars is how many characters stay.
	Chars int
	// DescribesRest says that the marker of FEAT-011 is followed by a line that tells how the
	// rest can be had, and names what is in it.
	DescribesRest bool
}

// Apply cuts a text as [Cut] does. recall is the id by which the whole text can be
// recalled, "" if it cannot.
func (c ArrivalCap) Apply(text, recall string) (shown string, total int) {
	text = Clean(text)
	shown, total = Cut(text, c.Chars)
	if total == 0 || !c.DescribesRest {
		return shown, total
	}
	kept := strings.LastIndex(shown, cutMarkerBegin)
	return shown + restLine(recall, max(c.Chars, 0), names.Beyond(text, kept, maxNamesChars)), total
}

// The parts of the line behind the marker. Names are ASCII words, so that the line
// is one line and ends with its only closing bracket.
const (
	restBegin  = "\n["
	restRecall = "The rest: recall %s with offset %d, or with a query."
	restNames  = "Names in the rest: "
	restEnd    = "]"
)

// restLine is the line behind the marker; "" if there is nothing to say.
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

// isRestLine reports whether a text is a line that restLine makes, or nothing.
func isRestLine(text string) bool {
	if text == "" {
		return true
	}
	inside, began := strings.CutPrefix(text, restBegin)
	inside, ended := strings.CutSuffix(inside, restEnd)
	return began && ended && !strings.ContainsAny(inside, "\n[]") &&
		(strings.HasPrefix(inside, "The rest: recall ") || strings.HasPrefix(inside, restNames))
}
