package jsonl

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

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

type wireMeta struct {
	Title     string `json:"title,omitempty"`
	Model     string `json:"model,omitempty"`
	Client    string `json:"client,omitempty"`
	Created   string `json:"created,omitempty"` // RFC 3339
	CompactAt []int  `json:"compact_at,omitempty"`
	Messages  int    `json:"messages"`
}

func metaLine(d Document) wireMeta {
	m := wireMeta{Title: d.Meta.Title, Model: d.Meta.Model, Client: d.Meta.Client, CompactAt: d.Meta.CompactAt, Messages: len(d.Messages)}
	if !d.Meta.Created.IsZero() {
		m.Created = d.Meta.Created.UTC().Format(time.RFC3339Nano)
	}
	return m
}

// newLine is a message as a line.
func newLine(m *Message) *wireLine {
	role := string(m.Role)
	w := &wireLine{Role: &role, Summary: rawTrue(m.Summary)}
	if !m.Time.IsZero() {
		w.Time = rawValue(m.Time.UnixMilli())
	}
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
	w.Reasoning, w.Model, w.Error = rawText(r.Reasoning), rawText(r.Model), rawText(r.Error)
	for _, c := range r.Calls {
		w.Calls = append(w.Calls, wireCall{ID: c.ID, Type: rawText("function"), Extra: json.RawMessage(c.Extra),
			Function: &wireFunction{c.Name, rawValue(c.Arguments)}})
	}
	usual := conversation.StopEnd
	if len(r.Calls) > 0 {
		usual = conversation.StopCalls
	}
	if r.Stop != usual {
		w.Stop = rawText(string(r.Stop))
	}
	if len(r.Extras) > 0 {
		w.Extras = rawValue(r.Extras)
	}
	w.Usage = usageLine(r.Usage)
}

func (w *wireLine) addResult(r *Result) {
	w.CallID, w.Name, w.Detail = r.CallID, rawText(r.Tool), rawText(r.Detail)
	switch r.Status {
	case conversation.ResultError:
		w.IsError = rawTrue(true)
	case conversation.ResultDenied, conversation.ResultInterrupted:
		w.Status = rawText(string(r.Status))
	}
	if r.Shown > 0 {
		w.Shown = rawCount(r.Shown)
	}
	if r.Total > 0 {
		w.Total = rawCount(r.Total)
	}
	if ms := r.Duration.Milliseconds(); ms > 0 {
		w.Duration = rawValue(ms)
	}
}
