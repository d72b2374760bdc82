package history

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// copier copies the original of a row, as it is in the log: without marks, wraps and folds. In a request, and where there
// is no original, it is what was sent.
type copier struct {
	book  *book
	texts fullTexts
}

// row copies the original of a row; where there is none, what is sent.
func (c *copier) row(it item) pane.Action {
	switch it.kind {
	case kindEvent:
		return Copy{Text: c.book.words(it.at), What: "the line"}
	case kindPrompt, kindTools:
		name, text := c.book.request.instructions(it.kind)
		return Copy{Text: text, What: name}
	case kindMessage:
		msg := &c.book.messages[it.at]
		if e := c.book.event(it); c.book.request == nil && e != nil && len(msg.Events) == 1 {
			return c.original(e)
		}
		return Copy{Text: withCalls(msg.Text, msg.Calls), What: "the message as it is sent"}
	}
	return c.original(c.book.event(it))
}

func (c *copier) original(e *conversation.Event) pane.Action {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return Copy{Text: b.Text, What: "the message"}
	case conversation.AssistantMessage:
		return Copy{Text: withCalls(b.Text, b.Calls), What: "the reply"}
	case conversation.ToolResult:
		return c.result(e.Seq, b)
	}
	return say(sayNotSaid, true)
}

// result copies the whole text where it was asked for, also while it is still being
// read: a reader who has expanded a result means all of it.
func (c *copier) result(seq uint64, b conversation.ToolResult) pane.Action {
	switch full, asked := c.texts[seq]; {
	case asked && !full.here:
		return CopyFull{Event: seq, Cut: b.Text}
	case full.err != nil:
		return Copy{Text: b.Text, What: "the truncated result, because the full text cannot be read"}
	case full.here:
		return Copy{Text: full.text, What: "the full result"}
	case b.Total > 0:
		return Copy{Text: b.Text, What: "the truncated result"}
	}
	return Copy{Text: b.Text, What: "the result"}
}

// withCalls is a text and the calls behind it.
func withCalls(text string, calls []conversation.ToolCall) string {
	parts := make([]string, 0, len(calls)+1)
	if text != "" {
		parts = append(parts, text)
	}
	for _, call := range calls {
		parts = append(parts, call.Name+" "+call.Arguments)
	}
	return strings.Join(parts, "\n")
}

// body copies a request as it went over the wire.
func (c *copier) body(steps key.Binding) pane.Action {
	switch {
	case c.book.request == nil:
		return say("choose a request first"+keyFor(steps, "shows the requests that were sent"), true)
	case c.book.request.state == requestAsked:
		return say("the request is still being built", true)
	case len(c.book.request.made.Body) == 0:
		return say("there is no body: "+orElse(c.book.request.made.Why, "it cannot be rebuilt"), true)
	}
	return Copy{Text: string(c.book.request.made.Body), What: "the body, " + numbers.Count(len(c.book.request.made.Body), "byte")}
}
