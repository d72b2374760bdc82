package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

// How lines become messages, for every client:
//   - The pieces of one reply (reasoning, text, calls) become one message, also if results stand between them.
//   - A reply without any of these is left out.
//   - A field of a wrong type counts as missing.
//   - The title is the client's, else the beginning of the first message that a person typed.

// builder adds messages to a session.
type builder struct {
	session Session
	line    int               // the current one, from 1
	tools   map[string]string // names of the called tools by call id
	unnamed []string          // ids of unanswered calls that have none in the file
	open    int               // index of the reply that gets the next piece, -1 for a new one
}

// readLines reads a file of JSON lines; add takes one of them.
func (b *builder) readLines(r io.Reader, add func(line []byte) error) (err error) {
	b.session.Problems, err = jsonl.EachLine(r, func(number int, text []byte) error {
		b.line = number
		return add(text)
	})
	return err
}

// decode decodes an object into v. Fields of a wrong type keep their zero value.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) && kind.Field != "" {
		return nil
	}
	return err
}

// timeOf reads a time, zero if it is none.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text) // zero on an error
	return t.UTC()
}

func (b *builder) messages() []jsonl.Message { return b.session.Document.Messages }

func (b *builder) add(m jsonl.Message) {
	m.Line = b.line
	b.session.Document.Messages = append(b.session.Document.Messages, m)
}

// content is what a message or a result has: a text, and images.
type content struct {
	text   string
	images []jsonl.Picture
}

// user adds a message of the user or, as RoleSystem, of the client. It ends the open reply.
func (b *builder) user(role jsonl.Role, c content, at time.Time) {
	b.open = -1
	if strings.TrimSpace(c.text) != "" || len(c.images) > 0 {
		b.add(jsonl.Message{Role: role, Text: c.text, Images: c.images, Time: at})
	}
}

// reply returns the open reply, or a new one.
func (b *builder) reply(at time.Time) *jsonl.Message {
	if b.open < 0 {
		b.open = len(b.messages())
		b.add(jsonl.Message{Role: jsonl.RoleAssistant, Time: at, Reply: jsonl.Reply{Stop: conversation.StopEnd}})
	}
	return &b.session.Document.Messages[b.open]
}

// join appends a piece of a text after a blank line.
func join(text *string, piece string) {
	switch {
	case strings.TrimSpace(piece) == "":
	case *text == "":
		*text = piece
	default:
		*text += "\n\n" + piece
	}
}

// call adds a tool call to a reply. One without an id gets one.
func (b *builder) call(m *jsonl.Message, id, tool, arguments string) {
	if id == "" {
		id = fmt.Sprintf("call_%d_%d", b.line, len(m.Reply.Calls))
		b.unnamed = append(b.unnamed, id)
	}
	b.tools[id] = tool
	m.Reply.Stop = conversation.StopCalls
	m.Reply.Calls = append(m.Reply.Calls, conversation.ToolCall{ID: id, Name: tool, Arguments: arguments})
}

// result adds a tool result. One without an id answers the oldest call without one.
func (b *builder) result(id string, c content, failed bool, at time.Time) {
	if id == "" && len(b.unnamed) > 0 {
		id, b.unnamed = b.unnamed[0], b.unnamed[1:]
	}
	status := conversation.ResultOK
	if failed {
		status = conversation.ResultError
	}
	b.add(jsonl.Message{Role: jsonl.RoleTool, Text: c.text, Images: c.images, Time: at,
		Result: jsonl.Result{CallID: id, Tool: conversation.Clean(b.tools[id]), Status: status}})
}

// cutTo takes back all messages from an index on.
func (b *builder) cutTo(index int) {
	b.session.leftOut["message of turns that were taken back"] += len(b.messages()) - index
	b.session.Document.Messages, b.open = b.messages()[:index], -1
}

// finish leaves out empty replies and sets the title.
func (b *builder) finish() {
	d := &b.session.Document
	d.Messages = slices.DeleteFunc(d.Messages, func(m jsonl.Message) bool {
		return m.Role == jsonl.RoleAssistant && m.Text == "" && m.Reply.Reasoning == "" && m.Reply.Calls == nil
	})
	for i := range d.Messages {
		if text := strings.TrimSpace(d.Messages[i].Text); d.Meta.Title == "" && d.Messages[i].Role == jsonl.RoleUser && !strings.HasPrefix(text, "<") {
			d.Meta.Title = conversation.OneLine(text, maxTitle)
		}
	}
}

// maxTitle is the largest number of characters of a title that is the beginning of a message.
const maxTitle = 80

// usage returns a reported usage; prompt includes cached and written. It is nil if nothing is reported.
func usage(prompt, cached, written, completion int) *conversation.Usage {
	if prompt <= 0 || cached < 0 || written < 0 || completion < 0 {
		return nil
	}
	return &conversation.Usage{Prompt: prompt, Cached: cached, CacheWrite: written, Completion: completion, Reasoning: -1}
}

// part is a part of a message's content, with the fields of all clients.
type part struct {
	Type, Text, Thinking, ID, Name string
	Arguments, Content, Input      json.RawMessage
	Data                           json.RawMessage                    // of Crush, in its database: the other fields
	ToolUseID                      string                             `json:"tool_use_id"`
	ToolCallID                     string                             `json:"tool_call_id"`
	IsError                        bool                               `json:"is_error"`
	ImageURL                       json.RawMessage                    `json:"image_url"`
	Source                         struct{ Data string }              // of an image
	InlineData                     struct{ MimeType, Data string }    // of Gemini CLI
	FunctionResponse               struct{ Response json.RawMessage } // of Gemini CLI
	Tool, CallID                   string                             // of opencode
	Ignored                        bool                               // of opencode
	Filename, Path                 string                             // of an image
	URL                            json.RawMessage                    // of opencode
	State                          struct {                           // of opencode
		Status, Output, Error string
		Input, Attachments    json.RawMessage
	}
}

// parts adds the parts of a content to a reply.
func (b *builder) parts(m *jsonl.Message, parts []part) {
	for _, p := range parts {
		switch p.Type {
		case "thinking", "reasoning":
			join(&m.Reply.Reasoning, p.Thinking+p.Text)
		case "tool_use", "toolCall", "tool_call":
			b.call(m, p.ID+p.ToolCallID, p.Name, arguments(append(p.Input, p.Arguments...)))
		case "tool":
			b.call(m, p.CallID, p.Tool, arguments(p.State.Input))
		case "redacted_thinking", "finish", "step-start", "step-finish", "snapshot", "patch":
		default:
			join(&m.Text, p.shown())
		}
	}
}

// partsOf returns the parts of a content: a text, an array of texts and parts, or one part.
func partsOf(raw json.RawMessage) (parts []part) {
	var p part
	var elements []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case json.Unmarshal(raw, &p.Text) == nil:
		p.Type = "text"
		return []part{p}
	case json.Unmarshal(raw, &elements) == nil:
		for _, e := range elements {
			if e[0] != '[' {
				parts = append(parts, partsOf(e)...)
			}
		}
	case decode(raw, &p) == nil:
		if fields := p.Data; len(fields) > 0 && fields[0] == '{' {
			p.Data = nil
			_ = decode(fields, &p) // it is JSON
		}
		return []part{p}
	}
	return parts
}

// picture returns the image of a part, false if it has none that can be read.
func (p *part) picture() (jsonl.Picture, bool) {
	image := jsonl.ImagePart{ImageURL: append(p.ImageURL, p.URL...)}
	_ = json.Unmarshal(p.Data, &image.Data) // an object is of another part
	image.Source.Data = p.Source.Data + p.InlineData.Data
	picture, ok := image.Picture()
	picture.Name = cmp.Or(p.Filename, p.Path, picture.Name)
	return picture, ok
}

// add appends a part: its image, or else its text.
func (c *content) add(p *part) {
	if picture, ok := p.picture(); ok {
		c.images = append(c.images, picture)
	} else {
		join(&c.text, p.shown())
	}
}

// shown is the part as text. One without text is its type in brackets, as is an image that cannot be read.
func (p *part) shown() string {
	name := conversation.OneLine(p.Type+p.InlineData.MimeType, maxTitle)
	if p.Text != "" || name == "" || name == "text" {
		return p.Text
	}
	return "[" + name + "]"
}

// contentOf joins the parts of a content.
func contentOf(raw json.RawMessage) (c content) {
	for _, p := range partsOf(raw) {
		c.add(&p)
	}
	return c
}

// textOf is the text of a content.
func textOf(raw json.RawMessage) string { return contentOf(raw).text }

// arguments returns the arguments of a call, which are JSON or JSON in a text, on one line.
func arguments(raw json.RawMessage) string {
	var b bytes.Buffer
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) == nil {
		return text
	}
	if json.Compact(&b, raw) != nil {
		return "{}" // there are none
	}
	return b.String()
}

// readDocument reads an object with an array of messages, one by one; add takes a message, or an object of one other field.
func (b *builder) readDocument(r io.Reader, add func(raw []byte) error) {
	values := json.NewDecoder(r)
	var value json.RawMessage
	_, err := values.Token()
	for err == nil && values.More() {
		var key json.Token
		if key, err = values.Token(); err == nil && key != "messages" {
			if err = values.Decode(&value); err == nil {
				field, _ := conversation.EncodeJSON(map[string]json.RawMessage{fmt.Sprint(key): value}) // value is JSON
				_ = add(field)                                                                          // it is an object
			}
			continue
		}
		for _, err = values.Token(); err == nil && values.More(); {
			if err = values.Decode(&value); err != nil {
				break
			}
			b.line++
			if wrong := add(value); wrong != nil {
				b.problem("message %d: %v", b.line, jsonl.Reason(wrong))
			}
		}
		if err == nil {
			_, err = values.Token()
		}
	}
	if err != nil {
		b.problem("after message %d the file cannot be read: %v", b.line, err)
	}
}

func (b *builder) problem(format string, args ...any) {
	b.session.Problems = append(b.session.Problems, jsonl.Problem{Reason: fmt.Sprintf(format, args...)})
}
