package summary

import (
	"strconv"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A job with the view as input is the next request with one more user message, so that
// the provider's cache serves the rest. The model sees no turn numbers, and more messages
// than it must cover: the added message quotes the beginning and the end of the part to
// cover, and the beginnings of its turns.

// maxTurnBeginnings bounds the turns whose beginnings are quoted.
const maxTurnBeginnings = 24

// ViewJob makes a job with the view as input: its messages are those of the view,
// hardened for the endpoint, and a last one that asks for the summary. The view must
// show the covered events.
func ViewJob(v projection.View, c projection.Capabilities, options Options) Job {
	j := options.newJob(preset.InputView)
	first, last, covered := -1, -1, conversation.Disjoint(options.Spans)
	for i := range v.Messages {
		if covered.ContainsAny(v.Messages[i].Events) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if j.CoveredTokens == 0 {
		j.CoveredTokens = meter.EstimateCovered(v, options.Spans)
	}
	if first >= 0 {
		j.FromTurn, j.ToTurn = messageTurns(v.Messages[first : last+1])
	}
	text := "This is a request of the program, not of the user.\n" + options.instructions(j.CoveredTokens, false) + "\n" +
		scopeText(v.Messages, first, last, j.FromTurn, j.ToTurn)
	request := projection.Message{Role: projection.RoleUser, Text: text, Size: conversation.Measure(text), State: projection.StateVerbatim, Why: "asks for a summary"}
	request.Before = request.Size
	if n := len(v.Messages); n > 0 {
		request.Turn = v.Messages[n-1].Turn
	}
	v.Messages = append(v.Messages[:len(v.Messages):len(v.Messages)], request)
	// The last message is the user's, so there is no error.
	j.Messages, _ = projection.Harden(v, c)
	return j
}

func messageTurns(messages []projection.Message) (from, to int) {
	from = messages[0].Turn
	for i := range messages {
		from, to = min(from, messages[i].Turn), max(to, messages[i].Turn)
	}
	return from, to
}

func scopeText(messages []projection.Message, first, last, from, to int) string {
	const plain = " Answer with the text of the summary alone; call no tools."
	if first < 0 {
		return "Cover all of the conversation above." + plain
	}
	var b strings.Builder
	b.WriteString("Cover " + numbers.Turns(from, to) + " only. That part begins with " + messageLabel(&messages[first]))
	switch {
	case last+1 < len(messages):
		b.WriteString(" and ends before " + messageLabel(&messages[last+1]) + ", which stays as it is: leave out all that comes from there on.")
	case first == 0:
		b.WriteString(", the first message, and is all of the conversation above.")
	default:
		b.WriteString(" and ends with the last message above.")
	}
	if first > 0 {
		b.WriteString(" What stands before it stays as well: use it to understand, and do not repeat it.")
	}
	if quoted := turnBeginnings(messages[first : last+1]); quoted != "" {
		b.WriteString("\nThe turns of it, by the user's messages they begin with: " + quoted + ".")
	}
	b.WriteString(plain)
	return b.String()
}

func messageLabel(m *projection.Message) string {
	switch {
	case m.State == projection.StateSummarised:
		return "the summary " + quoteStart(m.Text)
	case m.Role == projection.RoleUser && m.State == projection.StateDropped:
		return "the note " + quoteStart(m.Text)
	case m.Role == projection.RoleUser:
		return "the user's message " + quoteStart(m.Text)
	case m.Role == projection.RoleTool:
		return "the result of " + projection.ToolName(m.Tool) + " that begins " + quoteStart(m.Text)
	case strings.TrimSpace(m.Text) == "" && len(m.Calls) > 0:
		return "the reply that calls " + projection.ToolName(m.Calls[0].Name) + " with " + quoteStart(m.Calls[0].Arguments)
	}
	return "the reply " + quoteStart(m.Text)
}

// turnBeginnings quotes the beginnings of the turns in a part, of the first and the
// last ones if there are too many.
func turnBeginnings(part []projection.Message) string {
	var all []string
	turn := -1
	for i := range part {
		m := &part[i]
		if m.Role != projection.RoleUser || m.Turn == turn || m.State == projection.StateSummarised || m.State == projection.StateDropped {
			continue
		}
		turn = m.Turn
		all = append(all, "t"+strconv.Itoa(turn)+" "+quoteStart(m.Text))
	}
	if len(all) > maxTurnBeginnings {
		all = append(append(all[:maxTurnBeginnings/2:maxTurnBeginnings/2], "…"), all[len(all)-maxTurnBeginnings/2:]...)
	}
	return strings.Join(all, ", ")
}
