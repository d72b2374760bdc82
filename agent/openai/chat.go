package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// A request on the chat completions wire. Its rules:
//
//   - the model's name, the reply's bound and everything the library has no
//     field for are added to what its types make
//   - every message has content, every call has arguments
//   - temperature is never sent
//   - fields to echo go back only to the route they came from

const (
	noOutput     = "(no output)"
	noParameters = `{"type":"object","properties":{}}`
	// anySignature is what Gemini takes where a call of another model has none.
	anySignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
)

// chat is the body of a request. Its keys are sorted.
func (c *Client) chat(r llm.Request, f bodyForm) ([]byte, error) {
	req := goopenai.ChatCompletionRequest{Tools: chatTools(r.Tools), Stream: true}
	if f.usage {
		req.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	if f.effortNone {
		req.ReasoningEffort = goopenai.ReasoningEffortNone
	}
	extra := map[string]any{"model": r.Model}
	if r.MaxTokens > 0 {
		extra[f.limitField()] = r.MaxTokens
	}
	if f.key != "" {
		extra["prompt_cache_key"] = f.key
	}
	if f.effort != "" {
		extra["reasoning_effort"] = f.effort
	}
	if f.day {
		extra["prompt_cache_retention"] = "24h"
	}
	if f.progress {
		extra["return_progress"] = true
	}
	messages, err := f.chatMessages(r, routeOf(c.who, r.Model))
	if err != nil {
		return nil, err
	}
	if messages != nil {
		extra["messages"] = messages
	}
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	return laidOver(raw, extra)
}

// laidOver is an object with further fields, or others. Its keys are sorted.
func laidOver(object []byte, over map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(object, &fields)
	for name, value := range over {
		if err == nil {
			fields[name], err = conversation.EncodeJSON(value)
		}
	}
	if err != nil {
		return nil, err
	}
	return conversation.EncodeJSON(fields)
}

// chatMessages is the messages of a request, each as JSON. With breakpoints of the cache, a message that has one has its
// text in a part that carries it.
func (f bodyForm) chatMessages(r llm.Request, route string) (out []json.RawMessage, err error) {
	size := len(r.System)
	for _, t := range r.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	add := func(m goopenai.ChatCompletionMessage, over map[string]any, mark bool) error {
		if mark && f.marks && size >= anthropic.LeastCached && m.Content != "" {
			over["content"] = f.markedText(m.Content)
		}
		raw, err := m.MarshalJSON()
		if err == nil && len(over) > 0 {
			raw, err = laidOver(raw, over)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", len(out), err)
		}
		out = append(out, raw)
		return nil
	}
	if r.System != "" {
		if err := add(goopenai.ChatCompletionMessage{Role: "system", Content: r.System}, map[string]any{}, true); err != nil {
			return nil, err
		}
	}
	marks := promptcache.Marks(r.Messages)
	from := projection.Capabilities{EchoReasoning: f.reasoning, EchoLoop: f.loop}.EchoFrom(r.Messages)
	for i, m := range r.Messages {
		size += len(m.Text)
		for _, c := range m.Calls {
			size += len(c.Name) + len(c.Arguments)
		}
		m = f.echoed(m, route, i >= from)
		message := f.chatMessage(m)
		over, err := f.further(m, message.ToolCalls, r.Model, route)
		if err == nil {
			err = add(message, over, m.Role != projection.RoleAssistant && slices.Contains(marks, i))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

type textPart struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Cache struct {
		Type string `json:"type"`
		TTL  string `json:"ttl,omitempty"`
	} `json:"cache_control"`
}

func (f bodyForm) markedText(text string) []textPart {
	p := textPart{Type: "text", Text: text}
	if p.Cache.Type = "ephemeral"; f.hour {
		p.Cache.TTL = "1h"
	}
	return []textPart{p}
}

func (f bodyForm) limitField() string {
	if f.completion {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// cacheHeader is the header by which an endpoint finds its cache again, nil for none.
func (c *Client) cacheHeader(r llm.Request) map[string]string {
	if c.who.CacheHeader == "" || r.Conversation == "" {
		return nil
	}
	return map[string]string{c.who.CacheHeader: r.Conversation}
}

func (f bodyForm) chatMessage(m projection.Message) goopenai.ChatCompletionMessage {
	out := goopenai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
	switch m.Role {
	case projection.RoleTool:
		out.ToolCallID = m.CallID
		if out.Content == "" {
			out.Content = noOutput
		}
	case projection.RoleAssistant:
		if f.as == "" {
			out.ReasoningContent = m.Reasoning
		}
		for _, call := range m.Calls {
			out.ToolCalls = append(out.ToolCalls, goopenai.ToolCall{
				ID: call.ID, Type: goopenai.ToolTypeFunction,
				Function: goopenai.FunctionCall{Name: call.Name, Arguments: arguments(call.Arguments)},
			})
		}
	}
	return out
}

// echoed is a message with the reasoning that goes back with it, none if it does not go back.
func (f bodyForm) echoed(m projection.Message, route string, goes bool) projection.Message {
	if f.own && !m.CameFrom(route) {
		m.Reasoning = ""
	}
	switch {
	case m.Role != projection.RoleAssistant:
	case !goes:
		m.Reasoning = ""
	case m.Reasoning == "":
		if f.blank && len(m.Calls) > 0 {
			m.Reasoning = " " // some refuse an empty one like none
		}
	case f.as == asThink:
		m.Text, m.Reasoning = thinkOpen+"\n"+strings.TrimSpace(m.Reasoning)+"\n"+thinkClose+"\n\n"+m.Text, ""
	case f.as == asText:
		m.Text, m.Reasoning = strings.TrimSpace(m.Reasoning)+"\n\n"+m.Text, ""
	}
	return m
}

// further is what a message needs beyond the library's type.
func (f bodyForm) further(m projection.Message, calls []goopenai.ToolCall, model, route string) (map[string]any, error) {
	over := map[string]any{}
	if m.Role == projection.RoleTool {
		return over, nil
	}
	if m.Text == "" {
		if over["content"] = ""; len(m.Calls) > 0 && f.null {
			over["content"] = nil
		}
	}
	if m.Role != projection.RoleAssistant {
		return over, nil
	}
	if m.Reasoning != "" && f.as != "" {
		over[f.as] = m.Reasoning
	}
	if f.carries(m, route) {
		for _, name := range [...]string{"reasoning_details", "extra_content"} {
			if v := m.Extras[name]; json.Valid(v) {
				over[name] = json.RawMessage(v)
			}
		}
	}
	signed := f.signed(m, model, route)
	if len(signed) == 0 {
		return over, nil
	}
	var all []json.RawMessage
	for i, c := range calls {
		raw, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		further := map[string]any{}
		if extra, ok := signed[i]; ok {
			further["extra_content"] = json.RawMessage(extra)
		}
		if raw, err = laidOver(raw, further); err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	over["tool_calls"] = all
	return over, nil
}

// carries reports whether what is signed or encrypted goes back with a reply: by the route it came by, with a message that
// no overlay shaped, and where the server did not refuse it.
func (f bodyForm) carries(m projection.Message, route string) bool {
	return from(m.Extras, route) && (f.after == 0 || len(m.Events) > 0 && m.Events[len(m.Events)-1] > f.after) && (!f.own || m.Overlay == 0)
}

// signed is the extra_content to send with each call: what came with it,
// or what Gemini takes for the first call of a message from elsewhere.
func (f bodyForm) signed(m projection.Message, model, route string) map[int]conversation.RawJSON {
	out := map[int]conversation.RawJSON{}
	if f.carries(m, route) {
		for i, call := range m.Calls {
			if len(call.Extra) > 0 && json.Valid(call.Extra) {
				out[i] = call.Extra
			}
		}
	}
	if len(out) == 0 && len(m.Calls) > 0 && f.signatures && !strings.HasPrefix(model, "gemini-2") {
		out[0] = conversation.RawJSON(anySignature)
	}
	return out
}

func chatTools(specs []conversation.ToolSpec) []goopenai.Tool {
	var out []goopenai.Tool
	for _, s := range specs {
		out = append(out, goopenai.Tool{
			Type:     goopenai.ToolTypeFunction,
			Function: &goopenai.FunctionDefinition{Name: s.Name, Description: s.Description, Parameters: parameters(s)},
		})
	}
	return out
}

// parameters is a tool's schema; some servers refuse a tool without one.
func parameters(s conversation.ToolSpec) conversation.RawJSON {
	if len(s.Parameters) == 0 {
		return conversation.RawJSON(noParameters)
	}
	return s.Parameters
}

func arguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	return args
}
