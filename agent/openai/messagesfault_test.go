package openai_test

import (
	"net/http"
	"testing"

	"plimsoll/conversation"
)

// What goes wrong on a connection, over the Messages wire.

// told is one event of the Messages API.
func told(kind, fields string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

// thinksAndCalls is a reply of thinking, text and a call.
var thinksAndCalls = told("message_start", `,"message":{"usage":{"input_tokens":3,"output_tokens":1}}`) +
	told("content_block_start", `,"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`) +
	told("content_block_delta", `,"index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}`) +
	told("content_block_delta", `,"index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}`) +
	told("content_block_stop", `,"index":0`) +
	told("content_block_start", `,"index":1,"content_block":{"type":"text","text":""}`) +
	told("content_block_delta", `,"index":1,"delta":{"type":"text_delta","text":"I look."}`) +
	told("content_block_stop", `,"index":1`) +
	told("content_block_start", `,"index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}`) +
	told("content_block_delta", `,"index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}`) +
	told("content_block_delta", `,"index":2,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}`) +
	told("content_block_stop", `,"index":2`) +
	told("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}`) +
	told("message_stop", "")

func TestCallsCutAtAnyByteAreNotRun(t *testing.T) {
	t.Parallel()
	cut := make(chan int, 1)
	c := serve(t, "anthropic", func(w http.ResponseWriter, _ *http.Request) { write(w, thinksAndCalls[:<-cut]) })
	whole := 0
	for n := range len(thinksAndCalls) + 1 {
		cut <- n
		got := gather(t, c, toClaude("hi"))
		switch {
		case got.Err != nil && !got.Err.Retryable():
			t.Errorf("cut at %d: %v is final", n, got.Err)
		case got.Err != nil:
		case got.Reasoning != "Hm." || got.Text != "I look." || got.Stop != conversation.StopCalls || len(got.Calls) != 1 || got.Calls[0].Arguments != `{"path":"a"}`:
			t.Errorf("cut at %d: %+v is an answer", n, got)
		default:
			whole++
		}
	}
	if end := len(told("message_stop", "")); whole == 0 || whole > end+2 {
		t.Errorf("%d cuts give a whole reply, and only those behind the stop reason should", whole)
	}
}
