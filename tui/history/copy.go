package history

import (
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// What is copied is what was said, as it is in the log: without marks, wraps and
// folds. In a request, and where nobody said it, it is what was sent.

// copy copies what was said; of what was not said, what is sent.
func (m *Model) copy() pane.Action {
	it, ok := m.current()
	if !ok {
		return m.say("nothing was said yet", true)
	}
	switch it.kind {
	case kindEvent:
		return Copy{Text: m.words(it.at), What: "the line"}
	case kindPrompt, kindTools:
		name, text := m.instructions(it)
		return Copy{Text: text, What: name}
	case kindMessage:
		msg := &m.book.messages[it.at]
		if e := m.book.event(it); m.request == nil && e != nil && len(msg.Events) == 1 {
			return m.copySaid(e)
		}
		return Copy{Text: withCalls(msg.Text, msg.Calls), What: "the message as it is sent"}
	}
	return m.copySaid(m.book.event(it))
}

func (m *Model) copySaid(e *conversation.Event) pane.Action {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return Copy{Text: b.Text, What: "the message"}
	case conversation.AssistantMessage:
		return Copy{Text: withCalls(b.Text, b.Calls), What: "the reply"}
	case conversation.ToolResult:
		return m.copyResult(e.Seq, b)
	}
	return m.say(sayNotSaid, true)
}

// copyResult copies the whole text where it was asked for, also while it is still being
// read: a reader who has expanded a result means all of it.
func (m *Model) copyResult(seq uint64, b conversation.ToolResult) pane.Action {
	switch full, asked := m.full[seq]; {
	case asked && !full.here:
		return CopyFull{Event: seq, Cut: b.Text}
	case full.err != nil:
		return Copy{Text: b.Text, What: "the result as it was cut, since the whole text cannot be read"}
	case full.here:
		return Copy{Text: full.text, What: "the whole result"}
	case b.Total > 0:
		return Copy{Text: b.Text, What: "the result as it was cut"}
	}
	return Copy{Text: b.Text, What: "the result"}
}

// withCalls is a text and the calls behind it.
func withCalls(text string, calls []conversation.ToolCall) string {
	parts := make([]string, 0, len(calls)+1)
	if text != "" {
		parts = append(parts, text)
	}
	for _, c := range calls {
		parts = append(parts, c.Name+" "+c.Arguments)
	}
	return strings.Join(parts, "\n")
}

// copyBody copies a request as it went over the wire.
func (m *Model) copyBody() pane.Action {
	switch {
	case m.request == nil:
		return m.say("the body of a request is meant"+keyFor(m.keys.PreviousRequest, "shows the requests that were sent"), true)
	case m.request.state == requestAsked:
		return m.say("the request is still being built", true)
	case len(m.request.made.Body) == 0:
		return m.say("there is no body: "+orElse(m.request.made.Why, "it cannot be made again"), true)
	}
	return Copy{Text: string(m.request.made.Body), What: "the body, " + numbers.Count(len(m.request.made.Body), "byte")}
}
