package anthropictest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // decoded by checkImage
	_ "image/png"  // decoded by checkImage
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Limits of the API ("Messages", "Prompt caching", "Extended thinking", "Define tools").
const (
	maxBreakpoints = 4
	minBudget      = 1024
)

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`) })

// Block is a content block, a tool or a part of one, as JSON.
type Block map[string]any

func (b Block) text(name string) string {
	s, _ := b[name].(string)
	return s
}

func (b Block) kind() string { return b.text("type") }

func (b Block) isThinking() bool { return strings.HasSuffix(b.kind(), "thinking") }

func (b Block) json() string {
	raw, err := json.Marshal(b)
	if err != nil {
		return "" // cannot happen: it was decoded from JSON
	}
	return string(raw)
}

// Request is the body of a request.
type Request struct {
	Model     string           `json:"model"`
	MaxTokens *int             `json:"max_tokens"`
	Stream    bool             `json:"stream"`
	System    []Block          `json:"system"`
	Tools     []Block          `json:"tools"`
	Messages  []RequestMessage `json:"messages"`
	Thinking  Block            `json:"thinking"`
	Output    Block            `json:"output_config"`
}

// RequestMessage is a message of a request.
type RequestMessage struct {
	Role    string  `json:"role"`
	Content []Block `json:"content"`
}

type checker struct {
	problems    []string
	breakpoints []string // lifetimes of breakpoints, in the order of the prompt
}

func (c *checker) report(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// Problems lists what the API would refuse in a request, nil if it accepts it. counting is for count_tokens.
func Problems(raw []byte, counting bool) []string {
	var c checker
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return []string{"it is no request: " + err.Error()}
	}
	if r.Model == "" {
		c.report("model is missing")
	}
	c.checkParameters(&r, counting)
	c.checkTools(r.Tools)
	for i, s := range r.System {
		if s.kind() != "text" || strings.TrimSpace(s.text("text")) == "" {
			c.report("system block %d is no text", i)
		}
		c.checkBreakpoint(s)
	}
	c.checkMessages(&r)
	if len(c.breakpoints) > maxBreakpoints {
		c.report("%d breakpoints", len(c.breakpoints))
	}
	if strings.Contains(strings.Join(c.breakpoints, " "), "5m 1h") { // the longer ones come first
		c.report("a breakpoint of an hour stands behind one of five minutes")
	}
	return c.problems
}

func (c *checker) checkParameters(r *Request, counting bool) {
	switch {
	case counting && (r.MaxTokens != nil || r.Stream):
		c.report("a request to count has max_tokens or stream")
	case !counting && (r.MaxTokens == nil || *r.MaxTokens < 1):
		c.report("max_tokens is missing")
	}
	kind, effort := r.Thinking.kind(), r.Output.text("effort")
	for _, m := range refusedTypes() {
		if m.models.MatchString(r.Model) {
			if slices.Contains(m.types, kind) {
				c.report("%s does not take thinking of type %q", r.Model, kind)
			}
			break
		}
	}
	switch kind {
	case "":
	case "disabled", "between_tools":
		if effort == "xhigh" || effort == "max" {
			c.report("thinking of type %q does not go with effort %s", kind, effort)
		}
	case "adaptive":
		if _, ok := r.Thinking["budget_tokens"]; ok {
			c.report("adaptive thinking has a budget")
		}
	case "enabled":
		budget, _ := r.Thinking["budget_tokens"].(float64)
		if budget < minBudget || r.MaxTokens != nil && int(budget) >= *r.MaxTokens {
			c.report("a budget of %v tokens", budget)
		}
	default:
		c.report("thinking of type %q", kind)
	}
}

// refusedTypes lists the types of thinking that models refuse ("Thinking", "What's new"); the first matching line counts.
var refusedTypes = sync.OnceValue(func() []refusedType {
	line := func(models string, types ...string) refusedType {
		return refusedType{regexp.MustCompile(`claude-` + models), types}
	}
	return []refusedType{
		line(`(fable|mythos)-5|claude-opus-5-5`, "disabled", "enabled", "between_tools"),
		line(`sonnet-5-5`, "disabled", "enabled"),
		line(`[a-z]+-(5|4-[78])`, "enabled", "between_tools"),
		line(`[a-z]+-4-6`, "between_tools"),
		line(`([a-z]+-4|3)`, "adaptive", "between_tools"),
	}
})

type refusedType struct {
	models *regexp.Regexp
	types  []string
}

func (c *checker) checkTools(tools []Block) {
	names := map[string]bool{}
	for i, t := range tools {
		name := t.text("name")
		schema, _ := t["input_schema"].(map[string]any)
		if !toolName().MatchString(name) || names[name] || schema["type"] != "object" {
			c.report("tool %d, %q, has a wrong name or schema", i, name)
		}
		names[name] = true
		c.checkBreakpoint(t)
	}
}

func (c *checker) checkBreakpoint(b Block) {
	control, ok := b["cache_control"].(map[string]any)
	if !ok {
		return
	}
	ttl, said := control["ttl"].(string)
	if !said {
		ttl = "5m"
	}
	if b.isThinking() {
		c.report("a breakpoint on %s", b.kind())
	}
	if control["type"] != "ephemeral" || ttl != "5m" && ttl != "1h" {
		c.report("a breakpoint of %v", control)
	}
	c.breakpoints = append(c.breakpoints, ttl)
}

func (c *checker) checkMessages(r *Request) {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		c.report("the first message is not the user's")
		return
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role != "user" {
		c.report("the last message is not the user's")
	}
	seen := map[string]bool{}
	var open []string
	for i, m := range r.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			c.report("message %d is of role %q", i, m.Role)
		}
		if len(m.Content) == 0 {
			c.report("message %d is empty", i)
		}
		open = c.checkContent(i, m, open, seen)
	}
	if len(open) > 0 {
		c.report("the last calls have no results")
	}
}

// checkContent checks a message. open are the calls that it must answer. It returns the message's own calls.
func (c *checker) checkContent(i int, m RequestMessage, open []string, seen map[string]bool) (calls []string) {
	answered, other, results := 0, false, map[string]bool{}
	for k, b := range m.Content {
		c.checkBreakpoint(b)
		if where, ok := blockRoles[b.kind()]; !ok || where != "" && where != m.Role {
			c.report("message %d of the %s has a block of type %q", i, m.Role, b.kind())
			continue
		}
		switch b.kind() {
		case "text":
			other = true
			if strings.TrimSpace(b.text("text")) == "" {
				c.report("message %d has an empty text", i)
			}
		case "image", "document":
			other = true
			c.checkImage(i, b)
		case "tool_use":
			id := b.text("id")
			if _, object := b["input"].(map[string]any); !object || !toolName().MatchString(id) || seen[id] || !toolName().MatchString(b.text("name")) {
				c.report("message %d has a wrong call %q", i, id)
			}
			seen[id] = true
			calls = append(calls, id)
		case "tool_result":
			if other || k != answered {
				c.report("message %d has a result behind something else", i)
			}
			id := b.text("tool_use_id")
			if !slices.Contains(open, id) || results[id] {
				c.report("message %d answers %q, which is no call that waits", i, id)
			}
			results[id] = true
			answered++
			parts, _ := b["content"].([]any)
			for _, part := range parts {
				if p, _ := part.(map[string]any); (p["type"] == "image" || p["type"] == "document") && b["is_error"] == nil {
					c.checkImage(i, p)
				} else if Block(p).text("text") == "" {
					c.report("message %d has a result with a part that it cannot have", i)
				}
			}
		case "thinking", "redacted_thinking":
			if b.text("signature")+b.text("data") == "" {
				c.report("message %d has thinking without a signature", i)
			}
		}
	}
	if answered != len(open) {
		c.report("message %d answers %d calls of %d", i, answered, len(open))
	}
	if n := len(m.Content); n > 0 && m.Content[n-1].isThinking() {
		c.report("message %d ends with thinking", i)
	}
	return calls
}

// The limits of an image ("Vision"), and that of a request with PDFs ("PDF support").
const (
	maxImageBytes = 5 << 20 // in base64
	maxImageSide  = 8000    // in pixels
	maxPDFBytes   = 32 << 20
)

func (c *checker) checkImage(i int, b Block) {
	source, _ := b["source"].(map[string]any)
	data, _ := source["data"].(string)
	raw, err := base64.StdEncoding.DecodeString(data)
	if b.kind() == "document" {
		if source["type"] != "base64" || source["media_type"] != "application/pdf" || err != nil || len(data) > maxPDFBytes || !bytes.HasPrefix(raw, []byte("%PDF-")) {
			c.report("message %d has a document that is no PDF in base64 of at most %d bytes", i, maxPDFBytes)
		}
		return
	}
	if source["type"] != "base64" || err != nil || len(data) > maxImageBytes {
		c.report("message %d has an image that is no base64 of at most %d bytes", i, maxImageBytes)
		return
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || source["media_type"] != "image/"+format || max(size.Width, size.Height) > maxImageSide {
		c.report("message %d has an image that is no %v of at most %d pixels", i, source["media_type"], maxImageSide)
	}
}

// blockRoles are the types of blocks, and the role that may have them; "" is both.
var blockRoles = map[string]string{
	"text": "", "image": "user", "document": "user", "tool_use": "assistant", "tool_result": "user", "thinking": "assistant", "redacted_thinking": "assistant",
}
