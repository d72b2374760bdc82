package anthropictest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Limits of the API ("Messages", "Prompt caching", "Extended thinking", "Define tools").
const (
	mostMarks   = 4
	leastBudget = 1024
)

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`) })

// Block is a block of content as it came.
type Block map[string]any

func (b Block) text(name string) string {
	s, _ := b[name].(string)
	return s
}

func (b Block) kind() string { return b.text("type") }

func (b Block) thinks() bool { return strings.HasSuffix(b.kind(), "thinking") }

func (b Block) json() string {
	raw, err := json.Marshal(b)
	if err != nil {
		return "" // it has nothing but JSON
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

// RequestMessage is one of its messages.
type RequestMessage struct {
	Role    string  `json:"role"`
	Content []Block `json:"content"`
}

type checker struct {
	problems []string
	marks    []string // lifetimes in the order of the prompt
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// Problems lists what the API would refuse in a request, nil where it would take it. counting says that it only asks for
// the number of tokens.
func Problems(raw []byte, counting bool) []string {
	var c checker
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return []string{"it is no request: " + err.Error()}
	}
	if r.Model == "" {
		c.say("model is missing")
	}
	c.bound(&r, counting)
	c.tools(r.Tools)
	for i, s := range r.System {
		if s.kind() != "text" || strings.TrimSpace(s.text("text")) == "" {
			c.say("system block %d is no text", i)
		}
		c.mark(s)
	}
	c.messages(&r)
	if len(c.marks) > mostMarks {
		c.say("%d breakpoints", len(c.marks))
	}
	if strings.Contains(strings.Join(c.marks, " "), "5m 1h") { // the longer ones come first
		c.say("a breakpoint of an hour stands behind one of five minutes")
	}
	return c.problems
}

func (c *checker) bound(r *Request, counting bool) {
	switch {
	case counting && (r.MaxTokens != nil || r.Stream):
		c.say("a request to count has max_tokens or stream")
	case !counting && (r.MaxTokens == nil || *r.MaxTokens < 1):
		c.say("max_tokens is missing")
	}
	kind, effort := r.Thinking.kind(), r.Output.text("effort")
	for _, m := range refusedTypes() {
		if m.models.MatchString(r.Model) {
			if slices.Contains(m.types, kind) {
				c.say("%s does not take thinking of type %q", r.Model, kind)
			}
			break
		}
	}
	switch kind {
	case "":
	case "disabled", "between_tools":
		if effort == "xhigh" || effort == "max" {
			c.say("thinking of type %q does not go with effort %s", kind, effort)
		}
	case "adaptive":
		if _, ok := r.Thinking["budget_tokens"]; ok {
			c.say("adaptive thinking has a budget")
		}
	case "enabled":
		budget, _ := r.Thinking["budget_tokens"].(float64)
		if budget < leastBudget || r.MaxTokens != nil && int(budget) >= *r.MaxTokens {
			c.say("a budget of %v tokens", budget)
		}
	default:
		c.say("thinking of type %q", kind)
	}
}

// refusedTypes are the types of thinking that models refuse ("Thinking", "What's new" of each model); the first line that
// a model is in counts.
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

func (c *checker) tools(tools []Block) {
	names := map[string]bool{}
	for i, t := range tools {
		name := t.text("name")
		schema, _ := t["input_schema"].(map[string]any)
		if !toolName().MatchString(name) || names[name] || schema["type"] != "object" {
			c.say("tool %d, %q, has a wrong name or schema", i, name)
		}
		names[name] = true
		c.mark(t)
	}
}

func (c *checker) mark(b Block) {
	control, ok := b["cache_control"].(map[string]any)
	if !ok {
		return
	}
	ttl, said := control["ttl"].(string)
	if !said {
		ttl = "5m"
	}
	if b.thinks() {
		c.say("a breakpoint on %s", b.kind())
	}
	if control["type"] != "ephemeral" || ttl != "5m" && ttl != "1h" {
		c.say("a breakpoint of %v", control)
	}
	c.marks = append(c.marks, ttl)
}

func (c *checker) messages(r *Request) {
	if len(r.Messages) == 0 || r.Messages[0].Role != "user" {
		c.say("the first message is not the user's")
		return
	}
	if last := r.Messages[len(r.Messages)-1]; last.Role != "user" {
		c.say("the last message is not the user's")
	}
	seen := map[string]bool{}
	var open []string
	for i, m := range r.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			c.say("message %d is of role %q", i, m.Role)
		}
		if len(m.Content) == 0 {
			c.say("message %d is empty", i)
		}
		open = c.content(i, m, open, seen)
	}
	if len(open) > 0 {
		c.say("the last calls have no results")
	}
}

// content checks a message; open are the calls that it has to answer. It returns those that it makes.
func (c *checker) content(i int, m RequestMessage, open []string, seen map[string]bool) (calls []string) {
	answered, other, results := 0, false, map[string]bool{}
	for k, b := range m.Content {
		c.mark(b)
		if where, ok := places[b.kind()]; !ok || where != "" && where != m.Role {
			c.say("message %d of the %s has a block of type %q", i, m.Role, b.kind())
			continue
		}
		switch b.kind() {
		case "text":
			other = true
			if strings.TrimSpace(b.text("text")) == "" {
				c.say("message %d has an empty text", i)
			}
		case "tool_use":
			id := b.text("id")
			if _, object := b["input"].(map[string]any); !object || !toolName().MatchString(id) || seen[id] || !toolName().MatchString(b.text("name")) {
				c.say("message %d has a wrong call %q", i, id)
			}
			seen[id] = true
			calls = append(calls, id)
		case "tool_result":
			if other || k != answered {
				c.say("message %d has a result behind something else", i)
			}
			if id := b.text("tool_use_id"); !slices.Contains(open, id) || results[id] {
				c.say("message %d answers %q, which is no call that waits", i, id)
			} else {
				results[id] = true
			}
			answered++
		case "thinking", "redacted_thinking":
			if b.text("signature")+b.text("data") == "" {
				c.say("message %d has thinking without a signature", i)
			}
		}
	}
	if answered != len(open) {
		c.say("message %d answers %d calls of %d", i, answered, len(open))
	}
	if n := len(m.Content); n > 0 && m.Content[n-1].thinks() {
		c.say("message %d ends with thinking", i)
	}
	return calls
}

// places are the types of blocks, and whose messages have them; "" both.
var places = map[string]string{
	"text": "", "tool_use": "assistant", "tool_result": "user", "thinking": "assistant", "redacted_thinking": "assistant",
}
