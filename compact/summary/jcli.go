package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
)

// J-CLI is another chat client. The preset jcli asks for a summary as J-CLI does: it sends the conversation as JSON after the
// prompt, in one user message without a system prompt and without tools. It cuts the JSON to 80,000 characters as text, even in
// the middle of a message. Unlike J-CLI, this code leaves out the oldest messages and not the newest. Earlier summaries come
// first, and are cut only if they take more than half.

// jcliChars is how many characters of the conversation are sent.
const jcliChars = 80_000

type jcliMessage struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []jcliCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

type jcliCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func jcliJob(events []conversation.Event, earlierSummaries []conversation.Summary, options Options) Job {
	words := preset.WordingOf(options.Style)
	var summaries, messages []jcliMessage
	for _, s := range earlierSummaries {
		block := words.Block(s.Transcript, s.Text)
		summaries = append(summaries, jcliMessage{Role: "user", Content: block.Text}, jcliMessage{Role: "assistant", Content: block.Answer})
	}
	for _, e := range events {
		messages = append(messages, jcliMessageOf(e))
	}
	j := options.newJob(preset.InputRaw)
	j.FromTurn, j.ToTurn = conversation.TurnRange(events)
	if j.CoveredTokens == 0 {
		j.CoveredTokens = meter.EstimateEvents(events)
		for _, m := range summaries {
			j.CoveredTokens += int(textTokens(m.Content))
		}
	}
	text := words.Prompt
	if options.Rules.Instructions != "" || options.Focus != "" {
		text = options.instructions(j.CoveredTokens, len(earlierSummaries) > 0) + "\n\n"
	}
	tokens := 0.0
	if options.Budget > 0 {
		tokens = max(float64(options.Budget)-textTokens(text)-meter.FramingTokens, minRoom)
	}
	text += jcliText(summaries, messages, tokens)
	j.Messages = []projection.Message{{Role: projection.RoleUser, Text: text, Size: conversation.Measure(text),
		Before: conversation.Measure(text), Turn: j.ToTurn, State: projection.StateVerbatim, Why: "asks for a summary"}}
	return j
}

func jcliMessageOf(e conversation.Event) jcliMessage {
	switch b := e.Body.(type) {
	case conversation.AssistantMessage:
		m := jcliMessage{Role: "assistant", Content: b.Text}
		for _, c := range b.Calls {
			m.Calls = append(m.Calls, jcliCall{c.ID, c.Name, c.Arguments})
		}
		return m
	case conversation.ToolResult:
		return jcliMessage{Role: "tool", Content: b.Text, CallID: b.CallID}
	case conversation.UserMessage:
		return jcliMessage{Role: "user", Content: b.Text}
	}
	return jcliMessage{Role: "user"} // no other body is sent to a model
}

// jcliText returns earlier summaries and messages as a JSON array of at most jcliChars characters, and of at most so many
// tokens; 0 tokens is no limit.
func jcliText(summaries, messages []jcliMessage, tokens float64) string {
	first, rest := jcliItems(summaries), jcliItems(messages)
	whole := "[" + strings.Join(slices.Concat(first, rest), ",") + "]"
	if utf8.RuneCountInString(whole) <= jcliChars && (tokens == 0 || textTokens(whole) <= tokens) {
		return whole
	}
	head := ""
	if len(first) > 0 {
		head = "[" + strings.Join(first, ",") + ","
		if tokens > 0 {
			head = prefixWithin(head, tokens/2)
			tokens -= textTokens(head)
		}
		head = snippet.First(head, jcliChars/2)
	}
	tail := snippet.Last(strings.Join(rest, ",")+"]", jcliChars-utf8.RuneCountInString(head))
	if tokens > 0 {
		tail = suffixWithin(tail, tokens)
	}
	return head + tail
}

func jcliItems(messages []jcliMessage) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		b, _ := conversation.EncodeJSON(m) // strings always encode
		out[i] = string(b)
	}
	return out
}
