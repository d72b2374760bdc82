package openai

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A request on the Responses wire. Its rules:
//
//   - the provider stores nothing: every request has the whole conversation, and asks for encrypted reasoning
//   - the system prompt is the instructions
//   - a reply goes back to its own model item by item as it came, with the ids of the items, if its text and its calls
//     are unchanged; otherwise without reasoning and ids, because an id without its reasoning is an error 400

// Keys of the extras with a reply's items: all output items in order, or, in logs of older versions, only the reasoning,
// which came before the other items.
const (
	outputItems    = "output_items"
	reasoningItems = "reasoning_items"
)

const reasoningItem = "reasoning"

const betweenMessages = "\n\n"

// outputItem is one item of a reply's output. The message holds texts and arguments, so an outputItem has only their length.
type outputItem struct {
	Item    conversation.RawJSON `json:"item,omitempty"` // sent back unchanged
	ID      string               `json:"id,omitempty"`
	Status  string               `json:"status,omitempty"`
	Phase   string               `json:"phase,omitempty"`
	Text    int                  `json:"text,omitempty"`    // bytes of a message's text
	Refusal int                  `json:"refusal,omitempty"` // bytes of the refusal after the text
	Call    string               `json:"call,omitempty"`    // id of a call
	Args    int                  `json:"args,omitempty"`    // bytes of the call's arguments

	// Used while the reply arrives.
	reasoning bool
	blank     string // the text, if it is blank
}

// Input items that the library has no types for.
type (
	inputMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a text, or parts
		Phase   string `json:"phase,omitempty"`
	}
	outputMessage struct {
		Type    string        `json:"type"`
		Role    string        `json:"role"`
		ID      string        `json:"id"`
		Status  string        `json:"status"`
		Phase   string        `json:"phase,omitempty"`
		Content []contentPart `json:"content"`
	}
	contentPart struct {
		Type        string `json:"type"`
		Text        string `json:"text,omitempty"`
		Refusal     string `json:"refusal,omitempty"`
		Annotations *[]any `json:"annotations,omitempty"` // a text part always has this field
	}
	inputCall struct {
		Type      string `json:"type"`
		ID        string `json:"id,omitempty"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

func (c *Client) responsesBody(r llm.Request, f wireForm) goopenai.CreateResponseRequest {
	no := false
	req := goopenai.CreateResponseRequest{ // the API takes no limit below 16
		Model: r.Model, Instructions: r.System, Tools: responseTools(r.Tools, f.notStrict),
		MaxOutputTokens: max(r.MaxTokens, 16*min(r.MaxTokens, 1)), Store: &no, PromptCacheKey: f.cacheKey, Stream: true, Input: c.inputItems(r, f),
	}
	if f.effort != "" || f.summary {
		req.Reasoning = &goopenai.ResponseReasoning{Effort: f.effort}
	}
	if f.summary {
		req.Reasoning.Summary = "auto"
	}
	if f.cacheDay {
		req.PromptCacheRetention = "24h"
	}
	if f.encrypted {
		req.Include = []goopenai.ResponseInclude{goopenai.ResponseIncludeReasoningEncryptedContent}
	}
	return req
}

func (c *Client) inputItems(r llm.Request, f wireForm) []any {
	modelName := nameOf(c.endpoint, r.Model)
	var items []any
	for i := range r.Messages {
		m := r.Messages[i]
		switch m.Role {
		case projection.RoleTool:
			m.Text = cmp.Or(m.Text, noOutput)
			items = append(items, goopenai.ResponseFunctionCallOutput{Type: "function_call_output", CallID: m.CallID, Output: inputContent(r, &m)})
		case projection.RoleAssistant:
			reply, _ := f.assistantItems(m, modelName)
			items = append(items, reply...)
		default:
			items = append(items, inputMessage{Role: string(m.Role), Content: inputContent(r, &m)})
		}
	}
	return items
}

// inputContent returns the content of a user message or a result: a text, or its images and the text.
func inputContent(r llm.Request, m *projection.Message) any {
	sent, text := r.Content(m)
	if len(sent) == 0 {
		return text
	}
	var parts []any
	for _, image := range sent {
		if image.IsPDF() {
			parts = append(parts, goopenai.ResponseInputFile{Type: "input_file", Filename: path.Base(image.Name), FileData: r.DataURL(image)})
			continue
		}
		parts = append(parts, goopenai.ResponseInputImage{Type: "input_image", Detail: "auto", ImageURL: r.DataURL(image)})
	}
	if text != "" {
		parts = append(parts, goopenai.ResponseInputText{Type: "input_text", Text: text})
	}
	return parts
}

// assistantItems returns the items of a reply, and whether reasoning is among them. A form without strict is of an older
// version. Reasoning that a compaction strips is left out.
func (f wireForm) assistantItems(m projection.Message, modelName string) (items []any, thinks bool) {
	var output []outputItem
	phase := ""
	carries := f.sendsSigned(m, modelName)
	whole := f.echoItems && !m.ReasoningStripped && carries
	if carries && (whole || !f.notStrict) {
		var old []json.RawMessage
		if json.Unmarshal(m.Extras[reasoningItems], &old) == nil {
			for _, k := range old {
				items = append(items, k)
			}
		}
		thinks = len(items) > 0
	}
	if cameFrom(m.Extras, modelName) && f.notStrict && json.Unmarshal(m.Extras[outputItems], &output) == nil {
		if echo, ok := echoedItems(m, output); ok && whole {
			return echo, slices.ContainsFunc(output, func(p outputItem) bool { return len(p.Item) > 0 && p.Text == 0 })
		}
		for _, p := range output {
			phase = cmp.Or(p.Phase, phase)
		}
	}
	if m.Text != "" {
		items = append(items, inputMessage{Role: string(projection.RoleAssistant), Content: m.Text, Phase: phase})
	}
	for _, call := range m.Calls {
		items = append(items, callItem(call, ""))
	}
	return items, thinks
}

// echoedItems returns the items of a reply as they came, false if its text or its calls have changed.
func echoedItems(m projection.Message, output []outputItem) ([]any, bool) {
	text, calls := m.Text, m.Calls
	var items []any
	for _, p := range output {
		switch {
		case len(p.Item) > 0 && (p.Text == 0 || m.Text == ""): // blank text is left out of messages with calls
			items = append(items, p.Item)
		case p.Call != "":
			if len(calls) == 0 || calls[0].ID != p.Call || len(calls[0].Arguments) != p.Args {
				return nil, false
			}
			items = append(items, callItem(calls[0], p.ID))
			calls = calls[1:]
		default:
			if len(text) < len(m.Text) {
				text = strings.TrimPrefix(text, betweenMessages)
			}
			if p.Text+p.Refusal > len(text) {
				return nil, false
			}
			items = append(items, p.message(text))
			text = text[p.Text+p.Refusal:]
		}
	}
	return items, text == "" && len(calls) == 0 && len(items) > 0
}

// message returns the item of a message whose text is at the beginning of text.
func (p outputItem) message(text string) any {
	content, refused := text[:p.Text], text[p.Text:p.Text+p.Refusal]
	if p.ID == "" {
		return inputMessage{Role: string(projection.RoleAssistant), Content: content + refused, Phase: p.Phase}
	}
	m := outputMessage{Type: "message", Role: string(projection.RoleAssistant), ID: p.ID, Status: cmp.Or(p.Status, "completed"), Phase: p.Phase, Content: []contentPart{}}
	if content != "" {
		m.Content = append(m.Content, contentPart{Type: "output_text", Text: content, Annotations: &[]any{}})
	}
	if refused != "" {
		m.Content = append(m.Content, contentPart{Type: "refusal", Refusal: refused})
	}
	return m
}

func callItem(c conversation.ToolCall, id string) inputCall {
	return inputCall{Type: "function_call", ID: id, CallID: c.ID, Name: c.Name, Arguments: arguments(c.Arguments)}
}

// responseTools returns the tools. The API's default is a strict schema, which has no optional parameters; ours have some.
// Bodies of older forms leave the field out.
func responseTools(specs []conversation.ToolSpec, strict bool) []goopenai.ResponseTool {
	var out []goopenai.ResponseTool
	for _, s := range specs {
		tool := goopenai.NewResponseFunctionTool(goopenai.FunctionDefinition{
			Name: s.Name, Description: s.Description, Parameters: parameters(s),
		})
		if strict {
			tool.Parameters["strict"] = false
		}
		out = append(out, tool)
	}
	return out
}
