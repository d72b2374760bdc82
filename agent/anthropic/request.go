package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// request is a body. The order of its fields is the order in which a provider caches: tools, system, messages.
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
	// Binding says what becomes of thinking that is bound to something else.
	Binding map[string]string `json:"block_binding,omitempty"`
}

// BindingBeta is the value of the header anthropic-beta with which a request may say so.
const BindingBeta = "thinking-binding-controls-2026-08-01"

type outputConfig struct {
	Effort string `json:"effort"`
}

type tool struct {
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Schema      conversation.RawJSON `json:"input_schema"`
	Cache       *cacheControl        `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"` // *block, or conversation.RawJSON for what goes back as it came
}

type block struct {
	Type      string               `json:"type"`
	Text      string               `json:"text,omitempty"`
	ID        string               `json:"id,omitempty"`
	Name      string               `json:"name,omitempty"`
	Input     conversation.RawJSON `json:"input,omitempty"`
	ToolUseID string               `json:"tool_use_id,omitempty"`
	Content   string               `json:"content,omitempty"`
	IsError   bool                 `json:"is_error,omitempty"`
	Cache     *cacheControl        `json:"cache_control,omitempty"`
}

const (
	noOutput     = "(no output)"
	noText       = "(no text)"
	noParameters = `{"type":"object","properties":{}}`
	noInput      = `{}`
	// LeastCached is how many bytes a prefix must have to be worth a mark: fewer than the 1,024 tokens that the most
	// willing model caches are never in it.
	LeastCached = 3 << 10
)

// Body is a request as bytes, with what the thinking of its reply is bound to. route names where it goes; fields to echo go
// back only to the route they came by.
func Body(r llm.Request, f Form, route string) ([]byte, Past, error) {
	req, w := newRequest(r, f, route)
	req.MaxTokens, req.Stream = f.MaxTokens, true
	body, err := conversation.EncodeJSON(req)
	return body, w.past, err
}

// Carried are the places of the messages of a request that go back with their thinking, ascending.
func Carried(r llm.Request, f Form, route string) []int {
	f.Cache = false
	_, w := newRequest(r, f, route)
	return w.carried
}

// CountBody asks how many tokens a request has: it is the request without what bounds and carries the reply.
func CountBody(r llm.Request, f Form, route string) ([]byte, error) {
	f.Cache, f.Drops = false, false
	req, _ := newRequest(r, f, route)
	return conversation.EncodeJSON(req)
}

func newRequest(r llm.Request, f Form, route string) (request, *writer) {
	req := request{Model: r.Model, Tools: tools(r.Tools)}
	if f.Thinking != ThinkingUnsaid {
		req.Thinking = &thinking{Type: string(f.Thinking), Budget: f.Budget}
		if f.Thinking == ThinkingAdaptive {
			req.Thinking.Display = "summarized"
		}
	}
	if f.Drops {
		req.Thinking.Binding = map[string]string{"prefix_mismatch_behavior": "drop_block"}
	}
	if f.Effort != "" {
		req.Output = &outputConfig{Effort: f.Effort}
	}
	if r.System != "" {
		req.System = []block{{Type: "text", Text: r.System}}
	}
	w := &writer{route: route, form: f, marks: map[int]bool{}}
	if f.Cache {
		w.cache = &cacheControl{Type: "ephemeral"}
		if f.Long {
			w.cache.TTL = "1h"
		}
		w.prefix = markFront(&req, w.cache)
		for _, i := range promptcache.Marks(r.Messages) {
			w.marks[i] = true
		}
	}
	if f.Binds {
		w.front = newDigest()
		for _, t := range req.Tools {
			w.front.mix("tool", t.Name, t.Description, string(t.Schema))
		}
		w.front.mix("system", r.System)
	}
	for i := range r.Messages {
		w.add(i, &r.Messages[i])
	}
	if f.Binds {
		w.bind()
	}
	req.Messages = w.out
	return req, w
}

// markFront sets the breakpoint behind tools and system prompt, if they are large enough, and returns their bytes.
func markFront(req *request, cache *cacheControl) (bytes int) {
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, s := range req.System {
		bytes += len(s.Text)
	}
	switch {
	case bytes < LeastCached:
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

type writer struct {
	route  string
	form   Form
	cache  *cacheControl // of breakpoints, nil for none
	marks  map[int]bool  // messages behind which one goes
	prefix int           // bytes in front of what comes next
	out    []message

	front    digest    // where thinking is bound: what stands in front of what comes next
	thoughts []thought // thinking that may go back
	carried  []int     // messages whose thinking goes back
	past     Past      // of the reply
}

func (w *writer) add(i int, m *projection.Message) {
	role, content := "user", []any(nil)
	switch m.Role {
	case projection.RoleAssistant:
		role, content = "assistant", w.assistant(i, m)
	case projection.RoleTool:
		text := m.Text
		if text == "" {
			text = noOutput
		}
		content = []any{&block{Type: "tool_result", ToolUseID: m.CallID, Content: text, IsError: w.form.Errors && m.Failed}}
	default:
		if text := m.Text; strings.TrimSpace(text) != "" {
			content = []any{&block{Type: "text", Text: text}}
		} else {
			content = []any{&block{Type: "text", Text: noText}}
		}
	}
	w.prefix += len(m.Text)
	for _, c := range m.Calls {
		w.prefix += len(c.Name) + len(c.Arguments)
	}
	if last, ok := content[len(content)-1].(*block); ok && w.marks[i] && w.prefix >= LeastCached {
		last.Cache = w.cache
	}
	n := len(w.out)
	joins := n > 0 && w.out[n-1].Role == role
	if w.form.Binds {
		if !joins {
			w.front.mix(role)
		}
		w.front.content(content)
	}
	if joins {
		w.out[n-1].Content = append(w.out[n-1].Content, content...)
		return
	}
	w.out = append(w.out, message{Role: role, Content: content})
}

// assistant is the content of reply number i: as it came where it still says the same, otherwise text and calls. Its
// thinking goes back where it came by this route, and was not refused. Thinking that is bound is decided on in bind. Of
// other models that which a compaction hides stays behind, but for that which led to calls: the API refuses some requests
// without it.
func (w *writer) assistant(i int, m *projection.Message) []any {
	content, ok := echoed(m)
	thinks := ok && cameBy(m, w.route) && (w.form.After == 0 || len(m.Events) > 0 && m.Events[len(m.Events)-1] > w.form.After)
	switch {
	case ok && w.form.Binds && slices.ContainsFunc(content, func(c any) bool { return !isThinking(c) }):
		if n := len(w.out); !thinks || n > 0 && w.out[n-1].Role == "assistant" || !w.think(i, m) {
			content = slices.DeleteFunc(content, isThinking)
		}
		return content
	case thinks && !w.form.Binds && !(w.form.Hides && m.Stripped && len(m.Calls) == 0):
		w.carried = append(w.carried, i)
		return content
	}
	content = nil
	if strings.TrimSpace(m.Text) != "" {
		content = append(content, &block{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		content = append(content, call(c))
	}
	if len(content) == 0 {
		content = append(content, &block{Type: "text", Text: noText})
	}
	return content
}

// call is a call as it goes back. Its input is an object, whatever the model wrote.
func call(c conversation.ToolCall) *block {
	input := strings.TrimSpace(c.Arguments)
	if !strings.HasPrefix(input, "{") || !json.Valid([]byte(input)) {
		input = noInput
	}
	return &block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: conversation.RawJSON(input)}
}
