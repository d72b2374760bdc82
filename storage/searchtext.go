package storage

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"plimsoll/conversation"
)

// This file selects the searched texts of an event, and guesses from the undecoded bytes whether
// they may match. If the bytes do not look as this build writes them, the event is decoded.

// passage is a searched text; who is its author: "user", "assistant", "reasoning", "title", or a tool's name.
type passage struct{ who, text string }

// passages returns the searched texts of an event. Summaries, notices and the replacement texts of a
// compaction are not searched.
func passages(b conversation.Body) []passage {
	switch b := b.(type) {
	case conversation.UserMessage:
		return []passage{{"user", b.Text}}
	case conversation.AssistantMessage:
		all := []passage{{"assistant", b.Text}, {"reasoning", b.Reasoning}}
		for _, c := range b.Calls {
			all = append(all, passage{c.Name, argumentValues(c.Arguments)})
		}
		return all
	case conversation.ToolResult:
		return []passage{{b.Tool, b.Text}}
	case conversation.Renamed:
		return []passage{{"title", b.Title}}
	}
	return nil
}

// searchedKinds are the kinds of events that have passages.
var searchedKinds = []conversation.Kind{conversation.KindUser, conversation.KindAssistant, conversation.KindResult, conversation.KindRenamed}

// argumentValues returns the strings and numbers in the arguments of a tool call, unescaped, one a
// line, without field names. Arguments that are not valid JSON are returned unchanged.
func argumentValues(arguments string) string {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var b strings.Builder
	var objects []bool // the open containers, innermost last: true for an object, false for an array
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

// hasEscapes reports whether a stored reply may have arguments in which the model escaped a
// character without need: \u4e2d, or \/. Arguments are JSON within JSON, so each of their
// backslashes is doubled here.
func hasEscapes(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\\u`)) || bytes.Contains(raw, []byte(`\\/`))
}

// kindOf reads the kind of an event from the first bytes of its stored form. It reports false if
// they do not look as this build writes them.
func kindOf(raw []byte) (conversation.Kind, bool) {
	head := raw[:min(len(raw), 160)]
	numbers, rest, ok := bytes.Cut(head, []byte(`,"time":"`))
	_, rest, timed := bytes.Cut(rest, []byte(`","`))
	kind, _, ends := bytes.Cut(rest, []byte(`":`))
	return conversation.Kind(kind), ok && timed && ends && bytes.HasPrefix(numbers, eventStart)
}

// searchableBytes returns the part of a stored event that can contain searched text. For a
// tool result it begins with the text, after the tool's name: else a search for that name would make all
// its results candidates.
func searchableBytes(kind conversation.Kind, raw []byte) []byte {
	if kind == conversation.KindResult {
		if i := bytes.Index(raw, []byte(`,"text":"`)); i >= 0 {
			return raw[i:]
		}
	}
	return raw
}

// unpack appends the text of a packed value to buffer. It does not check the text
// against its name.
func (c *compressor) unpack(value, buffer []byte) ([]byte, error) {
	if len(value) == 0 || value[0] != blobZstd {
		return append(buffer, value[min(1, len(value)):]...), nil
	}
	dec, err := c.decoder()
	if err != nil {
		return buffer, err
	}
	return dec.DecodeAll(value[1:], buffer)
}

// blobOf returns the name of a stored result's full text, "" if it has none.
// Quotation marks in texts are escaped, so only a real field can match.
func blobOf(raw []byte) string {
	_, rest, ok := bytes.Cut(raw, []byte(`"blob":"`))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(name)
}
