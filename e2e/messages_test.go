package e2e_test

import "testing"

// The Messages API, as a scripted server speaks it: events of blocks in place of
// chunks.

// protocol is what a server speaks.
type protocol string

const (
	chat     protocol = "chat"
	messages protocol = "messages"
)

// overWires runs a test over each protocol.
func overWires(t *testing.T, test func(t *testing.T, speak protocol)) {
	t.Parallel()
	for _, speak := range []protocol{chat, messages} {
		t.Run(string(speak), func(t *testing.T) {
			t.Parallel()
			test(t, speak)
		})
	}
}

// content is how far the blocks of a reply are.
type content struct {
	begun bool
	open  string // type of the block that is open
	index int    // its number
}

// signed is the signature of all thinking.
const signed = "c2lnbmVkIGJ5IHRoZSBzZXJ2ZXI="

// block opens a block, unless one of its type is open that can go on.
func (w *wire) block(kind string, start object) {
	c := w.content
	if !c.begun {
		c.begun = true
		w.named("message_start", object{"message": object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": modelName, "content": []object{},
			"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 0, "output_tokens": 1},
		}})
		w.named("ping", object{})
	}
	if c.open == kind && kind != "tool_use" {
		return
	}
	w.closeBlock()
	start["type"] = kind
	c.open = kind
	w.named("content_block_start", object{"index": c.index, "content_block": start})
}

// closeBlock closes the block that is open.
func (w *wire) closeBlock() {
	c := w.content
	if c.open == "" {
		return
	}
	if c.open == "thinking" {
		w.delta(object{"type": "signature_delta", "signature": signed})
	}
	w.named("content_block_stop", object{"index": c.index})
	c.open = ""
	c.index++
}

func (w *wire) delta(d object) {
	w.named("content_block_delta", object{"index": w.content.index, "delta": d})
}

// named sends an event with its name, as the documentation shows them.
func (w *wire) named(kind string, fields object) {
	fields["type"] = kind
	w.Raw("event: " + kind + "\n")
	w.Event(fields)
}

func (w *wire) words(piece string) {
	w.block("text", object{"text": ""})
	w.delta(object{"type": "text_delta", "text": piece})
}

func (w *wire) thinking(piece string) {
	w.block("thinking", object{"thinking": "", "signature": ""})
	w.delta(object{"type": "thinking_delta", "thinking": piece})
}

// use sends a call, its input in two pieces.
func (w *wire) use(id, name, input string) {
	w.block("tool_use", object{"id": id, "name": name, "input": object{}})
	half := len(input) / 2
	for half > 0 && input[half]&0xC0 == 0x80 { // within a character
		half--
	}
	w.delta(object{"type": "input_json_delta", "partial_json": input[:half]})
	w.delta(object{"type": "input_json_delta", "partial_json": input[half:]})
}

// stop ends the reply. The reasons are those of chat completions.
func (w *wire) stop(reason string, prompt, completion int) {
	w.block("text", object{"text": ""})
	w.closeBlock()
	usage := object{"output_tokens": completion}
	if prompt > 0 {
		usage["input_tokens"] = prompt
	}
	names := map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
	w.named("message_delta", object{"delta": object{"stop_reason": names[reason], "stop_sequence": nil}, "usage": usage})
	w.named("message_stop", object{})
}

// garble breaks an event in its middle; the stream goes on behind it.
func (w *wire) garble() {
	if w.content != nil {
		w.Raw("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\n\n")
		return
	}
	w.Raw("data: {\"choices\":[{\"delta\":{\"content\":\n\n")
}

// bytes sends text that is not UTF-8, and so no JSON either.
func (w *wire) bytes(text string) {
	if w.content == nil {
		w.Raw(`data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n")
		return
	}
	w.block("text", object{"text": ""})
	w.Raw(`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}` + "\n\n")
}

// answers is how a request says that it holds the result of a call.
func (p protocol) answers(id string) string {
	if p == messages {
		return `"tool_use_id":"` + id + `"`
	}
	return `"tool_call_id":"` + id + `"`
}

// refused is a refusal, as the documentation of the Messages API shows it.
func refused(code int, headers map[string]string, kind, message string) reply {
	return status(code, headers, `{"type":"error","error":{"type":"`+kind+`","message":"`+message+`"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`)
}

func refusalsOfMessages() []mishap {
	overloaded := refused(529, soon, "overloaded_error", "Overloaded")
	return []mishap{
		{name: "400", script: again(1, refused(400, nil, "invalid_request_error", "frobnicate: Extra inputs are not permitted")),
			see: []string{"frobnicate: Extra inputs are not permitted", "Request refused (400)"}},
		{name: "400 prompt too long", script: again(1, refused(400, nil, "invalid_request_error", "prompt is too long: 5000 tokens > 4096 maximum")),
			see: []string{"Larger than the context window (4", "5000 tokens > 4096 maximum"}},
		{name: "400 credit", script: again(1, refused(400, nil, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")),
			see: []string{"credit balance is too low"}},
		{name: "401", script: again(1, refused(401, nil, "authentication_error", "invalid x-api-key "+secret)),
			see: []string{"Key refused (401)"}, unseen: secret},
		{name: "403", script: again(1, refused(403, nil, "permission_error", "Your API key does not have permission to use the specified resource.")),
			see: []string{"does not have permission", "(403)"}},
		{name: "404", script: again(1, refused(404, nil, "not_found_error", "model: test-model")), see: []string{"test-model", "No such model or address (404)"}},
		{name: "413", script: again(1, refused(413, nil, "request_too_large", "Request exceeds the maximum size")), see: []string{"(413)"}},
		{name: "429 that passes", script: []reply{refused(429, map[string]string{"Retry-After": "1"}, "rate_limit_error", "slow down"), says("There we are.")},
			see: []string{"There we are."}, unseen: "slow down"},
		{name: "429 for an hour", script: again(1, refused(429, map[string]string{"Retry-After": "3600"}, "rate_limit_error", "slow down")),
			see: []string{"slow down", "Rate limited (429)", "the server asks to wait 1h0m0s"}},
		{name: "500 that passes", script: append(again(3, refused(500, soon, "api_error", "oops")), says("There we are.")),
			see: []string{"There we are."}, unseen: "oops"},
		{name: "529 that passes", script: []reply{overloaded, says("There we are.")}, see: []string{"There we are."}, unseen: "verloaded"},
		{name: "529 for good", script: again(4, overloaded), see: []string{"No capacity (529) after 4 tries"}},
	}
}

// breakagesOfMessages break off with an event that says so.
func breakagesOfMessages() []mishap {
	overloaded := half(func(w *wire) {
		w.named("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})
	})
	return []mishap{
		{name: "overloaded once", script: []reply{overloaded, says("A whole answer.")}, see: []string{"A whole answer."}, unseen: "Half of"},
		{name: "overloaded for good", script: again(4, overloaded), kept: "Half of an answer.", see: []string{"after 4 tries", "verloaded"}},
		{name: "400 pings", script: again(1, func(w *wire) {
			for range 400 {
				w.named("ping", object{})
			}
			w.text("Worth the wait.")
			w.end("stop", 0, 0)
		}), see: []string{"Worth the wait."}},
		{name: "events that nobody knows", script: again(1, func(w *wire) {
			w.named("weather_report", object{"wind": "west"})
			w.block("weather_report", object{"wind": "west"})
			w.delta(object{"type": "gust_delta", "gust": 7})
			w.text("A whole answer.")
			w.end("stop", 0, 0)
		}), see: []string{"A whole answer."}, unseen: "west"},
	}
}
