package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

// How a record becomes what is replayed:
//
//   - Leading system messages are the prompt; later ones become messages of the
//     user that open no turn. Reasoning is never sent.
//   - The rest is hardened as a request would be, once and for all: empty replies
//     go, empty results say so, every call is answered where it was made. So what
//     is wrong with a replayed request is the fault of the policy.
//   - Arguments that are no JSON object become {}.

// Conversation is a recorded conversation, ready to be replayed. It is not
// changed by that.
type Conversation struct {
	Name string

	system   string // prompt, "" if the record has none
	prompt   conversation.Size
	messages []recordedMessage
	requests []request
}

// recordedMessage is one message.
type recordedMessage struct {
	body         conversation.Body // UserMessage, AssistantMessage or ToolResult
	turn         int
	at           time.Time // zero: not recorded
	opensTurn    bool      // a turn
	isLateSystem bool      // a system message in the middle of the conversation
	chars        int       // of text, names and arguments
}

// request is a reply that was asked for, with the replies that directly follow
// it: those could not have been.
type request struct {
	from, to  int // the reply's messages, to is behind the last
	idle      time.Duration
	turnStart bool // a turn was opened since the request before
	turnEnd   int  // the message behind the reply that opens the next turn, 0 if another request comes first
}

// Requests is how many requests are replayed.
func (c *Conversation) Requests() int { return len(c.requests) }

// Load takes a recorded file.
func Load(doc jsonl.Document, name string) Conversation {
	system, messages := doc.Split()
	c := Conversation{Name: name, system: conversation.Clean(system)}
	c.prompt = conversation.Measure(c.system)
	events := make([]conversation.Event, len(messages))
	for i := range messages {
		events[i] = conversation.Event{Seq: uint64(i + 1), Time: messages[i].Time, Body: body(&messages[i])}
	}
	// The error says that the last message is the model's own, as it should be.
	hardened, _ := projection.Harden(projection.Project(events), projection.Capabilities{})
	turn := -1
	for i := range hardened {
		m := &hardened[i]
		var from *jsonl.Message // nil: hardening made it up
		if len(m.Events) > 0 {
			from = &messages[m.Events[0]-1]
		}
		s := newRecordedMessage(m, from)
		if m.Role == projection.RoleUser && !s.isLateSystem && (i == 0 || hardened[i-1].Role != projection.RoleUser) {
			s.opensTurn = true
			turn++
		}
		s.turn = max(turn, 0)
		c.messages = append(c.messages, s)
	}
	c.findRequests()
	return c
}

// body is a message of a file, cleaned and measured.
func body(m *jsonl.Message) conversation.Body {
	text := conversation.Clean(m.Text)
	size := conversation.Measure(text)
	switch m.Role {
	case jsonl.RoleAssistant:
		reply := conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Size: size}
		for _, c := range m.Reply.Calls {
			reply.Stop = conversation.StopCalls
			reply.Calls = append(reply.Calls, conversation.ToolCall{
				ID: conversation.Clean(c.ID), Name: conversation.Clean(c.Name), Arguments: object(conversation.Clean(c.Arguments)),
			})
		}
		return reply
	case jsonl.RoleTool:
		return conversation.ToolResult{CallID: conversation.Clean(m.Result.CallID), Tool: conversation.Clean(m.Result.Tool),
			Status: m.Result.Status, Text: text, Size: size}
	}
	return conversation.UserMessage{Text: text, Size: size}
}

// object is arguments if they are a JSON object, else the empty one.
func object(arguments string) string {
	if strings.HasPrefix(strings.TrimSpace(arguments), "{") && json.Valid([]byte(arguments)) {
		return arguments
	}
	return "{}"
}

// newRecordedMessage is a hardened message as it was said.
func newRecordedMessage(m *projection.Message, from *jsonl.Message) recordedMessage {
	s := recordedMessage{chars: chars(m)}
	status := conversation.ResultInterrupted // of an answer that the record does not have
	if from != nil {
		s.at, s.isLateSystem, status = from.Time, from.Role == jsonl.RoleSystem, from.Result.Status
	}
	switch m.Role {
	case projection.RoleAssistant:
		reply := conversation.AssistantMessage{Text: m.Text, Stop: conversation.StopEnd, Size: m.Size}
		s.chars = m.Size.Chars()
		for _, call := range m.Calls {
			call.Size = conversation.Measure(call.Name).Plus(conversation.Measure(call.Arguments))
			reply.Calls, reply.Stop = append(reply.Calls, call), conversation.StopCalls
			s.chars += call.Size.Chars()
		}
		s.body = reply
	case projection.RoleTool:
		s.body = conversation.ToolResult{CallID: m.CallID, Tool: m.Tool, Status: status, Text: m.Text, Size: m.Size}
	default:
		s.body = conversation.UserMessage{Text: m.Text, Size: m.Size}
	}
	return s
}

// chars is the size of a message.
func chars(m *projection.Message) int { return m.After().Chars() }

// findRequests finds the replies that were asked for.
func (c *Conversation) findRequests() {
	opened := false
	for i := 0; i < len(c.messages); i++ {
		if c.messages[i].opensTurn {
			opened = true
			if n := len(c.requests); n > 0 && c.requests[n-1].turnEnd == 0 {
				c.requests[n-1].turnEnd = i
			}
		}
		if !c.isReply(i) {
			continue
		}
		q := request{from: i, to: i + 1, turnStart: opened}
		for q.to < len(c.messages) && c.isReply(q.to) {
			q.to++
		}
		if n := len(c.requests); n > 0 {
			q.idle = between(c.messages[c.requests[n-1].to-1].at, c.messages[i-1].at)
		}
		c.requests = append(c.requests, q)
		opened = false
		i = q.to - 1
	}
}

func (c *Conversation) isReply(i int) bool {
	_, ok := c.messages[i].body.(conversation.AssistantMessage)
	return ok
}

// between is the time from one moment to another, 0 if one of them is unknown.
func between(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return max(0, to.Sub(from))
}

// arguments lists the arguments that each tool is called with, sorted.
func (c *Conversation) arguments() map[string][]string {
	out := map[string][]string{}
	for i := range c.messages {
		reply, _ := c.messages[i].body.(conversation.AssistantMessage) // others have no calls
		for _, call := range reply.Calls {
			names := out[call.Name]
			for name := range fieldsOf(call) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			out[call.Name] = names
		}
	}
	return out
}
