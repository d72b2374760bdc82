package demo

import (
	"strings"

	"plimsoll/conversation"
)

// A request for a summary is answered with the beginnings of evenly spaced lines of the conversation, without new text.
// The summary stays below 40 percent of what it covers, the limit that Plimsoll sets, and repeats no earlier summary
// unless the request contains one to summarize.

// summaryMark opens every summary, so that a reader knows its origin.
const summaryMark = "Extract made by fixed rules, not by an AI."

const (
	summaryShare = 30  // percent of the tokens of what it covers
	maxSummary   = 600 // tokens, because the window is small
	summaryLine  = 100 // characters of a line of a summary
	lineTokens   = 25  // tokens of such a line, about
)

// A request for a summary either follows the conversation, with requestMark in its last message, or contains the conversation
// as indented lines between instructions and endMark.
const (
	requestMark = "This is a request of the program, not of the user."
	endMark     = "Write the summary now, and nothing else."
)

func (t *turn) wantsSummary() bool {
	return len(t.steps) == 0 && (strings.Contains(t.userText, requestMark) || strings.HasSuffix(t.userText, endMark) ||
		strings.HasPrefix(t.userText, "Summarize this conversation"))
}

func (t *turn) summary() string {
	indented := strings.HasSuffix(t.userText, endMark)
	total := 0
	var lines []string
	for i, m := range t.history {
		text, _, _ := strings.Cut(m.Content, requestMark)
		if m.Role == "system" || i < len(t.history)-1 && strings.Contains(text, summaryMark) {
			continue
		}
		for line := range strings.Lines(text) {
			if text := strings.TrimSpace(line); text != "" && text != summaryMark && (!indented || strings.HasPrefix(line, "  ")) {
				lines = append(lines, text)
				total += countTokens(line)
			}
		}
	}
	limit := min(total*summaryShare/100, maxSummary, t.maxReply-8) // a little below the largest reply
	out := summaryMark + "\n"
	for i := 0; i < len(lines); i += max(1, len(lines)*lineTokens/max(limit, 1)) {
		next := "\n- " + conversation.OneLine(lines[i], summaryLine)
		if countTokens(out+next) > limit {
			break
		}
		out += next
	}
	return out
}
