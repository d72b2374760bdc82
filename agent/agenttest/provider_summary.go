package agenttest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// The replies of a fake model to requests for a summary.

// ReplyWithSummary replies with an extract of the request that has the requested length.
func ReplyWithSummary(n int, r llm.Request) Reply {
	return Join(StreamText(extractSummary(n, r)), Stop(conversation.StopEnd))
}

var lengthLimit = regexp.MustCompile(`Use at most (\d+) tokens`)

// extractSummary quotes a few lines from all of a request, within the length that it asks for.
func extractSummary(n int, r llm.Request) string {
	var all strings.Builder
	for i := range r.Messages {
		all.WriteString(r.Messages[i].Text + "\n")
	}
	most := 300
	if found := lengthLimit.FindStringSubmatch(r.System + all.String()); found != nil {
		most, _ = strconv.Atoi(found[1]) // digits, by the pattern
	}
	if r.MaxTokens > 0 {
		most = min(most, r.MaxTokens)
	}
	room := most * 4 / 5
	lines := strings.Split(strings.TrimSpace(all.String()), "\n")
	text := fmt.Sprintf("### Goal\nAccount %d of what was said so far, in a few words.\n### Done\n", n)
	for i := 0; i < len(lines); i += max(1, len(lines)*20/max(room, 1)) {
		next := fmt.Sprintf("- point %d: %.40s\n", i, lines[i])
		if textTokens(text+next) > room {
			break
		}
		text += next
	}
	return text + "### Next step\nGo on as the user asks."
}
