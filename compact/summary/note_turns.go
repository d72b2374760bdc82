package summary

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

const (
	askedChars   = 80  // code points of the user's message in a line
	repliedChars = 100 // of the reply
	toolsNamed   = 4   // tools that a line names
)

type turnRecord struct {
	turn           int
	request, reply string // the whole texts of the user and of the newest reply
	replied        bool
	calls, failed  int
	tools          []string // by the first call
	callsByTool    map[string]int
}

// listTurns lists the newest turns that fit into the room, in their order, and the number
// of calls in the turns before.
func listTurns(events []conversation.Event, room float64) string {
	const title = "### What was done"
	room -= textTokens(title) + 12
	var lines []string
	left := events
	for len(left) > 0 {
		from := len(left) - 1
		for from > 0 && left[from-1].Turn == left[from].Turn {
			from--
		}
		line := recordTurn(left[from:]).line()
		if room -= textTokens(line) + 1; room < 0 {
			break
		}
		lines, left = append(lines, line), left[:from]
	}
	if len(lines) == 0 {
		return ""
	}
	if len(left) > 0 {
		lines = append(lines, earlierTurns(left))
	}
	slices.Reverse(lines)
	return title + "\n" + strings.Join(lines, "\n")
}

func earlierTurns(events []conversation.Event) string {
	calls := 0
	for i := range events {
		if b, ok := events[i].Body.(conversation.AssistantMessage); ok {
			calls += len(b.Calls)
		}
	}
	from, to := conversation.TurnRange(events)
	return "- " + conversation.RecallID{Turns: true, First: uint64(from), Last: uint64(to)}.String() + ": " + numbers.Count(calls, "call")
}

func recordTurn(events []conversation.Event) *turnRecord {
	t := &turnRecord{turn: events[0].Turn, callsByTool: map[string]int{}}
	for i := range events {
		switch b := events[i].Body.(type) {
		case conversation.UserMessage:
			if !t.replied { // of several user messages in a row the last one counts
				t.request = b.Text
			}
		case conversation.AssistantMessage:
			t.replied = true
			if strings.TrimSpace(b.Text) != "" {
				t.reply = b.Text
			}
			for k := range b.Calls {
				tool := projection.ToolName(b.Calls[k].Name)
				t.calls++
				if t.callsByTool[tool]++; t.callsByTool[tool] == 1 {
					t.tools = append(t.tools, tool)
				}
			}
		case conversation.ToolResult:
			if b.Status == conversation.ResultError {
				t.failed++
			}
		}
	}
	return t
}

func (t *turnRecord) line() string {
	var parts []string
	if text := onOneLine(t.request, askedChars); text != "" {
		parts = append(parts, "asked "+inQuotes(text))
	}
	if t.calls > 0 {
		parts = append(parts, t.callsText())
	}
	if text := onOneLine(t.reply, repliedChars); text != "" {
		parts = append(parts, "replied "+inQuotes(text))
	}
	return strings.TrimSuffix("- t"+strconv.Itoa(t.turn)+": "+strings.Join(parts, "; "), ": ")
}

func (t *turnRecord) callsText() string {
	tools := slices.Clone(t.tools)
	slices.SortStableFunc(tools, func(a, b string) int { return t.callsByTool[b] - t.callsByTool[a] })
	var parts []string
	for _, tool := range tools[:min(len(tools), toolsNamed)] {
		parts = append(parts, tool+" ×"+strconv.Itoa(t.callsByTool[tool]))
	}
	if more := len(tools) - toolsNamed; more > 0 {
		parts = append(parts, numbers.Count(more, "other tool"))
	}
	if t.failed > 0 {
		parts = append(parts, strconv.Itoa(t.failed)+" failed")
	}
	return strings.Join(parts, ", ")
}

// quoteMarks makes quotation marks inside a quotation plain, so that they cannot end it.
var quoteMarks = strings.NewReplacer("“", `"`, "”", `"`)

// inQuotes returns a text of one line as a quotation that the text cannot end.
func inQuotes(text string) string { return "“" + quoteMarks.Replace(text) + "”" }
