package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

// Loading a record. Rules:
//
//   - Leading system messages are the system prompt. Later ones become user messages that start no turn.
//     Reasoning is never sent.
//   - The messages are hardened once, as a request would be: empty replies are removed, empty results get a
//     placeholder text, and every call has a result directly after it. Every violation in a replayed request
//     is therefore caused by the policy.
//   - Arguments that are not a JSON object become {}.

// Conversation is a recorded conversation, ready for replay. A replay does not change it.
type Conversation struct {
	Name string

	joined   bool   // of several sessions
	system   string // system prompt, "" if the record has none
	prompt   conversation.Size
	messages []recordedMessage
	requests []request
}

// recordedMessage is one message of the record.
type recordedMessage struct {
	body         conversation.Body // UserMessage, AssistantMessage or ToolResult
	turn         int
	at           time.Time // zero if not recorded
	opensTurn    bool      // the message starts a turn
	isLateSystem bool      // a system message in the middle of the conversation
	chars        int       // of text, names and arguments
}

// request is a reply that the client requested, together with the replies directly after it, which no request
// triggered.
type request struct {
	from, to  int // indexes of the reply's messages; to is exclusive
	idle      time.Duration
	turnStart bool // a turn started since the previous request
	turnEnd   int  // index of the next message that starts a turn, 0 if another request comes first
}

// Requests returns the number of requests to replay.
func (c *Conversation) Requests() int { return len(c.requests) }

// Load converts a recorded file.
func Load(doc jsonl.Document, name string) Conversation {
	system, messages := doc.Split()
	c := Conversation{Name: name, joined: doc.Meta.Stitched, system: conversation.Clean(system)}
	c.prompt = conversation.Measure(c.system)
	events := make([]conversation.Event, len(messages))
	for i := range messages {
		events[i] = conversation.Event{Seq: uint64(i + 1), Time: messages[i].Time, Body: body(&messages[i])}
	}
	// Harden's error only reports that the last message is a reply, as expected here.
	hardened, _ := projection.Harden(projection.Project(events), projection.Capabilities{})
	turn := -1
	for i := range hardened {
		m := &hardened[i]
		var from *jsonl.Message // nil: hardening added the message
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

// body converts a message of the file to a cleaned, measured event body.
func body(m *jsonl.Message) conversation.Body {
	text := conversation.Clean(m.Text)
	size := conversation.Measure(text)
	var images []conversation.Image
	for _, p := range m.Images {
		images = append(images, p.Image)
	}
	size.Images = conversation.SizeOfImages(images)
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
			Status: m.Result.Status, Text: text, Images: images, Size: size}
	}
	return conversation.UserMessage{Text: text, Images: images, Size: size}
}

// object returns arguments if they are a JSON object, else the empty object.
func object(arguments string) string {
	if strings.HasPrefix(strings.TrimSpace(arguments), "{") && json.Valid([]byte(arguments)) {
		return arguments
	}
	return "{}"
}

// newRecordedMessage converts a hardened message; from is its original in the file, nil if hardening added it.
func newRecordedMessage(m *projection.Message, from *jsonl.Message) recordedMessage {
	s := recordedMessage{chars: chars(m)}
	status := conversation.ResultInterrupted // of a result that the record lacks
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
		s.body = conversation.ToolResult{CallID: m.CallID, Tool: m.Tool, Status: status, Text: m.Text, Images: m.Images, Size: m.Size}
	default:
		s.body = conversation.UserMessage{Text: m.Text, Images: m.Images, Size: m.Size}
	}
	return s
}

// imageRule is how the provider bills images by whose prices a replay is planned.
var imageRule = meter.PixelRule

// length returns a size in code points, with images as long as a text of their tokens.
func length(s conversation.Size) int {
	return s.Chars() + int(meter.CharsPerToken*imageRule.Tokens(s.Images))
}

// chars returns the length of a message.
func chars(m *projection.Message) int { return length(m.After()) }

// findRequests groups the replies into requests.
func (c *Conversation) findRequests() {
	opened := false
	isReply := func(i int) bool {
		_, ok := c.messages[i].body.(conversation.AssistantMessage)
		return ok
	}
	for i := 0; i < len(c.messages); i++ {
		if c.messages[i].opensTurn {
			opened = true
			if n := len(c.requests); n > 0 && c.requests[n-1].turnEnd == 0 {
				c.requests[n-1].turnEnd = i
			}
		}
		if !isReply(i) {
			continue
		}
		q := request{from: i, to: i + 1, turnStart: opened}
		for q.to < len(c.messages) && isReply(q.to) {
			q.to++
		}
		if n := len(c.requests); n > 0 {
			if from, to := c.messages[c.requests[n-1].to-1].at, c.messages[i-1].at; !from.IsZero() && !to.IsZero() {
				q.idle = max(0, to.Sub(from))
			}
		}
		c.requests = append(c.requests, q)
		opened = false
		i = q.to - 1
	}
}

// arguments returns the argument names that each tool is called with, sorted.
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
