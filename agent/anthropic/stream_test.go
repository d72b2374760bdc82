package anthropic_test

import (
	"strings"
	"testing"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// shortErrors returns errors with short messages.
type shortErrors struct{}

func (shortErrors) ReportedError(data []byte) *llm.Error {
	return &llm.Error{Class: llm.ServerFault, Message: string(data)}
}

func (shortErrors) EmptyReplyError(bool) *llm.Error { return &llm.Error{Class: llm.Empty} }
func (shortErrors) WindowFullError() *llm.Error     { return &llm.Error{Class: llm.Overflow} }
func (shortErrors) MalformedError(what string, _ []byte, _ error) *llm.Error {
	return &llm.Error{Class: llm.Malformed, Message: what}
}

const begin = `{"type":"message_start","message":{"type":"message","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":5,"ephemeral_1h_input_tokens":15},"output_tokens":1}}}`

func text(index, words string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"text","text":""}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"text_delta","text":"` + words + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

func end(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":12}}` + "\n" + `{"type":"message_stop"}`
}

func tool(index, id, input string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"go","input":{}}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"input_json_delta","partial_json":"` + input + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

func TestUnstreamedReplyIsParsed(t *testing.T) {
	t.Parallel()
	d := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{})
	c, err := d.DecodeBody([]byte(`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"So"},` +
		`{"type":"tool_use","id":"t1","name":"go","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":6}}`))
	if err != nil || c.Text != "So" || c.Reasoning != "hm" || len(c.Calls) != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	last, err := d.Finish(true)
	if err != nil || last.Stop != conversation.StopCalls || last.Usage.Prompt != 5 || len(last.Extras) == 0 {
		t.Errorf("%+v %v", last, err)
	}
	if _, err := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{}).DecodeBody([]byte(`{"type":"error","error":{"type":"api_error","message":"x"}}`)); llm.AsError(err).Class != llm.ServerFault {
		t.Errorf("an error in place of a message: %v", err)
	}
	if _, err := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{}).DecodeBody([]byte(`{"object":"chat.completion"}`)); llm.AsError(err).Class != llm.Malformed {
		t.Errorf("something else: %v", err)
	}
}

func TestRepeatedCallIDsAreReplaced(t *testing.T) {
	t.Parallel()
	r := llm.Request{Messages: []projection.Message{user("go"), assistant("", call("t1")), result("t1", "x")}}
	d := anthropic.NewDecoder(shortErrors{}, r, modelName, anthropic.Binding{})
	for _, id := range []string{"t1", "", strings.Repeat("x", 65)} {
		c, _, err := d.DecodeEvent([]byte(`{"type":"content_block_start","index":` + string(rune('0'+len(id)%10)) + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"go"}}`))
		if err != nil || len(c.Calls) != 1 || c.Calls[0].ID == id || c.Calls[0].ID == "" {
			t.Errorf("%q: %+v %v", id, c, err)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add(strings.Join([]string{begin, text("0", "Hello"), tool("1", "t", "{}"), end("tool_use")}, "\n"))
	f.Add(`{"type":"error"}`)
	f.Fuzz(func(t *testing.T, stream string) {
		d := anthropic.NewDecoder(shortErrors{}, llm.Request{}, modelName, anthropic.Binding{})
		rep := llm.NewReply()
		for line := range strings.SplitSeq(stream, "\n") {
			c, done, err := d.DecodeEvent([]byte(line))
			rep.Add(c)
			if err != nil || done {
				break
			}
		}
		last, err := d.Finish(true)
		if (err == nil) != (last.Stop != "") {
			t.Errorf("stop %q, error %v", last.Stop, err)
		}
	})
}
