package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A request on the Responses wire. Its rules:
//
//   - nothing is stored at the provider: every request carries the whole
//     conversation, and asks for its reasoning in encrypted form
//   - the system prompt is the instructions
//   - a reply goes back item by item as it came, with the ids of the items, to the
//     model that it came from and while its text and its calls are what they were;
//     else without reasoning and without ids, because an id without the reasoning
//     that belongs to it is an error 400

// Names under which extras keep items of a reply: its output in order, and what
// older versions kept, the reasoning that stood before all else.
const (
	outputItems    = "output_items"
	reasoningItems = "reasoning_items"
)

const reasoningItem = "reasoning"

const betweenMessages = "\n\n"

// piece is one item of a reply's output. Texts and arguments stand in the message, so
// a piece has their length.
type piece struct {
	Item    conversation.RawJSON `json:"item,omitempty"` // goes back as it came
	ID      string               `json:"id,omitempty"`
	Status  string               `json:"status,omitempty"`
	Phase   string               `json:"phase,omitempty"`
	Text    int                  `json:"text,omitempty"`    // bytes of a message's text
	Refusal int                  `json:"refusal,omitempty"` // and of the refusal behind it
	Call    string               `json:"call,omitempty"`    // id of a call
	Args    int                  `json:"args,omitempty"`    // bytes of its arguments

	// Of a reply that arrives.
	reasoning bool
	blank     string // the text, if it is blank
}

// Items of the input that the library has no types for.
type (
	inputMessage struct {
		Role    string `json:"role"`
		Content string `json:"content"`
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
		Annotations *[]any `json:"annotations,omitempty"` // which a text has even where there are none
	}
	inputCall struct {
		Type      string `json:"type"`
		ID        string `json:"id,omitempty"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

func (c *Client) response(r llm.Request, f bodyForm) goopenai.CreateResponseRequest {
	no := false
	req := goopenai.CreateResponseRequest{
		Model: r.Model, Instructions: r.System, Tools: responseTools(r.Tools, f.strict),
		MaxOutputTokens: r.MaxTokens, Store: &no, PromptCacheKey: f.key, Stream: true, Input: c.input(r, f),
	}
	if f.effort != "" || f.summary {
		req.Reasoning = &goopenai.ResponseReasoning{Effort: f.effort}
	}
	if f.summary {
		req.Reasoning.Summary = "auto"
	}
	if f.day {
		req.PromptCacheRetention = "24h"
	}
	if f.encrypted {
		req.Include = []goopenai.ResponseInclude{goopenai.ResponseIncludeReasoningEncryptedContent}
	}
	return req
}

func (c *Client) input(r llm.Request, f bodyForm) []any {
	route := routeOf(c.who, r.Model)
	var items []any
	for _, m := range r.Messages {
		switch m.Role {
		case projection.RoleTool:
			out := m.Text
			if out == "" {
				out = noOutput
			}
			items = append(items, goopenai.ResponseFunctionCallOutput{Type: "function_call_output", CallID: m.CallID, Output: out})
		case projection.RoleAssistant:
			reply, _ := f.assistantItems(m, route)
			items = append(items, reply...)
		default:
			items = append(items, inputMessage{Role: string(m.Role), Content: m.Text})
		}
	}
	return items
}

// assistantItems are the items of a reply, and whether reasoning is among them. A form that is not strict is of an older
// version. Reasoning that a compaction strips stays behind.
func (f bodyForm) assistantItems(m projection.Message, route string) (items []any, thinks bool) {
	var pieces []piece
	phase := ""
	carries := f.carries(m, route)
	whole := f.items && !m.Stripped && carries
	if carries && (whole || !f.strict) {
		var old []json.RawMessage
		if json.Unmarshal(m.Extras[reasoningItems], &old) == nil {
			for _, k := range old {
				items = append(items, k)
			}
		}
		thinks = len(items) > 0
	}
	if from(m.Extras, route) && f.strict && json.Unmarshal(m.Extras[outputItems], &pieces) == nil {
		if echo, ok := echoedItems(m, pieces); ok && whole {
			return echo, slices.ContainsFunc(pieces, func(p piece) bool { return len(p.Item) > 0 && p.Text == 0 })
		}
		for _, p := range pieces {
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

// echoedItems are the items of a reply as they came, false where its text or its calls are not what they were.
func echoedItems(m projection.Message, pieces []piece) ([]any, bool) {
	text, calls := m.Text, m.Calls
	var items []any
	for _, p := range pieces {
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

func (p piece) message(text string) any {
	said, refused := text[:p.Text], text[p.Text:p.Text+p.Refusal]
	if p.ID == "" {
		return inputMessage{Role: string(projection.RoleAssistant), Content: said + refused, Phase: p.Phase}
	}
	m := outputMessage{Type: "message", Role: string(projection.RoleAssistant), ID: p.ID, Status: cmp.Or(p.Status, "completed"), Phase: p.Phase, Content: []contentPart{}}
	if said != "" {
		m.Content = append(m.Content, contentPart{Type: "output_text", Text: said, Annotations: &[]any{}})
	}
	if refused != "" {
		m.Content = append(m.Content, contentPart{Type: "refusal", Refusal: refused})
	}
	return m
}

func callItem(c conversation.ToolCall, id string) inputCall {
	return inputCall{Type: "function_call", ID: id, CallID: c.ID, Name: c.Name, Arguments: arguments(c.Arguments)}
}

// responseTools are the tools. Strict would be the default, and a strict schema has no optional parameters; ours have.
// Older forms leave it out.
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
