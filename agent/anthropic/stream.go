package anthropic

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Decoding a stream. Each event names the content block that it belongs to. Text, thinking and the input of a call
// arrive in parts; the signature of thinking comes last. Events and blocks of unknown types are ignored.

// Errors returns errors about a server's answer, with messages for the user and without keys.
type Errors interface {
	ReportedError(data []byte) *llm.Error // the error that the server reports
	MalformedError(what string, data []byte, cause error) *llm.Error
	EmptyReplyError(reasoned bool) *llm.Error // a reply without text and calls
	WindowFullError() *llm.Error              // the prompt filled the window, so no reply began
}

type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *reply          `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   struct {
		Type      string  `json:"type"`
		Text      string  `json:"text"`
		Thinking  string  `json:"thinking"`
		Signature string  `json:"signature"`
		Input     string  `json:"partial_json"`
		Stop      string  `json:"stop_reason"`
		Details   details `json:"stop_details"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"`
}

// reply is a whole message; at the start of a stream it has no content yet.
type reply struct {
	Type    string            `json:"type"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
	Details details           `json:"stop_details"`
	Usage   json.RawMessage   `json:"usage"`
}

type details struct {
	Category    string `json:"category"`
	Explanation string `json:"explanation"`
}

// blockStart is a content block as its first event describes it.
type blockStart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// openBlock is a content block that is being read.
type openBlock struct {
	blockStart
	call     int // number of the call
	input    int // bytes of the call's input so far
	closed   bool
	text     int  // bytes of text
	hasText  bool // the text is more than white space
	thinking strings.Builder
}

// Decoder reads one reply.
type Decoder struct {
	errors    Errors
	modelName string
	binding   Binding
	usedIDs   map[string]bool // ids of the calls in the conversation

	blocks     map[int]*openBlock
	pieces     []piece
	calls      int
	size       int // bytes of pieces
	reason     string
	details    details
	usage      usage
	isMessages bool // an event of this protocol came
	isForeign  bool // an event of another protocol came
}

// Limits that no real reply reaches.
const (
	maxBlocks = 4096
	maxKept   = 4 << 20
)

// NewDecoder returns a decoder for the reply to r. modelName and binding are those of the request's body.
func NewDecoder(e Errors, r llm.Request, modelName string, binding Binding) *Decoder {
	return &Decoder{errors: e, modelName: modelName, binding: binding, usedIDs: r.CallIDs(), blocks: map[int]*openBlock{}, usage: unreported()}
}

// DecodeEvent decodes the data of one event. done means that the reply is complete.
func (d *Decoder) DecodeEvent(data []byte) (c llm.Chunk, done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil && !json.Valid(data) {
		return c, false, d.errors.MalformedError("the stream is not valid JSON", data, err)
	}
	switch e.Type {
	case "error":
		return c, false, d.errors.ReportedError(data)
	case "message_start":
		d.isMessages = true
		if e.Message != nil {
			d.addUsage(e.Message.Usage)
		}
		c.Waiting = true
	case "content_block_start":
		d.isMessages = true
		c, err = d.begin(e.Index, e.Block)
	case "content_block_delta":
		c = d.delta(&e)
	case "content_block_stop":
		c = d.finish(e.Index)
	case "message_delta":
		d.isMessages = true
		d.addUsage(e.Usage)
		if e.Delta.Stop != "" {
			d.reason, d.details = e.Delta.Stop, e.Delta.Details
		}
	case "message_stop":
		return c, true, nil
	case "":
		d.isForeign = true
		return c, false, d.foreignError(data)
	}
	if d.size > maxKept {
		err = llm.EndlessReply()
	}
	return c, false, err
}

// addUsage updates the usage. A field of the wrong type is ignored.
func (d *Decoder) addUsage(reported json.RawMessage) { _ = json.Unmarshal(reported, &d.usage) }

// foreignError returns the error for an event of another protocol, nil if the event can be ignored.
func (d *Decoder) foreignError(data []byte) error {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Choices json.RawMessage `json:"choices"`
	}
	switch {
	case json.Unmarshal(data, &e) != nil:
	case len(e.Error) > 0:
		return d.errors.ReportedError(data)
	case len(e.Choices) > 0 && !d.isMessages:
		return d.errors.MalformedError("it speaks another protocol; set wire: chat for it", data, nil)
	}
	return nil
}

// begin opens a content block.
func (d *Decoder) begin(index int, raw json.RawMessage) (llm.Chunk, error) {
	b := &openBlock{}
	// A field of the wrong type counts as absent.
	_ = json.Unmarshal(raw, &b.blockStart)
	if len(d.blocks) >= maxBlocks || d.blocks[index] != nil {
		return llm.Chunk{}, d.errors.MalformedError("its reply is malformed", raw, nil)
	}
	d.blocks[index] = b
	d.size += len(raw)
	var c llm.Chunk
	switch b.Type {
	case "text":
		c.Text = b.Text
		b.text, b.hasText = len(b.Text), strings.TrimSpace(b.Text) != ""
	case "thinking":
		c.Reasoning = b.Thinking
		b.thinking.WriteString(b.Thinking)
	case "tool_use":
		if b.ID == "" || d.usedIDs[b.ID] || len(b.ID) > projection.MaxCallID {
			b.ID = "toolu_" + rand.Text()
		}
		d.usedIDs[b.ID] = true
		b.call, d.calls = d.calls, d.calls+1
		c.Calls = []llm.CallDelta{{Index: b.call, ID: b.ID, Name: b.Name}}
	}
	c.Waiting = c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0
	return c, nil
}

// delta adds a part to its content block.
func (d *Decoder) delta(e *event) llm.Chunk {
	b := d.blocks[e.Index]
	if b == nil || b.closed {
		return llm.Chunk{Waiting: true}
	}
	switch e.Delta.Type {
	case "text_delta":
		b.text += len(e.Delta.Text)
		b.hasText = b.hasText || strings.TrimSpace(e.Delta.Text) != ""
		return llm.Chunk{Text: e.Delta.Text, Waiting: e.Delta.Text == ""}
	case "thinking_delta":
		b.thinking.WriteString(e.Delta.Thinking)
		d.size += len(e.Delta.Thinking)
		return llm.Chunk{Reasoning: e.Delta.Thinking, Waiting: e.Delta.Thinking == ""}
	case "signature_delta":
		b.Signature += e.Delta.Signature
		d.size += len(e.Delta.Signature)
	case "input_json_delta":
		if b.Type == "tool_use" && e.Delta.Input != "" {
			b.input += len(e.Delta.Input)
			return llm.Chunk{Calls: []llm.CallDelta{{Index: b.call, Arguments: e.Delta.Input}}}
		}
	}
	return llm.Chunk{Waiting: true}
}

// finish closes a content block, and keeps the part of it that later requests send back.
func (d *Decoder) finish(index int) llm.Chunk {
	b := d.blocks[index]
	if b == nil || b.closed {
		return llm.Chunk{Waiting: true}
	}
	b.closed = true
	switch b.Type {
	case "text":
		if b.hasText {
			d.pieces = append(d.pieces, piece{Text: b.text})
		} else if b.text > 0 {
			d.pieces = append(d.pieces, piece{Blank: b.text})
		}
	case "thinking":
		block := map[string]string{"type": "thinking", "thinking": b.thinking.String(), "signature": b.Signature}
		raw, _ := conversation.EncodeJSON(block) // strings always encode
		d.pieces = append(d.pieces, piece{Raw: raw})
		b.thinking.Reset()
	case "redacted_thinking":
		raw, _ := conversation.EncodeJSON(map[string]string{"type": "redacted_thinking", "data": b.Data})
		d.pieces = append(d.pieces, piece{Raw: raw})
	case "tool_use":
		d.pieces = append(d.pieces, piece{Call: b.ID})
		if input := strings.TrimSpace(string(b.Input)); b.input == 0 && input != "" && input != "null" {
			return llm.Chunk{Calls: []llm.CallDelta{{Index: b.call, Arguments: input}}}
		}
	}
	return llm.Chunk{Waiting: true}
}

// DecodeBody decodes a body that was not streamed.
func (d *Decoder) DecodeBody(body []byte) (llm.Chunk, error) {
	var r reply
	if err := json.Unmarshal(body, &r); err != nil && !json.Valid(body) {
		return llm.Chunk{}, d.errors.MalformedError("the answer is not JSON", body, err)
	}
	if r.Type != "message" {
		if err := d.foreignError(body); err != nil {
			return llm.Chunk{}, err
		}
		return llm.Chunk{}, d.errors.MalformedError("the answer is not a message", body, nil)
	}
	d.isMessages = true
	d.addUsage(r.Usage)
	d.reason, d.details = r.Stop, r.Details
	var all llm.Chunk
	for i, raw := range r.Content {
		c, err := d.begin(i, raw)
		if err != nil {
			return all, err
		}
		rest := d.finish(i)
		all.Text += c.Text
		all.Reasoning += c.Reasoning
		all.Calls = append(append(all.Calls, c.Calls...), rest.Calls...)
	}
	return all, nil
}

// HasStopReason reports whether the reply has its stop reason.
func (d *Decoder) HasStopReason() bool { return d.reason != "" }

// Finish returns the last chunk, and an error if the reply is not complete.
func (d *Decoder) Finish(bool) (llm.Chunk, error) {
	c := llm.Chunk{Usage: d.usage.tokens()}
	if d.reason == "" {
		if d.isForeign && !d.isMessages {
			return c, d.errors.MalformedError("the answer is not a stream of messages; set wire: chat if it speaks chat completions", nil, nil)
		}
		return c, llm.TruncatedReply()
	}
	c.Stop, c.Paused = d.stop(), d.reason == "pause_turn" && d.calls == 0
	if c.Stop == conversation.StopFiltered {
		c.Refusal = d.details.text()
	}
	if err := d.emptyError(c.Stop); err != nil {
		return c, err
	}
	c.Extras = extrasOf(d.pieces, d.modelName, d.binding)
	return c, nil
}

func (w details) text() string {
	text := cmp.Or(conversation.OneLine(llm.OneLine(w.Explanation), 500), "no reason was given")
	if category := conversation.OneLine(llm.OneLine(w.Category), 60); category != "" {
		text = category + ": " + text
	}
	return text
}

// emptyError returns the error for a reply without text and calls; nil if it has some, or was cut short.
func (d *Decoder) emptyError(stop conversation.StopReason) error {
	reasoned := false
	for _, b := range d.blocks {
		if b.text > 0 || b.Type == "tool_use" {
			return nil
		}
		reasoned = reasoned || b.Type == "thinking" || b.Type == "redacted_thinking"
	}
	switch {
	case stop == conversation.StopEnd:
		return d.errors.EmptyReplyError(reasoned)
	case d.reason == "model_context_window_exceeded" && !reasoned:
		return d.errors.WindowFullError()
	}
	return nil
}

// stop translates the stop reason. Calls are run whatever the reason, unless they may be incomplete.
func (d *Decoder) stop() conversation.StopReason {
	switch d.reason {
	case "max_tokens", "model_context_window_exceeded":
		return conversation.StopLength
	case "refusal":
		return conversation.StopFiltered
	}
	if d.calls > 0 {
		return conversation.StopCalls
	}
	return conversation.StopEnd
}
