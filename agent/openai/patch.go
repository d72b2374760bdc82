package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// A patch is what a request body needs beyond what the library's types can
// say: fields it does not have, content it leaves out when empty, and provider
// fields that are echoed with messages and calls. Applying it keeps all other
// values; keys come out sorted, so equal requests have equal bytes. The messages
// are encoded apart and go in last, so that all else passes over a small body.

// patch completes one body.
type patch struct {
	top     map[string]any // fields of the body
	list    string         // the field of the messages, which the library leaves null
	items   [][]byte       // the messages, each as JSON
	headers map[string]string
}

// messagePatch completes one message.
type messagePatch struct {
	fields map[string]conversation.RawJSON
	calls  map[int]conversation.RawJSON // extra_content by index in tool_calls
}

// apply returns the body with its fields.
func (p patch) apply(body []byte) ([]byte, error) {
	if len(p.top) == 0 {
		return body, nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, err
	}
	for name, value := range p.top {
		raw, err := conversation.EncodeJSON(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		top[name] = raw
	}
	return conversation.EncodeJSON(top)
}

// fill returns the body with its messages, unless the user's own fields have others.
func (p patch) fill(body []byte) ([]byte, error) {
	if len(p.items) == 0 {
		return body, nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	for _, err := dec.Token(); ; {
		var value json.RawMessage
		if err != nil || !dec.More() {
			return body, err
		}
		name, _ := dec.Token() // a wrong one fails the value
		if err = dec.Decode(&value); err == nil && name == p.list && string(value) == nullContent {
			end := dec.InputOffset()
			return slices.Concat(body[:end-int64(len(value))], []byte("["), bytes.Join(p.items, []byte(",")), []byte("]"), body[end:]), nil
		}
	}
}

func (m messagePatch) apply(raw []byte) ([]byte, error) {
	if len(m.fields) == 0 && len(m.calls) == 0 {
		return raw, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for name, value := range m.fields {
		fields[name] = json.RawMessage(value)
	}
	if len(m.calls) > 0 {
		var calls []map[string]json.RawMessage
		if err := json.Unmarshal(fields["tool_calls"], &calls); err != nil {
			return nil, fmt.Errorf("tool_calls: %w", err)
		}
		for i, extra := range m.calls {
			calls[i]["extra_content"] = json.RawMessage(extra)
		}
		done, err := conversation.EncodeJSON(calls)
		if err != nil {
			return nil, err
		}
		fields["tool_calls"] = done
	}
	return conversation.EncodeJSON(fields)
}

// mergedBody is the objects that are merged into each request as one, "" for nothing.
func mergedBody(objects []string) string {
	merged := json.RawMessage("{}")
	for _, o := range objects {
		if m, err := mergeJSON(merged, json.RawMessage(o)); err == nil { // the configuration has nothing else
			merged = m
		}
	}
	if text := strings.TrimSpace(string(merged)); text != "{}" {
		return text
	}
	return ""
}

// mergeJSON lays one value over another: objects field by field, whatever else as a whole.
func mergeJSON(below, above json.RawMessage) (json.RawMessage, error) {
	var under, over map[string]json.RawMessage
	if json.Unmarshal(below, &under) != nil || json.Unmarshal(above, &over) != nil || under == nil || over == nil {
		return above, nil
	}
	for name, value := range over {
		merged, err := mergeJSON(under[name], value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		under[name] = merged
	}
	return conversation.EncodeJSON(under)
}
