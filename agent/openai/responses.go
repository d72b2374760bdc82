package openai

import (
	"encoding/json"

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
//   - encrypted reasoning goes back in front of the message it led to, only to
//     the model it came from

// reasoningItems is the name under which extras keep encrypted reasoning.
const reasoningItems = "reasoning_items"

// Items of the input that the library has no types for.
type (
	inputMessage struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	inputCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

// response is the request in the library's terms.
func (c *Client) response(r llm.Request, f bodyForm) goopenai.CreateResponseRequest {
	no := false
	req := goopenai.CreateResponseRequest{
		Model: r.Model, Instructions: r.System, Input: c.input(r), Tools: responseTools(r.Tools),
		MaxOutputTokens: r.MaxTokens, Store: &no, PromptCacheKey: f.key,
	}
	if f.effort != "" {
		req.Reasoning = &goopenai.ResponseReasoning{Effort: f.effort}
	}
	if f.day {
		req.PromptCacheRetention = "24h"
	}
	if f.encrypted {
		req.Include = []goopenai.ResponseInclude{goopenai.ResponseIncludeReasoningEncryptedContent}
	}
	return req
}

func (c *Client) input(r llm.Request) []any {
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
			items = append(items, assistantItems(m, route)...)
		default:
			items = append(items, inputMessage{Role: string(m.Role), Content: m.Text})
		}
	}
	return items
}

func assistantItems(m projection.Message, route string) []any {
	var items []any
	if from(m.Extras, route) {
		var kept []json.RawMessage
		if json.Unmarshal(m.Extras[reasoningItems], &kept) == nil {
			for _, k := range kept {
				items = append(items, k)
			}
		}
	}
	if m.Text != "" {
		items = append(items, inputMessage{Role: string(projection.RoleAssistant), Content: m.Text})
	}
	for _, call := range m.Calls {
		items = append(items, inputCall{Type: "function_call", CallID: call.ID, Name: call.Name, Arguments: arguments(call.Arguments)})
	}
	return items
}

func responseTools(specs []conversation.ToolSpec) []goopenai.ResponseTool {
	var out []goopenai.ResponseTool
	for _, s := range specs {
		out = append(out, goopenai.NewResponseFunctionTool(goopenai.FunctionDefinition{
			Name: s.Name, Description: s.Description, Parameters: parameters(s),
		}))
	}
	return out
}
