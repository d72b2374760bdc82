package anthropic

import (
	"encoding/json"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Thinking is signed: it goes back as it came, where it stood between text and calls, or not at all. A reply's extras
// keep the order of its content: thinking whole, texts by their length, calls by their id.

// The names under which extras keep that order, and the route a reply came by. Neither is sent.
const (
	contentExtra = "anthropic_content"
	routeExtra   = "anthropic_route"
)

// piece is one block of a reply's content.
type piece struct {
	Raw  conversation.RawJSON `json:"raw,omitempty"`  // goes back as it came
	Text int                  `json:"text,omitempty"` // bytes of the message's text
	// Blank is bytes of the message's text that stay behind, as the API refuses a block without words.
	Blank int    `json:"blank,omitempty"`
	Call  string `json:"call,omitempty"` // id
}

// extras are the fields to keep with a reply; nil where text and calls say it all.
func extras(pieces []piece, route string) map[string]conversation.RawJSON {
	signed := false
	for _, p := range pieces {
		signed = signed || len(p.Raw) > 0
	}
	if !signed {
		return nil
	}
	content, err := conversation.EncodeJSON(pieces)
	if err != nil {
		return nil // its raw pieces were decoded from JSON
	}
	name, err := json.Marshal(route)
	if err != nil {
		return nil // a string always has a JSON form
	}
	return map[string]conversation.RawJSON{contentExtra: content, routeExtra: name}
}

// echoed is the content of a reply as it came, false where it came by another route, or where its text or its calls are
// not what they were.
func echoed(m *projection.Message, route string) ([]any, bool) {
	var from string
	var pieces []piece
	if json.Unmarshal(m.Extras[routeExtra], &from) != nil || from != route ||
		json.Unmarshal(m.Extras[contentExtra], &pieces) != nil {
		return nil, false
	}
	text, calls := m.Text, m.Calls
	var content []any
	for _, p := range pieces {
		switch {
		case len(p.Raw) > 0:
			content = append(content, p.Raw)
		case p.Blank > 0: // where all of the text is blank, hardening left it out
			text = text[min(p.Blank, len(text)):]
		case p.Text > 0:
			if p.Text > len(text) {
				return nil, false
			}
			content = append(content, &block{Type: "text", Text: text[:p.Text]})
			text = text[p.Text:]
		default:
			if len(calls) == 0 || calls[0].ID != p.Call {
				return nil, false
			}
			content = append(content, call(calls[0]))
			calls = calls[1:]
		}
	}
	return content, text == "" && len(calls) == 0
}
