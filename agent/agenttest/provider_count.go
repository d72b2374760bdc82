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

// How the fake provider counts tokens: unlike the client, for every kind of text.
const (
	asciiPerToken = 3.6
	tokensPerCJK  = 1.1
	otherPerToken = 1.7
	messageTokens = 6
	toolsTokens   = 20 // around a tools array
)

func requestTokens(r llm.Request) int {
	n := 0
	if r.System != "" {
		n += messageTokens + textTokens(r.System)
	}
	if len(r.Tools) > 0 {
		n += toolsTokens + textTokens(toolsText(r.Tools))
	}
	for i := range r.Messages {
		n += messageTokenCount(&r.Messages[i])
	}
	return n
}

func textTokens(text string) int {
	s := conversation.Measure(text)
	return int(math.Ceil(float64(s.ASCII)/asciiPerToken + tokensPerCJK*float64(s.CJK) + float64(s.Other)/otherPerToken))
}

func messageTokenCount(m *projection.Message) int {
	n := messageTokens + textTokens(m.Text)
	for _, c := range m.Calls {
		n += messageTokens + textTokens(c.Name) + textTokens(c.Arguments)
	}
	return n
}

func chunkTokens(c llm.Chunk) int {
	n := textTokens(c.Text) + textTokens(c.Reasoning)
	for _, d := range c.Calls {
		n += textTokens(d.Name) + textTokens(d.Arguments)
	}
	return n
}

func sameMessage(a, b *projection.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y conversation.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && x.Arguments == y.Arguments
		})
}

func toolsText(tools []conversation.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %q %s\n", t.Name, t.Description, t.Parameters)
	}
	return b.String()
}

var callID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckRequest lists what an endpoint would refuse in a request.
func CheckRequest(r llm.Request) (wrong []string) {
	add := func(i int, what string, about ...any) {
		wrong = append(wrong, fmt.Sprintf("message %d of %d: ", i, len(r.Messages))+fmt.Sprintf(what, about...))
	}
	last := len(r.Messages) - 1
	switch {
	case last < 0:
		return []string{"there are no messages"}
	case r.Messages[0].Role != projection.RoleUser:
		add(0, "the first one is not the user's")
	case r.Messages[last].Role == projection.RoleAssistant:
		add(last, "the last one is a reply")
	}
	ids := map[string]bool{} // of all calls so far
	var open []string        // calls of the newest reply that wait for their result
	for i, m := range r.Messages {
		if m.Role == projection.RoleTool {
			if len(open) == 0 || open[0] != m.CallID {
				add(i, "it answers %q where answers to %q follow", m.CallID, open)
			}
			open = open[min(1, len(open)):]
		} else if len(open) > 0 {
			add(i, "the calls %q are not answered", open)
			open = nil
		}
		if m.Role != projection.RoleUser && m.Role != projection.RoleAssistant && m.Role != projection.RoleTool {
			add(i, "its role is %q", m.Role)
		}
		if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" || !isStorable(m.Text) {
			add(i, "it is empty or not text: %.40q", m.Text)
		}
		for _, c := range m.Calls {
			var object map[string]json.RawMessage
			if !isStorable(c.Arguments) || json.Unmarshal([]byte(c.Arguments), &object) != nil || object == nil {
				add(i, "the arguments %.40q are no JSON object", c.Arguments)
			}
			if m.Role != projection.RoleAssistant || c.Name == "" || ids[c.ID] || !callID.MatchString(c.ID) {
				add(i, "the call %q of %q is not valid, or its id stands twice", c.ID, c.Name)
			}
			ids[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		add(last, "the calls %q are not answered", open)
	}
	return wrong
}

func isStorable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
