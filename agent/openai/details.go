package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// OpenRouter streams reasoning_details in pieces and wants the whole list back
// with the message. Pieces of one entry have the same type and index and
// follow each other; their texts are appended, their other fields replaced.

// detail is an entry of reasoning_details with all its fields, or a piece.
type detail map[string]json.RawMessage

// appended are the fields whose pieces are put one behind the other.
var appended = []string{"text", "summary", "data"}

func (d detail) word(name string) string {
	var w word
	_ = w.UnmarshalJSON(d[name]) // never fails
	return string(w)
}

func (d detail) words() string { return d.word("text") + d.word("summary") }

func (d detail) continues(last detail) bool {
	return d.word("type") == last.word("type") && string(d["index"]) == string(last["index"])
}

type detailList struct {
	entries []entry
	size    int // bytes kept
}

type entry struct {
	fields detail                      // without those that are appended
	texts  map[string]*strings.Builder // those that are appended
}

func (l *detailList) add(pieces []detail) {
	for _, p := range pieces {
		if len(p) == 0 {
			continue
		}
		if n := len(l.entries); n == 0 || !p.continues(l.entries[n-1].fields) {
			l.entries = append(l.entries, entry{fields: detail{}, texts: map[string]*strings.Builder{}})
		}
		last := l.entries[len(l.entries)-1]
		for name, value := range p {
			l.size += len(value)
			last.add(name, value)
		}
	}
}

func (e entry) add(name string, value json.RawMessage) {
	var w word
	_ = w.UnmarshalJSON(value) // never fails
	switch {
	case slices.Contains(appended, name) && w != "":
		if e.texts[name] == nil {
			e.texts[name] = &strings.Builder{}
		}
		e.texts[name].WriteString(string(w))
	case string(value) != "null" || e.fields[name] == nil:
		e.fields[name] = value
	}
}

func (l *detailList) json() conversation.RawJSON {
	if len(l.entries) == 0 {
		return nil
	}
	list := make([]map[string]any, len(l.entries))
	for i, e := range l.entries {
		list[i] = map[string]any{}
		for name, value := range e.fields {
			list[i][name] = value
		}
		for name, text := range e.texts {
			list[i][name] = text.String()
		}
	}
	raw, err := conversation.EncodeJSON(list)
	if err != nil {
		return nil // its fields were decoded from JSON
	}
	return conversation.RawJSON(raw)
}

// Signatures and encrypted reasoning are bound to the model that made them:
// sent to another they are an error 400. Therefore a message's extras say which
// route they came by, under routeExtra, and go back only there.

// routeExtra is the name under which extras name their route. It is never sent.
const routeExtra = "plimsoll_route"

func routeOf(who endpoint, model string) string { return who.Name + "/" + model }

func withRoute(extras map[string]conversation.RawJSON, route string) map[string]conversation.RawJSON {
	name, err := json.Marshal(route)
	if err != nil {
		return nil // a string always has a JSON form
	}
	extras[routeExtra] = name
	return extras
}

func from(extras map[string]conversation.RawJSON, route string) bool {
	var name string
	return json.Unmarshal(extras[routeExtra], &name) == nil && name == route
}
