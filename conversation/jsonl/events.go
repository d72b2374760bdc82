package jsonl

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"plimsoll/conversation"
)

// How messages become events:
//   - The leading system messages become the system prompt (Instructions). Later ones become user messages, because a
//     request has one system message only.
//   - A tool result is shortened as it would have been on arrival.
//   - An event has the time of its message; without one, that of the message before it.
//   - A recorded usage does not calibrate the meter, because the file lacks the tools and perhaps the prompt of that
//     request. Therefore its Revision is the Seq of the reply, which is never that of an overlay.

// Options control how a document becomes a log. The zero value shortens results to conversation.ResultMaxChars, without
// names, and stores no texts besides the events.
type Options struct {
	Start    time.Time // of the first event, if the file has no time
	Title    string    // replaces the file's
	MaxChars int       // characters of a result; 0: conversation.ResultMaxChars, negative: all
	Names    bool      // a shortened result lists names from the omitted part, see [conversation.ArrivalCap]
	Model    string    // of the replies, provider/id; "": the file's
	// Keep stores a text besides the events and returns its name: the system prompt, and the full text of shortened
	// results. nil: such texts are not stored.
	Keep func(text string) (name string, err error)
	// CutForGood means that the full text of shortened results is not stored.
	CutForGood bool
}

// Events returns the document as a log that starts at Seq 1. The error is that of Keep.
func (d Document) Events(o Options) ([]conversation.Event, error) {
	o.MaxChars, o.Model = cmp.Or(o.MaxChars, conversation.ResultMaxChars), cmp.Or(o.Model, d.Meta.Model)
	b := builder{options: o, at: d.begin(o.Start)}
	system, messages := d.Split()
	if err := b.head(system, d.Meta.Title); err != nil {
		return nil, err
	}
	for i := range messages {
		if err := b.message(&messages[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", messages[i].Line, err)
		}
	}
	return b.log.Events(), nil
}

// begin returns the time of the first event.
func (d Document) begin(start time.Time) time.Time {
	if !d.Meta.Created.IsZero() {
		return d.Meta.Created
	}
	for i := range d.Messages {
		if t := d.Messages[i].Time; !t.IsZero() {
			return t
		}
	}
	return start
}

// builder adds events to a log.
type builder struct {
	options Options
	at      time.Time
	log     conversation.Log
}

func (b *builder) add(bodies ...conversation.Body) error {
	return b.log.Commit(b.log.Prepare(b.at, bodies...))
}

// keep stores a text and returns its name, "" if texts are not stored.
func (b *builder) keep(text string) (string, error) {
	if b.options.Keep == nil {
		return "", nil
	}
	return b.options.Keep(text)
}

// head adds the events before the first message.
func (b *builder) head(system, title string) error {
	var bodies []conversation.Body
	if system = conversation.Clean(system); system != "" {
		name, err := b.keep(system)
		if err != nil {
			return err
		}
		bodies = append(bodies, conversation.Instructions{System: name, SystemSize: conversation.Measure(system)})
	}
	by := "auto"
	if b.options.Title != "" {
		title, by = b.options.Title, "user"
	}
	if title = strings.Join(strings.Fields(title), " "); title != "" {
		bodies = append(bodies, conversation.Renamed{Title: title, By: by})
	}
	return b.add(bodies...)
}

func (b *builder) message(m *Message) error {
	if !m.Time.IsZero() {
		b.at = m.Time
	}
	switch m.Role {
	case RoleAssistant:
		return b.reply(m)
	case RoleTool:
		return b.result(m)
	}
	images, err := b.images(m.Images)
	if err != nil {
		return err
	}
	return b.add(conversation.UserMessage{Text: m.Text, Images: images})
}

func (b *builder) reply(m *Message) error {
	r := &m.Reply
	bodies := []conversation.Body{conversation.AssistantMessage{Text: m.Text, Reasoning: r.Reasoning, Calls: r.Calls, Stop: r.Stop, Model: b.options.Model}}
	if r.Usage != nil {
		u := *r.Usage
		u.Reply = uint64(b.log.Len() + 1)
		u.Revision, u.Model = u.Reply, b.options.Model
		bodies = append(bodies, u)
	}
	return b.add(bodies...)
}

func (b *builder) result(m *Message) error {
	r := &m.Result
	body := conversation.ToolResult{CallID: r.CallID, Tool: r.Tool, Status: r.Status, Text: m.Text}
	if most := b.options.MaxChars; most >= 0 {
		recall := ""
		seq := uint64(b.log.Len() + 1)
		if b.options.Keep != nil && !b.options.CutForGood {
			recall = conversation.RecallID{First: seq, Last: seq}.String()
		}
		body.Text, body.Total = conversation.ArrivalCap{Chars: most, DescribesRest: b.options.Names}.Apply(m.Text, recall)
	}
	if body.Total > 0 && !b.options.CutForGood {
		name, err := b.keep(m.Text)
		if err != nil {
			return err
		}
		body.Blob = name
	}
	var err error
	if body.Images, err = b.images(m.Images); err != nil {
		return err
	}
	return b.add(body)
}
