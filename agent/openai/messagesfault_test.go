package openai_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"plimsoll/agent/llm"
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

func TestEndlessOnTheMessagesWire(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 256<<10)
	start := func(i int, block string) string {
		return told("content_block_start", `,"index":`+strconv.Itoa(i)+`,"content_block":`+block)
	}
	piece := func(delta string) func(int) string {
		return func(int) string { return told("content_block_delta", `,"index":0,"delta":`+delta) }
	}
	for name, flood := range map[string]struct {
		begin string
		piece func(i int) string
	}{
		"text":      {start(0, `{"type":"text","text":""}`), piece(`{"type":"text_delta","text":"` + big + `"}`)},
		"thinking":  {start(0, `{"type":"thinking"}`), piece(`{"type":"thinking_delta","thinking":"` + big + `"}`)},
		"signature": {start(0, `{"type":"thinking"}`), piece(`{"type":"signature_delta","signature":"` + big + `"}`)},
		"input":     {start(0, `{"type":"tool_use","id":"a","name":"ls"}`), piece(`{"type":"input_json_delta","partial_json":"` + big + `"}`)},
		"unknown":   {start(0, `{"type":"other"}`), piece(`{"type":"other_delta","other":"` + big + `"}`)},
		"redacted":  {"", func(i int) string { return start(i, `{"type":"redacted_thinking","data":"`+big+`"}`) }},
		"calls":     {"", func(i int) string { return start(i, `{"type":"tool_use","id":"c`+strconv.Itoa(i)+`","name":"ls"}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
				write(w, told("message_start", `,"message":{}`)+flood.begin)
				for i := 0; r.Context().Err() == nil; i++ {
					write(w, flood.piece(i))
				}
			})
			c.LimitStream(20 << 20) // more than a reply may have
			got := gather(t, c, toClaude("hi"))
			if got.Err == nil || got.Err.Class != llm.Malformed || got.Err.Retryable() {
				t.Errorf("%v", got.Err)
			}
			if len(got.Text)+len(got.Reasoning) > 9<<20 {
				t.Errorf("%d bytes of text, %d of thinking", len(got.Text), len(got.Reasoning))
			}
		})
	}
}
