package jsonl

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"plimsoll/conversation"
)

// line is a line of the file as JSON, a message or the metadata.
type line struct {
	Meta      *loose[meta]  `json:"meta,omitempty"`
	Role      *string       `json:"role,omitempty"`
	Content   *content      `json:"content,omitempty"`
	Reasoning loose[string] `json:"reasoning_content,omitzero"`
	Calls     []call        `json:"tool_calls,omitempty"`
	CallID    string        `json:"tool_call_id,omitempty"`
	Name      loose[string] `json:"name,omitzero"`
	IsError   loose[bool]   `json:"is_error,omitzero"`
	Usage     loose[usage]  `json:"usage,omitzero"`
	Time      loose[int64]  `json:"ts,omitzero"`
	// Written by other programs.
	Synthetic loose[bool] `json:"x_synthetic,omitzero"`
}

type meta struct {
	Title    loose[string]    `json:"title,omitzero"`
	Model    loose[string]    `json:"model,omitzero"`
	Client   loose[string]    `json:"client,omitzero"`
	Created  loose[time.Time] `json:"created,omitzero"`
	Messages loose[int]       `json:"messages"`
	Stitched loose[bool]      `json:"stitched,omitzero"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// usage is the usage that a provider reported, nil for a missing number.
type usage struct {
	Prompt     *uint32 `json:"prompt_tokens,omitempty"`
	Completion *uint32 `json:"completion_tokens,omitempty"`
	Details    struct {
		Cached *uint32 `json:"cached_tokens,omitempty"`
	} `json:"prompt_tokens_details,omitzero"`
}

// loose is a field that can have any type in files of other programs. A value of another type counts as missing.
type loose[T any] struct{ value T }

// UnmarshalJSON reads a value, and never fails.
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		l.value = v
	}
	return nil
}

// MarshalJSON writes the value.
func (l loose[T]) MarshalJSON() ([]byte, error) { return conversation.EncodeJSON(l.value) }

// content is the text of a message: null, a text, or an array of parts. Texts of parts are joined with blank lines; a part
// that is neither text nor an image becomes its type in brackets.
type content struct {
	text     string
	pictures []Picture
}

// MarshalJSON writes the text.
func (c content) MarshalJSON() ([]byte, error) { return conversation.EncodeJSON(c.text) }

// UnmarshalJSON reads any of these forms.
func (c *content) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type string        `json:"type"`
		Text loose[string] `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return errors.New(`"content" is neither text nor an array of parts`)
	}
	images := make([]loose[ImagePart], len(parts))
	_ = json.Unmarshal(raw, &images) // a part that is no image stays empty
	var texts []string
	for i, p := range parts {
		text := p.Text.value
		if picture, ok := images[i].value.Picture(); ok && text == "" {
			c.pictures = append(c.pictures, picture)
			continue
		}
		texts = append(texts, cmp.Or(text, "["+conversation.OneLine(p.Type, maxQuoted)+"]"))
	}
	c.text = strings.Join(texts, "\n\n")
	return nil
}

// maxQuoted is the largest number of characters that an error or a text quotes from a word of the file.
const maxQuoted = 41

// Write writes a document: the metadata, then a line for each message. Every line is valid UTF-8 and one call of w.Write.
func Write(w io.Writer, d Document) error {
	head := meta{Title: loose[string]{d.Meta.Title}, Model: loose[string]{d.Meta.Model}, Client: loose[string]{"plimsoll"},
		Created: loose[time.Time]{d.Meta.Created}, Messages: loose[int]{len(d.Messages)}, Stitched: loose[bool]{d.Meta.Stitched}}
	if err := writeLine(w, line{Meta: &loose[meta]{head}}); err != nil {
		return err
	}
	for i := range d.Messages {
		if err := writeLine(w, lineOf(&d.Messages[i])); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return nil
}

func writeLine(w io.Writer, l line) error {
	data, err := conversation.EncodeJSON(l)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func lineOf(m *Message) line {
	role := string(m.Role)
	l := line{Role: &role, Content: &content{text: m.Text}, Reasoning: loose[string]{m.Reply.Reasoning}, CallID: m.Result.CallID,
		Name: loose[string]{m.Result.Tool}}
	if !m.Time.IsZero() {
		l.Time.value = m.Time.UnixMilli()
	}
	if m.Text == "" && m.Reply.Calls != nil {
		l.Content = nil
	}
	for _, c := range m.Reply.Calls {
		quoted, _ := conversation.EncodeJSON(c.Arguments) // a text always has a JSON form
		l.Calls = append(l.Calls, call{c.ID, "function", function{c.Name, quoted}})
	}
	switch m.Result.Status {
	case conversation.ResultError, conversation.ResultDenied:
		l.IsError.value = true
	case conversation.ResultInterrupted:
		l.Synthetic.value = true
	}
	if u := m.Reply.Usage; u != nil {
		l.Usage.value.Prompt, l.Usage.value.Completion, l.Usage.value.Details.Cached = reported(u.Prompt), reported(u.Completion), reported(u.Cached)
	}
	return l
}

// reported returns a number of tokens, nil if it is unknown.
func reported(n int) *uint32 {
	if n < 0 || n >= 1<<32 {
		return nil
	}
	return new(uint32(n))
}
