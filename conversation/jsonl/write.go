package jsonl

import (
	"encoding/json"
	"fmt"
	"io"

	"plimsoll/conversation"
)

// Write writes a document: the meta line, then a line for each message. Every
// line is one call of w.Write and valid UTF-8.
func Write(w io.Writer, d Document) error {
	if err := writeLine(w, map[string]wireMeta{"meta": metaLine(d)}); err != nil {
		return err
	}
	for i := range d.Messages {
		if err := writeLine(w, newLine(&d.Messages[i])); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return nil
}

func writeLine(w io.Writer, v any) error {
	data, err := conversation.EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func metaLine(d Document) wireMeta {
	return wireMeta{Title: text(d.Meta.Title), Model: text(d.Meta.Model), Client: text(d.Meta.Client), Created: created{stamp{d.Meta.Created}},
		CompactAt: loose[[]int]{d.Meta.CompactAt}, Messages: loose[int]{len(d.Messages)}}
}

// newLine is a message as a line.
func newLine(m *Message) *wireLine {
	role := string(m.Role)
	w := &wireLine{Role: &role, Summary: loose[bool]{m.Summary}, Time: stamp{m.Time}}
	switch m.Role {
	case RoleAssistant:
		w.addReply(&m.Reply)
	case RoleTool:
		w.addResult(&m.Result)
	}
	if m.Text != "" || len(m.Reply.Calls) == 0 { // replies of calls alone have null
		c := content(m.Text)
		w.Content = &c
	}
	return w
}

func (w *wireLine) addReply(r *Reply) {
	w.Reasoning, w.Model, w.Error = text(r.Reasoning), text(r.Model), text(r.Error)
	for _, c := range r.Calls {
		quoted, _ := conversation.EncodeJSON(c.Arguments) // a text always has a JSON form
		w.Calls = append(w.Calls, wireCall{ID: c.ID, Type: text("function"), Extra: json.RawMessage(c.Extra),
			Function: &wireFunction{c.Name, quoted}})
	}
	usual := conversation.StopEnd
	if len(r.Calls) > 0 {
		usual = conversation.StopCalls
	}
	if r.Stop != usual {
		w.Stop = text(string(r.Stop))
	}
	if len(r.Extras) > 0 {
		w.Extras.v = r.Extras
	}
	w.Usage = usageLine(r.Usage)
}

func (w *wireLine) addResult(r *Result) {
	w.CallID, w.Name, w.Detail = r.CallID, text(r.Tool), text(r.Detail)
	switch r.Status {
	case conversation.ResultError:
		w.IsError = loose[bool]{true}
	case conversation.ResultDenied, conversation.ResultInterrupted:
		w.Status = text(string(r.Status))
	}
	w.Shown, w.Total, w.Duration = positive(r.Shown), positive(r.Total), positive(int(r.Duration.Milliseconds()))
}
