package agenttest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// How a server counts tokens. No text counts as the client estimates it.
const (
	asciiPerToken  = 3.6
	tokensPerCJK   = 1.1
	otherPerToken  = 1.7
	messageTokens  = 6
	toolsTokens    = 20  // around a tools array
	block          = 128 // of a prompt cache
	maxCallIDBytes = 64
)

// Count is the tokens of a request's prompt by a server's count.
func Count(r llm.Request) int {
	n := promptTokens(r)
	for i := range r.Messages {
		n += tokensOf(&r.Messages[i])
	}
	return n
}

// CountText is the tokens of a text by a server's count.
func CountText(text string) int {
	s := conversation.Measure(text)
	return int(math.Ceil(float64(s.ASCII)/asciiPerToken + tokensPerCJK*float64(s.CJK) + float64(s.Other)/otherPerToken))
}

// promptTokens is the tokens of system prompt and tools.
func promptTokens(r llm.Request) int {
	n := 0
	if r.System != "" {
		n += messageTokens + CountText(r.System)
	}
	if len(r.Tools) > 0 {
		n += toolsTokens + CountText(writeTools(r.Tools))
	}
	return n
}

func tokensOf(m *projection.Message) int {
	n := messageTokens + CountText(m.Text)
	for _, c := range m.Calls {
		n += messageTokens + CountText(c.Name) + CountText(c.Arguments)
	}
	return n
}

func chunkTokens(c llm.Chunk) int {
	n := CountText(c.Text) + CountText(c.Reasoning)
	for _, d := range c.Calls {
		n += CountText(d.Name) + CountText(d.Arguments)
	}
	return n
}

// shared is how many tokens two requests begin with alike: whole messages, and
// the beginning of the text of the next one.
func shared(a, b llm.Request) int {
	if a.System != b.System || writeTools(a.Tools) != writeTools(b.Tools) {
		return 0
	}
	n := promptTokens(b)
	for i := range min(len(a.Messages), len(b.Messages)) {
		x, y := &a.Messages[i], &b.Messages[i]
		if same(x, y) {
			n += tokensOf(y)
			continue
		}
		if x.Role == y.Role && x.CallID == y.CallID {
			n += CountText(alike(x.Text, y.Text))
		}
		break
	}
	return n
}

// alike is what two texts begin with.
func alike(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// same reports whether two messages say the same to an endpoint.
func same(a, b *projection.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y conversation.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && x.Arguments == y.Arguments
		})
}

func writeTools(tools []conversation.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %q %s\n", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

var callID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Inspect lists what an endpoint would not accept of a request, each with its
// place.
func Inspect(r llm.Request) []string {
	in := inspector{messages: r.Messages, ids: map[string]bool{}}
	if len(r.Messages) == 0 {
		return []string{"there are no messages"}
	}
	if r.Messages[0].Role != projection.RoleUser {
		in.note(0, "the first one is not the user's")
	}
	if last := len(r.Messages) - 1; r.Messages[last].Role != projection.RoleUser && r.Messages[last].Role != projection.RoleTool {
		in.note(last, "the last one is neither the user's nor a result")
	}
	if !storable(r.System) {
		in.note(-1, "the system prompt is not text")
	}
	for i := range r.Messages {
		in.message(i)
	}
	return in.wrong
}

// inspector looks at messages in order.
type inspector struct {
	messages []projection.Message
	ids      map[string]bool // of all calls so far
	open     []string        // calls of the newest reply that wait for their result
	wrong    []string
}

func (in *inspector) note(i int, what string) {
	in.wrong = append(in.wrong, fmt.Sprintf("message %d of %d: %s", i, len(in.messages), what))
}

func (in *inspector) message(i int) {
	m := &in.messages[i]
	if m.Role == projection.RoleTool {
		switch {
		case len(in.open) == 0:
			in.note(i, "it answers no call")
		case in.open[0] != m.CallID:
			in.note(i, fmt.Sprintf("it answers %q where the answer to %q follows", m.CallID, in.open[0]))
		}
		in.open = in.open[min(1, len(in.open)):]
	} else if len(in.open) > 0 {
		in.note(i, fmt.Sprintf("the calls %q are not answered", in.open))
		in.open = nil
	}
	switch m.Role {
	case projection.RoleUser, projection.RoleAssistant, projection.RoleTool:
	default:
		in.note(i, fmt.Sprintf("its role is %q", m.Role))
	}
	if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
		in.note(i, "it is empty")
	}
	if !storable(m.Text) {
		in.note(i, "it is not text")
	}
	for _, c := range m.Calls {
		in.call(i, c)
		in.open = append(in.open, c.ID)
	}
	if i == len(in.messages)-1 && len(in.open) > 0 {
		in.note(i, fmt.Sprintf("the calls %q are not answered", in.open))
	}
}

func (in *inspector) call(i int, c conversation.ToolCall) {
	if in.messages[i].Role != projection.RoleAssistant {
		in.note(i, "it calls, and is no reply")
	}
	if !callID.MatchString(c.ID) {
		in.note(i, fmt.Sprintf("the id %q is not at most %d letters, digits, _ and -", c.ID, maxCallIDBytes))
	}
	if in.ids[c.ID] {
		in.note(i, fmt.Sprintf("the id %q was used before", c.ID))
	}
	in.ids[c.ID] = true
	if c.Name == "" {
		in.note(i, "a call has no name")
	}
	var object map[string]json.RawMessage
	if !storable(c.Arguments) || json.Unmarshal([]byte(c.Arguments), &object) != nil || object == nil {
		in.note(i, fmt.Sprintf("the arguments %.40q are no JSON object", c.Arguments))
	}
}

// storable reports whether a text is UTF-8 without NUL.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
