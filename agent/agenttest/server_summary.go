package agenttest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// What models do when they are asked for a summary.

// Healthy writes an extract of what it is sent, of the length it is asked for.
func Healthy(n int, r llm.Request) Reply {
	return Join(Say(extract(n, r)), Stop(conversation.StopEnd))
}

var wished = regexp.MustCompile(`Use at most (\d+) tokens`)

// extract is short quotations from all of a request, below the length that it asks for.
func extract(n int, r llm.Request) string {
	var all strings.Builder
	for i := range r.Messages {
		all.WriteString(r.Messages[i].Text + "\n")
	}
	most := 300
	if found := wished.FindStringSubmatch(r.System + all.String()); found != nil {
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
		if countText(text+next) > room {
			break
		}
		text += next
	}
	return text + "### Next step\nGo on as the user asks."
}
