package compacttest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Capabilities draws the capabilities of an endpoint.
func Capabilities(t *rapid.T) projection.Capabilities {
	return projection.Capabilities{
		Alternate: rapid.Bool().Draw(t, "alternate"),
		NoTools:   rapid.Bool().Draw(t, "no tools"),
		CallIDs:   rapid.SampledFrom([]projection.CallIDForm{projection.CallIDAny, projection.CallIDMistral}).Draw(t, "ids"),
	}
}

// IgnoreUnexported makes cmp compare only the exported fields of views.
var IgnoreUnexported = cmpopts.IgnoreUnexported(projection.View{})

var (
	anyID     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	mistralID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
)

// CheckRequest fails the test if a request violates a guarantee of projection.Harden.
func CheckRequest(t *rapid.T, messages []projection.Message, c projection.Capabilities) {
	if found := RequestProblems(messages, c); len(found) > 0 {
		t.Fatal(strings.Join(found, "\n"))
	}
}

// RequestProblems describes the guarantees of projection.Harden that a request violates.
func RequestProblems(messages []projection.Message, c projection.Capabilities) (found []string) {
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if len(messages) > 0 && messages[0].Role != projection.RoleUser {
		report("begins with %s", messages[0].Role)
	}
	ids := map[string]bool{}
	var open []string
	for i, m := range messages {
		if m.Role == projection.RoleTool {
			if len(open) == 0 || open[0] != m.CallID {
				report("message %d answers %q, open are %q", i, m.CallID, open)
			} else {
				open = open[1:]
			}
		} else if len(open) > 0 {
			report("message %d comes before the answers to %q", i, open)
		}
		if m.Text == "" && len(m.Calls) == 0 {
			report("message %d is empty", i)
		}
		if !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0) {
			report("message %d is not valid text: %q", i, m.Text)
		}
		if c.NoTools && (len(m.Calls) > 0 || m.Role == projection.RoleTool) {
			report("message %d uses tools", i)
		}
		if c.Alternate && i > 0 && messages[i-1].Role == m.Role && m.Role == projection.RoleUser {
			report("message %d repeats the role %s", i, m.Role)
		}
		for _, call := range m.Calls {
			form := anyID
			if c.CallIDs == projection.CallIDMistral {
				form = mistralID
			}
			if !form.MatchString(call.ID) || ids[call.ID] {
				report("message %d: id %q is malformed or used twice", i, call.ID)
			}
			if !anyID.MatchString(call.Name) {
				report("message %d: no endpoint takes the name %q", i, call.Name)
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(call.Arguments), &object); err != nil {
				report("message %d: arguments %q", i, call.Arguments)
			}
			ids[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		report("calls without results: %q", open)
	}
	return found
}

// OriginalSize returns the size of an event before compaction, as in Message.Before; false if the event is not sent.
func OriginalSize(b conversation.Body) (size conversation.Size, sent bool) {
	switch b := b.(type) {
	case conversation.UserMessage:
		return b.Size, true
	case conversation.AssistantMessage:
		size = b.Size
		for _, c := range b.Calls {
			size = size.Plus(c.Size)
		}
		return size, true
	case conversation.ToolResult:
		if b.Total > 0 {
			return conversation.Size{ASCII: b.Total}, true
		}
		return b.Size, true
	}
	return conversation.Size{}, false
}
