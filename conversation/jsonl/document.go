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

// Meta is the metadata of a file. All fields are optional.
type Meta struct {
	Title   string
	Model   string    // of the replies
	Created time.Time // zero if missing
	// Stitched says that several sessions were joined to one conversation.
	Stitched bool
}

// Role is the role of a message, as in the file.
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
	Line   int // in the file, from 1; 0 if the message was not read from a file
	Role   Role
	Time   time.Time // zero if missing
	Text   string    // of tool results the full text, if known
	Images []Picture // only of users and tools
	Reply  Reply     // only in replies
	Result Result    // only in tool results
}

// Reply is the fields of replies only.
type Reply struct {
	Reasoning string
	Calls     []conversation.ToolCall
	Stop      conversation.StopReason // never "" in a message that was read from a file
	// Usage is the usage of the request, nil if not reported.
	Usage *conversation.Usage
}

// Result is the fields of tool results only.
type Result struct {
	CallID string
	Tool   string // name of the called tool, "" if unknown
	Status conversation.ResultStatus
}

// Split returns the system prompt and the messages after it. The prompt is all leading system messages, joined with blank
// lines.
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
