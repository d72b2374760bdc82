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

// Reading a stream. Its events name the block of content that they belong to. Text and thinking come in pieces, and so
// does the input of a call; a signature comes last. Events and blocks of types that are not known are passed over.

// Errors makes failures of what a server sends, without keys, in words for the user.
type Errors interface {
	Reported(data []byte) *llm.Error
	Malformed(what string, data []byte, cause error) *llm.Error
	Empty(reasoned bool) *llm.Error // a reply without text and calls
	NoRoom() *llm.Error             // a window that was full before a reply began
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

// reply is a message as a whole; in a stream its beginning.
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

type begun struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type open struct {
	begun
	call  int // number of the call
	input int // bytes of input so far
	kept  bool
	text  int  // bytes of text
	solid bool // text has more than blanks
	words strings.Builder
}

// Decoder reads one reply.
type Decoder struct {
	errors Errors
	route  string
	past   Past
	taken  map[string]bool // ids that calls of the conversation have

	blocks map[int]*open
	pieces []piece
	calls  int
	size   int // bytes kept
	reason string
	why    details
	usage  usage
	known  bool // an event of this protocol came
	odd    bool // one of another did
}

// Limits that no real reply reaches.
const (
	maxBlocks = 4096
	maxKept   = 4 << 20
)

// NewDecoder returns a decoder of the reply to r, which goes by a route and has a past.
func NewDecoder(e Errors, r llm.Request, route string, past Past) *Decoder {
	d := &Decoder{errors: e, route: route, past: past, taken: map[string]bool{}, blocks: map[int]*open{}, usage: unreported()}
	for i := range r.Messages {
		for _, c := range r.Messages[i].Calls {
			d.taken[c.ID] = true
		}
	}
	return d
}

// Frame reads the data of one event. done says that nothing more can come.
func (d *Decoder) Frame(data []byte) (c llm.Chunk, done bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil && !json.Valid(data) {
		return c, false, d.errors.Malformed("the stream is not valid JSON", data, err)
	}
	switch e.Type {
	case "error":
		return c, false, d.errors.Reported(data)
	case "message_start":
		d.known = true
		if e.Message != nil {
			d.count(e.Message.Usage)
		}
		c.Waiting = true
	case "content_block_start":
		d.known = true
		c, err = d.begin(e.Index, e.Block)
	case "content_block_delta":
		c = d.delta(&e)
	case "content_block_stop":
		c = d.finish(e.Index)
	case "message_delta":
		d.known = true
		d.count(e.Usage)
		if e.Delta.Stop != "" {
			d.reason, d.why = e.Delta.Stop, e.Delta.Details
		}
	case "message_stop":
		return c, true, nil
	case "":
		d.odd = true
		return c, false, d.foreign(data)
	}
	if d.size > maxKept {
		err = llm.EndlessReply()
	}
	return c, false, err
}

// count takes over what is reported; a count of another type is as good as none.
func (d *Decoder) count(reported json.RawMessage) { _ = json.Unmarshal(reported, &d.usage) }

// foreign is the error of an event of another protocol, nil while it may be one that can be passed over.
func (d *Decoder) foreign(data []byte) error {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Choices json.RawMessage `json:"choices"`
	}
	switch {
	case json.Unmarshal(data, &e) != nil:
	case len(e.Error) > 0:
		return d.errors.Reported(data)
	case len(e.Choices) > 0 && !d.known:
		return d.errors.Malformed("it speaks another protocol; set wire: chat for it", data, nil)
	}
	return nil
}

func (d *Decoder) begin(index int, raw json.RawMessage) (llm.Chunk, error) {
	b := &open{}
	// A field of another type is as good as absent.
	_ = json.Unmarshal(raw, &b.begun)
	if len(d.blocks) >= maxBlocks || d.blocks[index] != nil {
		return llm.Chunk{}, d.errors.Malformed("its reply is malformed", raw, nil)
	}
	d.blocks[index] = b
	d.size += len(raw)
	var c llm.Chunk
	switch b.Type {
	case "text":
		c.Text = b.Text
		b.text, b.solid = len(b.Text), strings.TrimSpace(b.Text) != ""
	case "thinking":
		c.Reasoning = b.Thinking
		b.words.WriteString(b.Thinking)
	case "tool_use":
		if b.ID == "" || d.taken[b.ID] || len(b.ID) > projection.MaxCallID {
			b.ID = "toolu_" + rand.Text()
		}
		d.taken[b.ID] = true
		b.call, d.calls = d.calls, d.calls+1
		c.Calls = []llm.CallDelta{{Index: b.call, ID: b.ID, Name: b.Name}}
	}
	c.Waiting = c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0
	return c, nil
}

func (d *Decoder) delta(e *event) llm.Chunk {
	b := d.blocks[e.Index]
	if b == nil || b.kept {
		return llm.Chunk{Waiting: true}
	}
	switch e.Delta.Type {
	case "text_delta":
		b.text += len(e.Delta.Text)
		b.solid = b.solid || strings.TrimSpace(e.Delta.Text) != ""
		return llm.Chunk{Text: e.Delta.Text, Waiting: e.Delta.Text == ""}
	case "thinking_delta":
		b.words.WriteString(e.Delta.Thinking)
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

// finish closes a block, and keeps what has to go back of it.
func (d *Decoder) finish(index int) llm.Chunk {
	b := d.blocks[index]
	if b == nil || b.kept {
		return llm.Chunk{Waiting: true}
	}
	b.kept = true
	switch b.Type {
	case "text":
		switch {
		case b.solid:
			d.pieces = append(d.pieces, piece{Text: b.text})
		case b.text > 0:
			d.pieces = append(d.pieces, piece{Blank: b.text})
		}
	case "thinking":
		d.keep(map[string]string{"type": "thinking", "thinking": b.words.String(), "signature": b.Signature})
		b.words.Reset()
	case "redacted_thinking":
		d.keep(map[string]string{"type": "redacted_thinking", "data": b.Data})
	case "tool_use":
		d.pieces = append(d.pieces, piece{Call: b.ID})
		if input := strings.TrimSpace(string(b.Input)); b.input == 0 && input != "" && input != "null" {
			return llm.Chunk{Calls: []llm.CallDelta{{Index: b.call, Arguments: input}}}
		}
	}
	return llm.Chunk{Waiting: true}
}

func (d *Decoder) keep(fields map[string]string) {
	raw, err := conversation.EncodeJSON(fields)
	if err == nil { // strings always have a JSON form
		d.pieces = append(d.pieces, piece{Raw: raw})
	}
}

// Whole reads a body that was not streamed.
func (d *Decoder) Whole(body []byte) (llm.Chunk, error) {
	var r reply
	if err := json.Unmarshal(body, &r); err != nil && !json.Valid(body) {
		return llm.Chunk{}, d.errors.Malformed("the answer is not JSON", body, err)
	}
	if r.Type == "error" || r.Type != "message" {
		if err := d.foreign(body); err != nil {
			return llm.Chunk{}, err
		}
		return llm.Chunk{}, d.errors.Malformed("the answer is not a message", body, nil)
	}
	d.known = true
	d.count(r.Usage)
	d.reason, d.why = r.Stop, r.Details
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

// Stopped reports whether the reply has its stop reason.
func (d *Decoder) Stopped() bool { return d.reason != "" }

// End gives the last chunk, and the failure if the reply is not whole.
func (d *Decoder) End(bool) (llm.Chunk, error) {
	c := llm.Chunk{Usage: d.usage.tokens()}
	if d.reason == "" {
		if d.odd && !d.known {
			return c, d.errors.Malformed("the answer is not a stream of messages; set wire: chat if it speaks chat completions", nil, nil)
		}
		return c, llm.TruncatedReply()
	}
	c.Stop, c.Paused = d.stop(), d.reason == "pause_turn" && d.calls == 0
	if c.Stop == conversation.StopFiltered {
		c.Refusal = d.why.words()
	}
	if err := d.hollow(c.Stop); err != nil {
		return c, err
	}
	c.Extras = extras(d.pieces, d.route, d.past)
	return c, nil
}

func (w details) words() string {
	text := cmp.Or(conversation.OneLine(llm.OneLine(w.Explanation), 500), "no reason was given")
	if category := conversation.OneLine(llm.OneLine(w.Category), 60); category != "" {
		text = category + ": " + text
	}
	return text
}

// hollow is the failure of a reply that ended without text and calls, nil if it has some, or was stopped.
func (d *Decoder) hollow(stop conversation.StopReason) error {
	reasoned := false
	for _, b := range d.blocks {
		if b.text > 0 || b.Type == "tool_use" {
			return nil
		}
		reasoned = reasoned || b.Type == "thinking" || b.Type == "redacted_thinking"
	}
	switch {
	case stop == conversation.StopEnd:
		return d.errors.Empty(reasoned)
	case d.reason == "model_context_window_exceeded" && !reasoned:
		return d.errors.NoRoom()
	}
	return nil
}

// stop is the reason in our terms. Calls are to be run whatever reason there is, unless they are cut.
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
