package agenttest_test

import (
	"strings"
	"testing"

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

func TestServerRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := request(user(strings.Repeat("word ", 360)))
	s := &agenttest.Provider{Window: 400, Windows: map[string]int{"large": 1000}}
	for _, model := range []string{"m", "large"} {
		long.Model = model
		var failure *llm.Error
		text, prompt := "", 0
		for c, err := range s.Stream(t.Context(), long) {
			failure = llm.AsError(err)
			if text += c.Text; c.Usage != nil {
				prompt = c.Usage.Prompt
			}
		}
		switch {
		case model == "m" && (failure == nil || failure.Class != llm.Overflow || failure.Window != 400 || failure.Requested != 506 || prompt != 0):
			t.Errorf("refused with %+v", failure)
		case model == "large" && (failure != nil || text != "yes" || prompt != 506):
			t.Errorf("got %q for %d tokens, %v", text, prompt, failure)
		}
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
		"orphan":            request(u, result("c", "r")),
		"answered twice":    request(u, reply("", call("c", `{}`)), result("c", "r"), result("c", "r")),
		"other order":       request(u, reply("", call("c", `{}`), call("d", `{}`)), result("d", "r"), result("c", "r")),
		"id used before":    request(u, reply("", call("c", `{}`)), result("c", "r"), reply("", call("c", `{}`)), result("c", "r")),
		"id of other form":  request(u, reply("", call("c d", `{}`)), result("c d", "r")),
		"arguments":         request(u, reply("", call("c", `null`)), result("c", "r")),
		"half a character":  request(user("a\xe5")),
	} {
		if len(agenttest.CheckRequest(r)) == 0 {
			t.Errorf("%s: nothing is seen", name)
		}
	}
	good := request(u, reply("b"), u, reply("", call("c", `{}`), call("d", `{"n":1}`)), result("c", "r"), result("d", "r"))
	if wrong := agenttest.CheckRequest(good); len(wrong) > 0 {
		t.Errorf("seen %v", wrong)
	}
}
