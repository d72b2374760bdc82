package openai

import (
	"bytes"
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
	emptyContent = `""`
	nullContent  = "null"
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
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for name, value := range extra {
		if fields[name], err = conversation.EncodeJSON(value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if messages != nil {
		fields["messages"] = slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
	}
	return conversation.EncodeJSON(fields)
}

// chatMessages is the messages of a request, each as JSON.
func (f bodyForm) chatMessages(r llm.Request, route string) ([][]byte, error) {
	var messages []goopenai.ChatCompletionMessage
	patches := map[int]messagePatch{} // by index in messages
	if r.System != "" {
		messages = append(messages, goopenai.ChatCompletionMessage{Role: "system", Content: r.System})
	}
	from := projection.Capabilities{EchoReasoning: f.reasoning, EchoLoop: f.loop}.EchoFrom(r.Messages)
	for i, m := range r.Messages {
		m = f.echoed(m, route, i >= from)
		mp := f.messagePatch(m, r.Model, route)
		if len(mp.fields) > 0 || len(mp.calls) > 0 {
			patches[len(messages)] = mp
		}
		messages = append(messages, f.chatMessage(m))
	}
	if f.marks {
		f.mark(patches, messages, r)
	}
	var out [][]byte
	for i, m := range messages {
		raw, err := m.MarshalJSON()
		if err == nil {
			raw, err = patches[i].apply(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		out = append(out, raw)
	}
	return out, nil
}

// messagePatch is what a message needs beyond the library's type. Applying it sorts the keys.
type messagePatch struct {
	fields map[string]conversation.RawJSON
	calls  map[int]conversation.RawJSON // extra_content by index in tool_calls
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

// mark sets the cache breakpoints of a body: a message with one has its text in a part that carries it.
func (f bodyForm) mark(patches map[int]messagePatch, messages []goopenai.ChatCompletionMessage, r llm.Request) {
	kind := `{"type":"ephemeral"}`
	if f.hour {
		kind = `{"type":"ephemeral","ttl":"1h"}`
	}
	first, size := 0, len(r.System)
	for _, t := range r.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	set := func(i int) {
		if size < anthropic.LeastCached || messages[i].Content == "" {
			return
		}
		text, err := conversation.EncodeJSON(messages[i].Content)
		if err != nil {
			return // a text is always JSON
		}
		mp := patches[i]
		if mp.fields == nil {
			mp.fields = map[string]conversation.RawJSON{}
		}
		mp.fields["content"] = conversation.RawJSON(`[{"type":"text","text":` + strings.TrimSpace(string(text)) + `,"cache_control":` + kind + `}]`)
		patches[i] = mp
	}
	if r.System != "" {
		set(0)
		first = 1
	}
	next := 0
	for _, last := range promptcache.Marks(r.Messages) {
		for ; next <= last; next++ {
			m := &r.Messages[next]
			size += len(m.Text)
			for _, c := range m.Calls {
				size += len(c.Name) + len(c.Arguments)
			}
		}
		if r.Messages[last].Role != projection.RoleAssistant {
			set(first + last)
		}
	}
}

// limitField is the name under which the endpoint takes the reply's bound.
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

// messagePatch is what a message needs beyond the library's type.
func (f bodyForm) messagePatch(m projection.Message, model, route string) messagePatch {
	var p messagePatch
	if m.Role == projection.RoleTool {
		return p
	}
	set := func(name, value string) {
		if p.fields == nil {
			p.fields = map[string]conversation.RawJSON{}
		}
		p.fields[name] = conversation.RawJSON(value)
	}
	if m.Text == "" {
		set("content", emptyContent)
		if len(m.Calls) > 0 && f.null {
			set("content", nullContent)
		}
	}
	if m.Role != projection.RoleAssistant {
		return p
	}
	if text, err := conversation.EncodeJSON(m.Reasoning); err == nil && m.Reasoning != "" && f.as != "" {
		set(f.as, strings.TrimSpace(string(text)))
	}
	if f.carries(m, route) {
		for _, name := range [...]string{"reasoning_details", "extra_content"} {
			if v := m.Extras[name]; json.Valid(v) {
				set(name, string(v))
			}
		}
	}
	p.calls = f.signed(m, model, route)
	return p
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
