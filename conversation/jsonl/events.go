package jsonl

import (
	"fmt"
	"strings"
	"time"

	"plimsoll/conversation"
)

// How messages become events:
//   - The leading system messages are the prompt (Instructions), later ones
//     become user messages, as a request has one system message only.
//   - A result is cut as it would have been on arrival.
//   - An event has the time of its message; one without has that of the message
//     before it.
//   - What was reported for a request does not count for how full the window is:
//     others sent prompts and tools that the file does not hold. Its Revision is
//     the Seq of the reply, which is no overlay's.

// Options say how a document becomes a log. The zero value cuts results at
// conversation.ResultMaxChars, without names, and keeps no texts next to the events.
type Options struct {
	Start    time.Time // of the first event, if the file does not say
	Title    string    // the user's, in place of the file's
	MaxChars int       // of a result that are shown; 0: conversation.ResultMaxChars, negative: all
	Names    bool      // the marker of a cut names what was cut, see [conversation.ArrivalCap]
	Model    string    // of the replies, provider/id; "": the file's
	// Keep stores a text beside the events and names it: the system prompt, and
	// the full text of results that are cut. nil: such texts are not kept.
	Keep func(text string) (name string, err error)
	// CutForGood says that the full text of results that are cut is not kept.
	CutForGood bool
}

// Events returns the document as a log, from Seq 1. The error is that of Keep.
func (d Document) Events(o Options) ([]conversation.Event, error) {
	if o.MaxChars == 0 {
		o.MaxChars = conversation.ResultMaxChars
	}
	if o.Model == "" {
		o.Model = d.Meta.Model
	}
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

// begin is the time of the first event.
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

// keep stores a text, "" if texts are not kept.
func (b *builder) keep(text string) (string, error) {
	if b.options.Keep == nil {
		return "", nil
	}
	return b.options.Keep(text)
}

// head adds what stands before the first message.
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
	return b.add(conversation.UserMessage{Text: m.Text})
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
	return b.add(body)
}
