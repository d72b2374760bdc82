package openai

import (
	"encoding/json"
	"fmt"
	"path"
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
//   - go-openai's types produce the JSON; the model's name, the reply's token limit and all fields that those types
//     lack are added to it
//   - every message has content, every call has arguments
//   - temperature is never sent
//   - signed and encrypted fields are sent back only to the model (provider/id) that they came from

const (
	noOutput     = "(no output)"
	noParameters = `{"type":"object","properties":{}}`
	// anySignature is the extra_content that Gemini accepts for a call that another model made.
	anySignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
)

// chatBody returns the body of a request. Its keys are sorted.
func (c *Client) chatBody(r llm.Request, f wireForm) ([]byte, error) {
	req := goopenai.ChatCompletionRequest{Tools: chatTools(r.Tools), Stream: true}
	if f.usage {
		req.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	if f.effortNone {
		req.ReasoningEffort = goopenai.ReasoningEffortNone
	}
	extra := map[string]any{"model": r.Model}
	if r.MaxTokens > 0 {
		limit := "max_tokens"
		if f.maxCompletion {
			limit = "max_completion_tokens"
		}
		extra[limit] = r.MaxTokens
	}
	if f.cacheKey != "" {
		extra["prompt_cache_key"] = f.cacheKey
	}
	if f.effort != "" {
		extra["reasoning_effort"] = f.effort
	}
	if f.cacheDay {
		extra["prompt_cache_retention"] = "24h"
	}
	if f.progress {
		extra["return_progress"] = true
	}
	messages, err := f.chatMessages(r, nameOf(c.endpoint, r.Model))
	if err != nil {
		return nil, err
	}
	extra["messages"] = messages
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	return withFields(raw, extra)
}

// withFields returns a JSON object with fields added or replaced. Its keys are sorted.
func withFields(object []byte, added map[string]any) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(object, &fields)
	for name, value := range added {
		if err == nil {
			fields[name], err = conversation.EncodeJSON(value)
		}
	}
	if err != nil {
		return nil, err
	}
	return conversation.EncodeJSON(fields)
}

// chatMessages returns the messages of a request, each as JSON. A message with a cache breakpoint has its text in a
// content part, because only a part can carry the breakpoint.
func (f wireForm) chatMessages(r llm.Request, modelName string) (out []json.RawMessage, err error) {
	size := len(r.System) // of the prompt so far, in bytes: a short prefix is not cached
	for _, t := range r.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	add := func(m goopenai.ChatCompletionMessage, images []any, extra map[string]any, breakpoint bool) error {
		breakpoint = breakpoint && f.breakpoints && size >= anthropic.MinCachedBytes && m.Content != ""
		if breakpoint || len(images) > 0 {
			extra["content"] = f.contentParts(images, m.Content, breakpoint)
		}
		raw, err := m.MarshalJSON()
		if err == nil && len(extra) > 0 {
			raw, err = withFields(raw, extra)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", len(out), err)
		}
		out = append(out, raw)
		return nil
	}
	if r.System != "" {
		system := goopenai.ChatCompletionMessage{Role: "system", Content: r.System}
		if err := add(system, nil, map[string]any{}, true); err != nil {
			return nil, err
		}
	}
	r.Messages = withResultImages(r)
	breakpoints := promptcache.BreakpointIndexes(r.Messages)
	reasoningFrom := projection.Capabilities{EchoReasoning: f.reasoning, EchoLoop: f.reasoningLoop}.EchoFrom(r.Messages)
	for i, m := range r.Messages {
		size += len(m.Text)
		for _, c := range m.Calls {
			size += len(c.Name) + len(c.Arguments)
		}
		var images []any
		sent, text := r.Content(&m)
		m.Text = text
		for _, image := range sent {
			images = append(images, newImagePart(image, r.DataURL(image)))
		}
		m = f.withReasoning(m, modelName, i >= reasoningFrom)
		message := f.chatMessage(m)
		extra, err := f.extraFields(m, message.ToolCalls, r.Model, modelName)
		if err == nil {
			err = add(message, images, extra, m.Role != projection.RoleAssistant && slices.Contains(breakpoints, i))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// withResultImages moves the images of tool results into the user message that follows, because on this wire results
// are text only. It adds a user message where none follows.
func withResultImages(r llm.Request) (out []projection.Message) {
	var images []conversation.Image
	place := func(next *projection.Message) {
		if len(images) > 0 && (next == nil || next.Role != projection.RoleUser) {
			out = append(out, projection.Message{Role: projection.RoleUser, Text: resultImagesText, Images: images})
		} else if len(images) > 0 {
			next.Images = slices.Concat(images, next.Images)
		}
		images = nil
	}
	for _, m := range r.Messages {
		if m.Role != projection.RoleTool {
			place(&m)
		} else if len(m.Images) > 0 {
			sent, text := r.Content(&m)
			images = append(images, sent...)
			m.Text, m.Images = text, nil
		}
		out = append(out, m)
	}
	place(nil)
	return out
}

// resultImagesText accompanies images of results. It never changes, so that recorded requests can be rebuilt.
const resultImagesText = "[the images of the results above]"

// textPart is the text of a message that also has images or a cache breakpoint.
type textPart struct {
	Type  string                  `json:"type"`
	Text  string                  `json:"text"`
	Cache *anthropic.CacheControl `json:"cache_control,omitempty"`
}

// imagePart is an image or a file, as a data URL.
type imagePart struct {
	Type  string    `json:"type"`
	Image *imageURL `json:"image_url,omitempty"`
	File  *fileData `json:"file,omitempty"`
}

type (
	imageURL struct {
		URL string `json:"url"`
	}
	fileData struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	}
)

func newImagePart(m conversation.Image, url string) imagePart {
	if m.IsPDF() {
		return imagePart{Type: "file", File: &fileData{path.Base(m.Name), url}}
	}
	return imagePart{Type: "image_url", Image: &imageURL{url}}
}

// contentParts returns images followed by a text. An empty text is left out.
func (f wireForm) contentParts(images []any, text string, breakpoint bool) []any {
	p := textPart{Type: "text", Text: text}
	if breakpoint {
		p.Cache = anthropic.NewCacheControl(f.cacheHour)
	}
	if text == "" {
		return images
	}
	return append(images, p)
}

func (f wireForm) chatMessage(m projection.Message) goopenai.ChatCompletionMessage {
	out := goopenai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text}
	switch m.Role {
	case projection.RoleTool:
		out.ToolCallID = m.CallID
		if out.Content == "" {
			out.Content = noOutput
		}
	case projection.RoleAssistant:
		if f.reasoningAs == "" {
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

// withReasoning returns a message with its reasoning in the place that the endpoint reads, or without it if not sent.
func (f wireForm) withReasoning(m projection.Message, modelName string, sent bool) projection.Message {
	if f.ownReasoning && !m.CameFrom(modelName) {
		m.Reasoning = ""
	}
	switch {
	case m.Role != projection.RoleAssistant:
	case !sent:
		m.Reasoning = ""
	case m.Reasoning == "":
		if f.blankReasoning && len(m.Calls) > 0 {
			m.Reasoning = " " // some endpoints refuse an empty string as well
		}
	case f.reasoningAs == asThink:
		m.Text, m.Reasoning = thinkOpen+"\n"+strings.TrimSpace(m.Reasoning)+"\n"+thinkClose+"\n\n"+m.Text, ""
	case f.reasoningAs == asText:
		m.Text, m.Reasoning = strings.TrimSpace(m.Reasoning)+"\n\n"+m.Text, ""
	}
	return m
}

// extraFields returns the JSON fields of a message that the library's type lacks.
func (f wireForm) extraFields(
	m projection.Message, calls []goopenai.ToolCall, model, modelName string,
) (map[string]any, error) {
	extra := map[string]any{}
	if m.Role == projection.RoleTool {
		return extra, nil
	}
	if m.Text == "" {
		if extra["content"] = ""; len(m.Calls) > 0 && f.nullContent {
			extra["content"] = nil
		}
	}
	if m.Role != projection.RoleAssistant {
		return extra, nil
	}
	if m.Reasoning != "" && f.reasoningAs != "" {
		extra[f.reasoningAs] = m.Reasoning
	}
	if f.sendsSigned(m, modelName) {
		for _, name := range [...]string{"reasoning_details", "extra_content"} {
			if v := m.Extras[name]; json.Valid(v) {
				extra[name] = json.RawMessage(v)
			}
		}
	}
	signed := f.callExtras(m, model, modelName)
	if len(signed) == 0 {
		return extra, nil
	}
	var all []json.RawMessage
	for i, c := range calls {
		raw, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		fields := map[string]any{}
		if content, ok := signed[i]; ok {
			fields["extra_content"] = json.RawMessage(content)
		}
		if raw, err = withFields(raw, fields); err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	extra["tool_calls"] = all
	return extra, nil
}

// sendsSigned reports whether the signed or encrypted fields of a reply are sent back: only to its own model, only if
// no overlay changed the reply, and only if the server has not refused them before.
func (f wireForm) sendsSigned(m projection.Message, modelName string) bool {
	if !cameFrom(m.Extras, modelName) || f.ownReasoning && m.Overlay != 0 {
		return false
	}
	return f.signedAfter == 0 || len(m.Events) > 0 && m.Events[len(m.Events)-1] > f.signedAfter
}

// callExtras returns the extra_content to send with each call, by the call's index. It is what came with the call. If
// none came, as from another model, the first call gets the signature that Gemini accepts.
func (f wireForm) callExtras(m projection.Message, model, modelName string) map[int]conversation.RawJSON {
	out := map[int]conversation.RawJSON{}
	if f.sendsSigned(m, modelName) {
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

// parameters returns a tool's schema, an empty one if it has none: some servers refuse a tool without a schema.
func parameters(s conversation.ToolSpec) conversation.RawJSON {
	if len(s.Parameters) == 0 {
		return conversation.RawJSON(noParameters)
	}
	return s.Parameters
}

// arguments returns a call's arguments, an empty object if it has none.
func arguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	return args
}
