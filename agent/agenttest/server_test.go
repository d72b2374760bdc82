package agenttest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func user(text string) projection.Message {
	return projection.Message{Role: projection.RoleUser, Text: text}
}

func reply(text string, calls ...conversation.ToolCall) projection.Message {
	return projection.Message{Role: projection.RoleAssistant, Text: text, Calls: calls}
}

func result(id, text string) projection.Message {
	return projection.Message{Role: projection.RoleTool, CallID: id, Tool: "look", Text: text}
}

func call(id, arguments string) conversation.ToolCall {
	return conversation.ToolCall{ID: id, Name: "look", Arguments: arguments}
}

func request(messages ...projection.Message) llm.Request {
	return llm.Request{Model: "m", Messages: messages}
}

// outcome is what came of a request.
type outcome struct {
	text  string
	stop  conversation.StopReason
	calls int
	usage *llm.Tokens
	err   *llm.Error
}

func ask(ctx context.Context, s *agenttest.Server, r llm.Request) outcome {
	var o outcome
	for c, err := range s.Stream(ctx, r) {
		o.text += c.Text
		o.calls += len(c.Calls)
		if c.Stop != "" {
			o.stop = c.Stop
		}
		if c.Usage != nil {
			o.usage = c.Usage
		}
		o.err = llm.AsError(err)
	}
	return o
}

func TestServerRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := request(user(strings.Repeat("word ", 360)))
	s := &agenttest.Server{Window: 400, Windows: map[string]int{"large": 1000}}
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Class != llm.Overflow || o.err.Window != 400 || o.err.Requested != 506 || o.usage != nil {
		t.Errorf("refused with %+v", o)
	}
	s.Nameless = true
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Class != llm.Overflow || o.err.Window+o.err.Requested != 0 {
		t.Errorf("refused with %+v", o)
	}
	long.Model = "large"
	if o := ask(t.Context(), s, long); o.err != nil || o.text != "yes" || o.usage.Prompt != 506 || o.usage.Completion != 1 {
		t.Errorf("got %+v", o)
	}
	long.MaxTokens, s.Both, s.Nameless = 495, true, false
	if o := ask(t.Context(), s, long); o.err == nil || o.err.Requested != 1001 {
		t.Errorf("refused with %+v", o)
	}
	var refused []bool
	for _, got := range s.Served() {
		refused = append(refused, got.Refused)
	}
	if diff := cmp.Diff([]bool{true, true, false, true}, refused); diff != "" {
		t.Error(diff)
	}
}

func TestInspectSeesWhatEndpointsRefuse(t *testing.T) {
	t.Parallel()
	u := user("a")
	for name, r := range map[string]llm.Request{
		"nothing":           request(),
		"begins with reply": request(reply("b"), u),
		"ends with reply":   request(u, reply("b")),
		"system inside":     request(u, projection.Message{Role: projection.RoleSystem, Text: "s"}, u),
		"empty":             request(u, reply(" \n"), u),
		"no result":         request(u, reply("", call("c", `{}`)), u),
		"no result at all":  request(u, reply("", call("c", `{}`))),
		"orphan":            request(u, result("c", "r")),
		"answered twice":    request(u, reply("", call("c", `{}`)), result("c", "r"), result("c", "r")),
		"other order":       request(u, reply("", call("c", `{}`), call("d", `{}`)), result("d", "r"), result("c", "r")),
		"id used before":    request(u, reply("", call("c", `{}`)), result("c", "r"), reply("", call("c", `{}`)), result("c", "r")),
		"id of other form":  request(u, reply("", call("c d", `{}`)), result("c d", "r")),
		"arguments":         request(u, reply("", call("c", `[1]`)), result("c", "r")),
		"null":              request(u, reply("", call("c", `null`)), result("c", "r")),
		"empty result":      request(u, reply("", call("c", `{}`)), result("c", "")),
		"NUL":               request(user("a\x00b")),
		"half a character":  request(user("a\xe5")),
	} {
		if len(agenttest.Inspect(r)) == 0 {
			t.Errorf("%s: nothing is seen", name)
		}
	}
	good := request(u, reply("b"), u, reply("", call("c", `{}`), call("d", `{"n":1}`)), result("c", "r"), result("d", "r"))
	if wrong := agenttest.Inspect(good); len(wrong) > 0 {
		t.Errorf("seen %v", wrong)
	}
	s, tools := &agenttest.Server{}, []conversation.ToolSpec{{Name: "look"}}
	for i, r := range []llm.Request{{Tools: tools}, {Tools: tools}, {}} {
		r.Messages = []projection.Message{u}
		ask(t.Context(), s, r)
		if got := s.Served()[i].Wrong; len(got) > 0 != (i == 2) {
			t.Errorf("request %d: %v", i, got)
		}
	}
}
