package storage

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"plimsoll/conversation"
)

// The texts of an event that a search goes through, and what its stored bytes already
// show of them. Those bytes are a hint: where this build would not write them so, the
// event is decoded.

// passage is a text that a search goes through, and who wrote it.
type passage struct{ who, text string }

// passages are the texts of an event. Summaries, notices and what a compaction shows
// instead of a message are no part of them.
func passages(b conversation.Body) []passage {
	switch b := b.(type) {
	case conversation.UserMessage:
		return []passage{{"user", b.Text}}
	case conversation.AssistantMessage:
		said := []passage{{"assistant", b.Text}, {"reasoning", b.Reasoning}}
		for _, c := range b.Calls {
			said = append(said, passage{c.Name, values(c.Arguments)})
		}
		return said
	case conversation.ToolResult:
		return []passage{{b.Tool, b.Text}}
	case conversation.Renamed:
		return []passage{{"title", b.Title}}
	}
	return nil
}

// searched reports whether a search goes through events of a kind.
func searched(k conversation.Kind) bool {
	switch k {
	case conversation.KindUser, conversation.KindAssistant, conversation.KindResult, conversation.KindRenamed:
		return true
	}
	return false
}

// values are the strings and numbers in the arguments of a call, one on a line: not
// their names, and without the escaping of JSON. What is no JSON is returned as it is.
func values(arguments string) string {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var b strings.Builder
	var objects []bool // what one is in, the innermost last: an object, or an array
	name := false      // the next string is the name of a field
	for {
		token, err := d.Token()
		if err == io.EOF {
			return strings.TrimSuffix(b.String(), "\n")
		}
		if err != nil {
			return arguments
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				objects = append(objects, token == '{')
			} else {
				objects = objects[:len(objects)-1]
			}
			name = len(objects) > 0 && objects[len(objects)-1]
			continue
		case string:
			if !name {
				b.WriteString(token + "\n")
			}
		case json.Number:
			b.WriteString(token.String() + "\n")
		}
		name = !name && len(objects) > 0 && objects[len(objects)-1]
	}
}

// escapes reports whether a stored reply may have arguments in which the model wrote a
// character otherwise than it is: \u4e2d, or \/. Arguments are JSON within JSON, so
// that a backslash of theirs is two here.
func escapes(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\\u`)) || bytes.Contains(raw, []byte(`\\/`))
}

// kindOf reads the kind of an event from the beginning of its stored form; false if
// that is not as this build writes it.
func kindOf(raw []byte) (conversation.Kind, bool) {
	head := raw[:min(len(raw), 160)]
	numbers, rest, ok := bytes.Cut(head, []byte(`,"time":"`))
	_, rest, timed := bytes.Cut(rest, []byte(`","`))
	kind, _, ends := bytes.Cut(rest, []byte(`":`))
	return conversation.Kind(kind), ok && timed && ends && bytes.HasPrefix(numbers, eventStart)
}

// body is the part of a stored event in which something may have been said: of a
// result what begins with its text, so that those of a tool are not all candidates for
// its name.
func body(kind conversation.Kind, raw []byte) []byte {
	if kind == conversation.KindResult {
		if i := bytes.Index(raw, []byte(`,"text":"`)); i >= 0 {
			return raw[i:]
		}
	}
	return raw
}

// unpack is the text of a stored form, put behind what is in room. It is not checked
// against its name.
func (c *compressor) unpack(value, room []byte) ([]byte, error) {
	if len(value) == 0 || value[0] != blobZstd {
		return append(room, value[min(1, len(value)):]...), nil
	}
	dec, err := c.decoder()
	if err != nil {
		return room, err
	}
	return dec.DecodeAll(value[1:], room)
}

// blobOf is the name of the full text that a stored result has, "" if it has none.
// Quotation marks in texts are escaped, so that only a field looks like one.
func blobOf(raw []byte) string {
	_, rest, ok := bytes.Cut(raw, []byte(`"blob":"`))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}
