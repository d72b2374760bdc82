package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// OpenRouter streams reasoning_details in pieces and wants the whole list back with the message. The pieces of one entry
// follow each other and have the same type and index. Their texts are appended, their other fields replaced.

// detail is an entry of reasoning_details with all its fields, or a piece of one.
type detail map[string]json.RawMessage

// appended are the fields whose pieces are joined.
var appended = []string{"text", "summary", "data"}

func (d detail) text(name string) string {
	var w looseString
	_ = w.UnmarshalJSON(d[name]) // never fails
	return string(w)
}

// detailList joins pieces to entries.
type detailList struct {
	entries []entry
	size    int // bytes kept
}

type entry struct {
	fields detail                      // fields that are replaced
	texts  map[string]*strings.Builder // fields that are appended
}

func (l *detailList) add(pieces []detail) {
	for _, p := range pieces {
		if len(p) == 0 {
			continue
		}
		sameEntry := func(e entry) bool {
			return p.text("type") == e.fields.text("type") && string(p["index"]) == string(e.fields["index"])
		}
		if n := len(l.entries); n == 0 || !sameEntry(l.entries[n-1]) {
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
	var w looseString
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

// json returns the whole list, nil if it is empty.
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
	raw, _ := conversation.EncodeJSON(list) // its fields were decoded from JSON
	return raw
}

// Signatures and encrypted reasoning are bound to the model that made them: another model answers them with error 400.
// So the extras of a message name the model (provider/id) that it came from, and they go back only to that.

// modelExtra is the key of the model's name in a message's extras. It is never sent.
const modelExtra = "plimsoll_route"

func nameOf(e endpoint, model string) string { return e.Name + "/" + model }

func withModel(extras map[string]conversation.RawJSON, modelName string) map[string]conversation.RawJSON {
	extras[modelExtra], _ = json.Marshal(modelName) // strings always have a JSON form
	return extras
}

func cameFrom(extras map[string]conversation.RawJSON, modelName string) bool {
	var name string
	return json.Unmarshal(extras[modelExtra], &name) == nil && name == modelName
}
