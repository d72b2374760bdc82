package anthropic

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// request is the body of a request to the Messages API. Tools, system and messages come in the order in which the provider
// caches them.
type request struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens,omitempty"`
	Stream    bool          `json:"stream,omitempty"`
	Thinking  *thinking     `json:"thinking,omitempty"`
	Output    *outputConfig `json:"output_config,omitempty"`
	Tools     []tool        `json:"tools,omitempty"`
	System    []block       `json:"system,omitempty"`
	Messages  []message     `json:"messages"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"` // without it newer models send thinking without its text
	// Binding says what the server does with thinking whose earlier messages have changed.
	Binding map[string]string `json:"block_binding,omitempty"`
}

// BindingBeta is the value of the header anthropic-beta that allows thinking.Binding.
const BindingBeta = "thinking-binding-controls-2026-08-01"

type outputConfig struct {
	Effort string `json:"effort"`
}

type tool struct {
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Schema      conversation.RawJSON `json:"input_schema"`
	Cache       *CacheControl        `json:"cache_control,omitempty"`
}

// CacheControl is a cache breakpoint: the provider caches the prompt up to here.
type CacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

// NewCacheControl returns a breakpoint whose cache lasts an hour, or the usual five minutes.
func NewCacheControl(hour bool) *CacheControl {
	c := &CacheControl{Type: "ephemeral"}
	if hour {
		c.TTL = "1h"
	}
	return c
}

type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"` // *block, or conversation.RawJSON for thinking, which is sent back unchanged
}

type block struct {
	Type      string               `json:"type"`
	Text      string               `json:"text,omitempty"`
	ID        string               `json:"id,omitempty"`
	Name      string               `json:"name,omitempty"`
	Input     conversation.RawJSON `json:"input,omitempty"`
	ToolUseID string               `json:"tool_use_id,omitempty"`
	Content   any                  `json:"content,omitempty"` // of a result: a text, or blocks
	Source    *imageSource         `json:"source,omitempty"`
	Title     string               `json:"title,omitempty"` // of a document
	IsError   bool                 `json:"is_error,omitempty"`
	Cache     *CacheControl        `json:"cache_control,omitempty"`
}

type imageSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  string `json:"data"`

	blob string
}

const (
	noOutput     = "(no output)"
	noText       = "(no text)"
	noParameters = `{"type":"object","properties":{}}`
	noInput      = `{}`
	// MinCachedBytes is the smallest prefix in bytes that gets a breakpoint: models cache no fewer than 1,024 tokens.
	MinCachedBytes = 3 << 10
)

// Body returns a request as bytes, and what the thinking of its reply will be bound to. modelName is provider/id: thinking
// goes back only to the model that it came from.
func Body(r llm.Request, f WireForm, modelName string) ([]byte, Binding, error) {
	req, w := newRequest(r, f, modelName)
	req.MaxTokens, req.Stream = f.MaxTokens, true
	body, err := conversation.EncodeJSON(req)
	return body, w.binding, err
}

// MessagesWithThinking returns the indices of the messages whose thinking goes back, ascending.
func MessagesWithThinking(r llm.Request, f WireForm, modelName string) []int {
	f.Cache = false
	_, w := newRequest(r, f, modelName)
	return w.withThinking
}

// CountBody returns the body of a request that asks how many tokens r has: that of r without the fields for the reply.
func CountBody(r llm.Request, f WireForm, modelName string) ([]byte, error) {
	f.Cache, f.DropsThinking = false, false
	req, _ := newRequest(r, f, modelName)
	return conversation.EncodeJSON(req)
}

func newRequest(r llm.Request, f WireForm, modelName string) (request, *writer) {
	req := request{Model: r.Model, Tools: tools(r.Tools)}
	if f.Thinking != ThinkingUnset {
		req.Thinking = &thinking{Type: string(f.Thinking), Budget: f.Budget}
		if f.Thinking == ThinkingAdaptive {
			req.Thinking.Display = "summarized"
		}
	}
	if f.DropsThinking {
		req.Thinking.Binding = map[string]string{"prefix_mismatch_behavior": "drop_block"}
	}
	if f.Effort != "" {
		req.Output = &outputConfig{Effort: f.Effort}
	}
	if r.System != "" {
		req.System = []block{{Type: "text", Text: r.System}}
	}
	w := &writer{request: r, modelName: modelName, form: f, breakpoints: map[int]bool{}}
	if f.Cache {
		w.cache = NewCacheControl(f.CacheHour)
		w.bytes = setFrontBreakpoint(&req, w.cache)
		for _, i := range promptcache.BreakpointIndexes(r.Messages) {
			w.breakpoints[i] = true
		}
	}
	if f.BindsThinking {
		w.digest = digest{sha256.New()}
		for _, t := range req.Tools {
			w.digest.mix("tool", t.Name, t.Description, string(t.Schema))
		}
		w.digest.mix("system", r.System)
	}
	for i := range r.Messages {
		w.add(i, &r.Messages[i])
	}
	if f.BindsThinking {
		w.dropUnboundThinking()
	}
	req.Messages = w.out
	return req, w
}

// setFrontBreakpoint sets the breakpoint after tools and system prompt, if they are long enough, and returns their bytes.
func setFrontBreakpoint(req *request, cache *CacheControl) (bytes int) {
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, s := range req.System {
		bytes += len(s.Text)
	}
	switch {
	case bytes < MinCachedBytes:
	case len(req.System) > 0:
		req.System[len(req.System)-1].Cache = cache
	case len(req.Tools) > 0:
		req.Tools[len(req.Tools)-1].Cache = cache
	}
	return bytes
}

func tools(specs []conversation.ToolSpec) []tool {
	var out []tool
	for _, s := range specs {
		schema := s.Parameters
		if len(schema) == 0 {
			schema = conversation.RawJSON(noParameters)
		}
		out = append(out, tool{Name: s.Name, Description: s.Description, Schema: schema})
	}
	return out
}

// writer writes the messages of a body.
type writer struct {
	request     llm.Request
	modelName   string
	form        WireForm
	cache       *CacheControl // the value of breakpoints, nil for none
	breakpoints map[int]bool  // indices of messages with a breakpoint after them
	bytes       int           // bytes before the next message
	out         []message

	digest       digest          // hash of all before the next message, if thinking is bound
	thinking     []replyThinking // thinking that may go back
	withThinking []int           // indices of the messages whose thinking goes back
	binding      Binding         // binding of the reply to come
}

// add writes message number i. Messages of one role that follow each other become one.
func (w *writer) add(i int, m *projection.Message) {
	role := "user"
	var content []any
	switch m.Role {
	case projection.RoleAssistant:
		role, content = "assistant", w.assistant(i, m)
	case projection.RoleTool:
		content = []any{w.result(m)}
	default:
		content = w.user(m)
	}
	w.bytes += len(m.Text)
	for _, c := range m.Calls {
		w.bytes += len(c.Name) + len(c.Arguments)
	}
	if last, ok := content[len(content)-1].(*block); ok && w.breakpoints[i] && w.bytes >= MinCachedBytes {
		last.Cache = w.cache
	}
	n := len(w.out)
	joins := n > 0 && w.out[n-1].Role == role
	if w.form.BindsThinking {
		if !joins {
			w.digest.mix(role)
		}
		w.digest.content(content)
	}
	if joins {
		w.out[n-1].Content = append(w.out[n-1].Content, content...)
		return
	}
	w.out = append(w.out, message{Role: role, Content: content})
}

// assistant returns the content of reply number i: the original blocks if they are unchanged, otherwise text and calls. Thinking
// goes back to the model that it came from, unless the server refused it. For models that bind thinking, dropUnboundThinking
// decides later. For other models, thinking that a compaction strips is left out, except before calls: the API refuses some
// requests without it.
func (w *writer) assistant(i int, m *projection.Message) []any {
	content, ok := originalContent(m)
	thinks := ok && cameFrom(m, w.modelName) && (w.form.ThinkingAfter == 0 || len(m.Events) > 0 && m.Events[len(m.Events)-1] > w.form.ThinkingAfter)
	switch {
	case ok && w.form.BindsThinking && slices.ContainsFunc(content, func(c any) bool { return !isThinking(c) }):
		if n := len(w.out); !thinks || n > 0 && w.out[n-1].Role == "assistant" || !w.noteThinking(i, m) {
			content = slices.DeleteFunc(content, isThinking)
		}
		return content
	case thinks && !w.form.BindsThinking && !(w.form.StripsThinking && m.ReasoningStripped && len(m.Calls) == 0):
		w.withThinking = append(w.withThinking, i)
		return content
	}
	content = nil
	if strings.TrimSpace(m.Text) != "" || len(m.Calls) == 0 {
		content = textBlock(m.Text)
	}
	for _, c := range m.Calls {
		content = append(content, call(c))
	}
	return content
}

// result returns the block of a result: its text, and images in blocks after that. The API takes only text in one that is marked
// as an error.
func (w *writer) result(m *projection.Message) *block {
	images, text := w.images(m)
	b := &block{Type: "tool_result", ToolUseID: m.CallID, Content: cmp.Or(text, noOutput)}
	if len(images) > 0 {
		b.Content = append([]any{&block{Type: "text", Text: cmp.Or(text, noOutput)}}, images...)
	} else {
		b.IsError = w.form.MarksErrors && m.Failed
	}
	return b
}

// images returns the blocks of a message's images, and its text.
func (w *writer) images(m *projection.Message) (blocks []any, text string) {
	sent, text := w.request.Content(m)
	for _, image := range sent {
		b := &block{Type: "image", Source: &imageSource{Type: "base64", Media: image.Media, Data: w.request.Images[image.Blob], blob: image.Blob}}
		if image.IsPDF() {
			b.Type, b.Title = "document", image.Name
		}
		blocks = append(blocks, b)
	}
	return blocks, text
}

// user returns the content of a user message: its images, then the text.
func (w *writer) user(m *projection.Message) []any {
	content, text := w.images(m)
	if len(content) > 0 && strings.TrimSpace(text) == "" {
		return content
	}
	return append(content, textBlock(text)...)
}

// textBlock returns a text as content. The API refuses a blank one.
func textBlock(text string) []any {
	if strings.TrimSpace(text) == "" {
		text = noText
	}
	return []any{&block{Type: "text", Text: text}}
}

// call returns the block of a call. Its input is always an object, whatever the model wrote.
func call(c conversation.ToolCall) *block {
	input := strings.TrimSpace(c.Arguments)
	if !strings.HasPrefix(input, "{") || !json.Valid([]byte(input)) {
		input = noInput
	}
	return &block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: conversation.RawJSON(input)}
}
