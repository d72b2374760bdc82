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
	said     []said
	requests []request
}

// said is one message.
type said struct {
	body  conversation.Body // UserMessage, AssistantMessage or ToolResult
	turn  int
	at    time.Time // zero: not recorded
	opens bool      // a turn
	later bool      // a system message in the middle of the conversation
	chars int       // of text, names and arguments
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
	system = conversation.Clean(system)
	r := recorder{later: map[uint64]bool{}}
	for i := range messages {
		r.message(&messages[i])
	}
	c := r.conversation(name)
	c.system, c.prompt = system, conversation.Measure(system)
	return c
}

// recorder collects the messages of a record.
type recorder struct {
	events []conversation.Event
	later  map[uint64]bool
}

// add takes a body in, cleaned and measured.
func (r *recorder) add(body conversation.Body, at time.Time) {
	switch b := body.(type) {
	case conversation.UserMessage:
		text := conversation.Clean(b.Text)
		body = conversation.UserMessage{Text: text, Size: conversation.Measure(text)}
	case conversation.AssistantMessage:
		text := conversation.Clean(b.Text)
		reply := conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Size: conversation.Measure(text)}
		for _, c := range b.Calls {
			reply.Stop = conversation.StopCalls
			reply.Calls = append(reply.Calls, conversation.ToolCall{
				ID: conversation.Clean(c.ID), Name: conversation.Clean(c.Name), Arguments: object(conversation.Clean(c.Arguments)),
			})
		}
		body = reply
	case conversation.ToolResult:
		text := conversation.Clean(b.Text)
		body = conversation.ToolResult{CallID: conversation.Clean(b.CallID), Tool: conversation.Clean(b.Tool), Status: b.Status,
			Text: text, Size: conversation.Measure(text)}
	}
	r.events = append(r.events, conversation.Event{Seq: uint64(len(r.events) + 1), Time: at, Body: body})
}

// message takes a message of a file in.
func (r *recorder) message(m *jsonl.Message) {
	switch m.Role {
	case jsonl.RoleAssistant:
		r.add(conversation.AssistantMessage{Text: m.Text, Calls: m.Reply.Calls}, m.Time)
	case jsonl.RoleTool:
		r.add(conversation.ToolResult{CallID: m.Result.CallID, Tool: m.Result.Tool, Status: m.Result.Status, Text: m.Text}, m.Time)
	case jsonl.RoleSystem:
		r.later[uint64(len(r.events)+1)] = true
		r.add(conversation.UserMessage{Text: m.Text}, m.Time)
	default:
		r.add(conversation.UserMessage{Text: m.Text}, m.Time)
	}
}

// object is arguments if they are a JSON object, else the empty one.
func object(arguments string) string {
	if strings.HasPrefix(strings.TrimSpace(arguments), "{") && json.Valid([]byte(arguments)) {
		return arguments
	}
	return "{}"
}

// conversation hardens what was collected and finds turns and requests.
func (r *recorder) conversation(name string) Conversation {
	// The error says that the last message is the model's own, as it should be.
	messages, _ := projection.Harden(projection.Project(r.events), projection.Capabilities{})
	c := Conversation{Name: name, said: make([]said, 0, len(messages))}
	turn := -1
	for i := range messages {
		s := r.said(&messages[i])
		if _, user := s.body.(conversation.UserMessage); user && !s.later && (i == 0 || messages[i-1].Role != projection.RoleUser) {
			s.opens = true
			turn++
		}
		s.turn = max(turn, 0)
		c.said = append(c.said, s)
	}
	c.findRequests()
	return c
}

// said is a hardened message as it was said.
func (r *recorder) said(m *projection.Message) said {
	s := said{chars: chars(m)}
	status := conversation.ResultInterrupted // of an answer that the record does not have
	if len(m.Events) > 0 {
		e := r.events[m.Events[0]-1]
		s.at, s.later = e.Time, r.later[e.Seq]
		if b, ok := e.Body.(conversation.ToolResult); ok {
			status = b.Status
		}
	}
	switch m.Role {
	case projection.RoleAssistant:
		reply := conversation.AssistantMessage{Text: m.Text, Stop: conversation.StopEnd, Size: m.Size}
		for _, call := range m.Calls {
			call.Size = conversation.Measure(call.Name).Plus(conversation.Measure(call.Arguments))
			reply.Calls, reply.Stop = append(reply.Calls, call), conversation.StopCalls
		}
		s.body = reply
		s.chars = m.Size.Chars()
		for _, call := range reply.Calls {
			s.chars += call.Size.Chars()
		}
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
	for i := 0; i < len(c.said); i++ {
		if c.said[i].opens {
			opened = true
			if n := len(c.requests); n > 0 && c.requests[n-1].turnEnd == 0 {
				c.requests[n-1].turnEnd = i
			}
		}
		if !c.isReply(i) {
			continue
		}
		q := request{from: i, to: i + 1, turnStart: opened}
		for q.to < len(c.said) && c.isReply(q.to) {
			q.to++
		}
		if n := len(c.requests); n > 0 {
			q.idle = between(c.said[c.requests[n-1].to-1].at, c.said[i-1].at)
		}
		c.requests = append(c.requests, q)
		opened = false
		i = q.to - 1
	}
}

func (c *Conversation) isReply(i int) bool {
	_, ok := c.said[i].body.(conversation.AssistantMessage)
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
	for i := range c.said {
		reply, _ := c.said[i].body.(conversation.AssistantMessage) // others have no calls
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
