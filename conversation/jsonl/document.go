package jsonl

import (
	"strings"
	"time"

	"plimsoll/conversation"
)

// Document is a recorded conversation.
type Document struct {
	Meta     Meta
	Messages []Message
}

// Meta is what a file says about itself. Nothing of it is required.
type Meta struct {
	Title   string
	Model   string    // that the replies came from, where they do not say themselves
	Created time.Time // zero: not said
}

// Role is who a message is from, as in the file.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system" // also for "developer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a file.
type Message struct {
	Line   int // of the file, from 1; 0 for one that was not read
	Role   Role
	Time   time.Time // zero: not recorded
	Text   string    // of results the full text, if it is known
	Reply  Reply     // assistant only
	Result Result    // tool only
}

// Reply is what only replies have.
type Reply struct {
	Reasoning string
	Calls     []conversation.ToolCall
	Stop      conversation.StopReason // never "" in a message that was read
	// Usage is what was reported for the request, nil if nothing was.
	Usage *conversation.Usage
}

// Result is what only tool results have.
type Result struct {
	CallID string
	Tool   string // of the call it answers, "" if neither that nor the file says
	Status conversation.ResultStatus
}

// Split gives the system prompt, which is all leading system messages with
// blank lines between, and the messages after them.
func (d Document) Split() (system string, messages []Message) {
	var texts []string
	messages = d.Messages
	for len(messages) > 0 && messages[0].Role == RoleSystem {
		if strings.TrimSpace(messages[0].Text) != "" {
			texts = append(texts, messages[0].Text)
		}
		messages = messages[1:]
	}
	return strings.Join(texts, "\n\n"), messages
}
