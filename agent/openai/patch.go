package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"plimsoll/conversation"
)

// A patch is what a request body needs beyond what the library's types can
// say: fields it does not have, content it leaves out when empty, and provider
// fields that are echoed with messages and calls. Applying it keeps all other
// values; keys come out sorted, so equal requests have equal bytes.

// patch completes one chat completions body.
type patch struct {
	top      map[string]any       // fields of the body
	messages map[int]messagePatch // by index in the body's messages
	headers  map[string]string
}

// messagePatch completes one message.
type messagePatch struct {
	fields map[string]conversation.RawJSON
	calls  map[int]conversation.RawJSON // extra_content by index in tool_calls
}

func (p patch) empty() bool { return len(p.top) == 0 && len(p.messages) == 0 }

// apply returns the completed body.
func (p patch) apply(body []byte) ([]byte, error) {
	if p.empty() {
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
	if len(p.messages) > 0 {
		raw, err := p.applyMessages(top["messages"])
		if err != nil {
			return nil, err
		}
		top["messages"] = raw
	}
	return conversation.EncodeJSON(top)
}

func (p patch) applyMessages(raw json.RawMessage) (json.RawMessage, error) {
	var messages []json.RawMessage
	if err := json.Unmarshal(raw, &messages); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	for i, m := range p.messages {
		if i >= len(messages) {
			return nil, fmt.Errorf("there is no message %d", i)
		}
		done, err := m.apply(messages[i])
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		messages[i] = done
	}
	return conversation.EncodeJSON(messages)
}

func (m messagePatch) apply(raw json.RawMessage) (json.RawMessage, error) {
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
