package demo

import (
	"strings"

	"plimsoll/conversation"
)

// A summary request of Plimsoll is answered with how lines of the conversation begin, picked evenly and cut, nothing made
// up. It is shorter than the 40 percent of what it covers that a summary may have, and repeats no earlier summary unless it
// is given one to read.

// summaryMark opens every summary, so that a reader knows what it is.
const summaryMark = "Extract made by fixed rules, not by an AI."

const (
	summaryShare = 30  // percent of what it covers
	summaryMost  = 600 // tokens: the window is small
	summaryLine  = 100 // code points of a line
	lineTokens   = 25  // about what such a line takes
)

// Requests for a summary either follow the conversation, with wishMark in their last message, or write it out, between
// instructions and endMark, every line indented.
const (
	wishMark = "This is a request of the program, not of the user."
	endMark  = "Write the summary now, and nothing else."
)

func (t *turn) wantsSummary() bool {
	return len(t.steps) == 0 && (strings.Contains(t.said, wishMark) || strings.HasSuffix(t.said, endMark) ||
		strings.HasPrefix(t.said, "Summarize this conversation"))
}

// summary answers a request for one.
func (t *turn) summary() string {
	written := strings.HasSuffix(t.said, endMark)
	total := 0
	var lines []string
	for i, m := range t.history {
		text, _, _ := strings.Cut(m.Content.Text, wishMark)
		if m.Role == "system" || i < len(t.history)-1 && strings.Contains(text, summaryMark) {
			continue
		}
		for line := range strings.Lines(text) {
			if said := strings.TrimSpace(line); said != "" && said != summaryMark && (!written || strings.HasPrefix(line, "  ")) {
				lines = append(lines, said)
				total += countTokens(line)
			}
		}
	}
	room := min(total*summaryShare/100, summaryMost, t.room-8)
	out := summaryMark + "\n"
	for i := 0; i < len(lines); i += max(1, len(lines)*lineTokens/max(room, 1)) {
		next := "\n- " + conversation.OneLine(lines[i], summaryLine)
		if countTokens(out+next) > room {
			break
		}
		out += next
	}
	return out
}
