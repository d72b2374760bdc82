package e2e_test

import "testing"

// The scripted server's Messages API: it streams events of content blocks instead of chunks.

// protocol is the API that a server implements.
type protocol string

const (
	chat     protocol = "chat"
	messages protocol = "messages"
)

// forEachProtocol runs a test over each protocol, in short mode over the one with more kinds of events: what reads a protocol
// has tests of its own, in which the race detector sees it, too.
func forEachProtocol(t *testing.T, test func(t *testing.T, proto protocol)) {
	t.Parallel()
	for _, proto := range []protocol{chat, messages} {
		if testing.Short() && proto == chat {
			continue
		}
		t.Run(string(proto), func(t *testing.T) {
			t.Parallel()
			test(t, proto)
		})
	}
}

// blockState is the state of the content blocks of a reply.
type blockState struct {
	begun bool
	open  string // type of the block that is open
	index int    // its number
}

// signed is the signature of all reasoning.
const signed = "c2lnbmVkIGJ5IHRoZSBzZXJ2ZXI="

// openBlock opens a block, unless one of the same type is open.
func (w *wire) openBlock(kind string, start object) {
	c := w.blocks
	if !c.begun {
		c.begun = true
		w.sendEvent("message_start", object{"message": object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": modelName, "content": []object{},
			"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 0, "output_tokens": 1},
		}})
		w.sendEvent("ping", object{})
	}
	if c.open == kind && kind != "tool_use" {
		return
	}
	w.closeBlock()
	start["type"] = kind
	c.open = kind
	w.sendEvent("content_block_start", object{"index": c.index, "content_block": start})
}

func (w *wire) closeBlock() {
	c := w.blocks
	if c.open == "" {
		return
	}
	if c.open == "thinking" {
		w.delta(object{"type": "signature_delta", "signature": signed})
	}
	w.sendEvent("content_block_stop", object{"index": c.index})
	c.open = ""
	c.index++
}

func (w *wire) delta(d object) {
	w.sendEvent("content_block_delta", object{"index": w.blocks.index, "delta": d})
}

func (w *wire) sendEvent(kind string, fields object) {
	fields["type"] = kind
	w.Raw("event: " + kind + "\n")
	w.Event(fields)
}

func (w *wire) textDelta(piece string) {
	w.openBlock("text", object{"text": ""})
	w.delta(object{"type": "text_delta", "text": piece})
}

func (w *wire) thinkingDelta(piece string) {
	w.openBlock("thinking", object{"thinking": "", "signature": ""})
	w.delta(object{"type": "thinking_delta", "thinking": piece})
}

// toolUse sends a tool call, its input in two pieces.
func (w *wire) toolUse(id, name, input string) {
	w.openBlock("tool_use", object{"id": id, "name": name, "input": object{}})
	half := len(input) / 2
	for half > 0 && input[half]&0xC0 == 0x80 { // within a character
		half--
	}
	w.delta(object{"type": "input_json_delta", "partial_json": input[:half]})
	w.delta(object{"type": "input_json_delta", "partial_json": input[half:]})
}

// endMessage ends the reply. The reasons are those of chat completions.
func (w *wire) endMessage(reason string, prompt, completion int) {
	w.openBlock("text", object{"text": ""})
	w.closeBlock()
	usage := object{"output_tokens": completion}
	if prompt > 0 {
		usage["input_tokens"] = prompt
	}
	names := map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
	w.sendEvent("message_delta", object{"delta": object{"stop_reason": names[reason], "stop_sequence": nil}, "usage": usage})
	w.sendEvent("message_stop", object{})
}

// breakEvent sends an incomplete event. The stream continues after it.
func (w *wire) breakEvent() {
	if w.blocks != nil {
		w.Raw("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\n\n")
		return
	}
	w.Raw("data: {\"choices\":[{\"delta\":{\"content\":\n\n")
}

// rawText sends text that is not UTF-8, and so is invalid JSON.
func (w *wire) rawText(text string) {
	if w.blocks == nil {
		w.Raw(`data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n")
		return
	}
	w.openBlock("text", object{"text": ""})
	w.Raw(`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}` + "\n\n")
}

func (p protocol) resultField(id string) string {
	if p == messages {
		return `"tool_use_id":"` + id + `"`
	}
	return `"tool_call_id":"` + id + `"`
}

// messagesError is an error response of the Messages API, as its documentation shows it.
func messagesError(code int, headers map[string]string, kind, message string) reply {
	return errorReply(code, headers, `{"type":"error","error":{"type":"`+kind+`","message":"`+message+`"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`)
}

func refusalsOfMessages() []failure {
	overloaded := messagesError(529, soon, "overloaded_error", "Overloaded")
	return []failure{
		{name: "400", script: repeat(1, messagesError(400, nil, "invalid_request_error", "frobnicate: Extra inputs are not permitted")),
			see: []string{"frobnicate: Extra inputs are not permitted", "Request refused (400)"}},
		{name: "400 prompt too long", script: repeat(1, messagesError(400, nil, "invalid_request_error", "prompt is too long: 5000 tokens > 4096 maximum")),
			see: []string{"Larger than the context window (4", "5000 tokens > 4096 maximum"}},
		{name: "400 credit", script: repeat(1, messagesError(400, nil, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")),
			see: []string{"credit balance is too low"}},
		{name: "401", script: repeat(1, messagesError(401, nil, "authentication_error", "invalid x-api-key "+secret)),
			see: []string{"Key refused (401)"}, unseen: secret},
		{name: "403", script: repeat(1, messagesError(403, nil, "permission_error", "Your API key does not have permission to use the specified resource.")),
			see: []string{"does not have permission", "(403)"}},
		{name: "404", script: repeat(1, messagesError(404, nil, "not_found_error", "model: test-model")), see: []string{"test-model", "No such model or address (404)"}},
		{name: "413", script: repeat(1, messagesError(413, nil, "request_too_large", "Request exceeds the maximum size")), see: []string{"(413)"}},
		{name: "429 that passes", script: []reply{messagesError(429, map[string]string{"Retry-After": "1"}, "rate_limit_error", "slow down"), textReply("There we are.")},
			see: []string{"There we are."}, unseen: "slow down"},
		{name: "429 for an hour", script: repeat(1, messagesError(429, map[string]string{"Retry-After": "3600"}, "rate_limit_error", "slow down")),
			see: []string{"slow down", "Rate limited (429)", "the server asks to wait 1h0m0s"}},
		{name: "500 that passes", script: append(repeat(3, messagesError(500, soon, "api_error", "oops")), textReply("There we are.")),
			see: []string{"There we are."}, unseen: "oops"},
		{name: "529 that passes", script: []reply{overloaded, textReply("There we are.")}, see: []string{"There we are."}, unseen: "verloaded"},
		{name: "529 for good", script: repeat(4, overloaded), see: []string{"No capacity (529) after 4 tries"}},
	}
}

// brokenRepliesOfMessages are replies that break off with an error event, or contain unknown events.
func brokenRepliesOfMessages() []failure {
	overloaded := halfReply(func(w *wire) {
		w.sendEvent("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
	})
	return []failure{
		{name: "overloaded once", script: []reply{overloaded, textReply("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "overloaded for good", script: repeat(4, overloaded), kept: "Half of an answer.", see: []string{"after 4 tries", "verloaded"}},
		{name: "400 pings", script: repeat(1, func(w *wire) {
			for range 400 {
				w.sendEvent("ping", object{})
			}
			w.text("Worth the wait.")
			w.end("stop", 0, 0)
		}), see: []string{"Worth the wait."}},
		{name: "unknown events", script: repeat(1, func(w *wire) {
			w.sendEvent("weather_report", object{"wind": "west"})
			w.openBlock("weather_report", object{"wind": "west"})
			w.delta(object{"type": "gust_delta", "gust": 7})
			w.text("A whole answer.")
			w.end("stop", 0, 0)
		}), see: []string{"A whole answer."}, unseen: "west"},
	}
}
