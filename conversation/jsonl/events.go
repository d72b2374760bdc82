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
//   - What was reported for a request counts for how full the window is only if
//     this program recorded it with nothing compacted: others sent prompts and
//     tools that the file does not hold. Elsewhere its Revision is the Seq of
//     the reply, which is no overlay's.

// Options say how a document becomes a log. The zero value cuts results at
// conversation.ResultMaxChars, without names, and keeps no texts next to the events.
type Options struct {
	Start    time.Time // of the first event, if the file does not say
	Title    string    // the user's, in place of the file's
	MaxChars int       // of a result that are shown; 0: conversation.ResultMaxChars, negative: all
	Names    bool      // the marker of a cut names what was cut, see [conversation.ArrivalCap]
	// Model gives the name of a model here, provider/id, for one in the file;
	// nil: the same.
	Model func(name string) string
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
	if o.Model == nil {
		o.Model = func(name string) string { return name }
	}
	b := builder{options: o, model: o.Model(d.Meta.Model), at: d.begin(o.Start)}
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
	model   string // of replies that do not say
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
	model := b.model
	if r.Model != "" {
		model = b.options.Model(r.Model)
	}
	bodies := []conversation.Body{conversation.AssistantMessage{
		Text: m.Text, Reasoning: r.Reasoning, Calls: r.Calls, Stop: r.Stop, Model: model, Error: r.Error, Extras: r.Extras,
	}}
	if r.Usage != nil {
		u := *r.Usage
		u.Reply = uint64(b.log.Len() + 1)
		if u.Estimate == 0 || u.Revision > 0 {
			u.Revision = u.Reply
		}
		if u.Model == "" {
			u.Model = model
		} else {
			u.Model = b.options.Model(u.Model)
		}
		bodies = append(bodies, u)
	}
	return b.add(bodies...)
}

func (b *builder) result(m *Message) error {
	r := &m.Result
	body := conversation.ToolResult{CallID: r.CallID, Tool: r.Tool, Status: r.Status, Detail: r.Detail, Duration: r.Duration}
	var err error
	body.Text, body.Total, body.Blob, err = b.shown(m.Text, r)
	if err != nil {
		return err
	}
	return b.add(body)
}

// recallID is the id by which the result in an event is recalled.
func recallID(seq uint64) string { return conversation.RecallID{First: seq, Last: seq}.String() }

// shown is what the model is shown of a result, the number of characters it
// had, and the name of its full text; the last two only if it was cut.
func (b *builder) shown(text string, r *Result) (shown string, total int, blob string, err error) {
	if b.options.MaxChars < 0 {
		return text, 0, "", nil
	}
	if _, ok := conversation.Shown(text, r.Total); ok {
		return text, r.Total, "", nil
	}
	most := b.options.MaxChars
	if r.Shown > 0 {
		most = r.Shown
	}
	recall := ""
	if b.options.Keep != nil && !b.options.CutForGood {
		recall = recallID(uint64(b.log.Len() + 1))
	}
	shown, total = conversation.ArrivalCap{Chars: most, Names: b.options.Names}.Apply(text, recall)
	if total > 0 && !b.options.CutForGood {
		blob, err = b.keep(text)
	}
	return shown, total, blob, err
}
