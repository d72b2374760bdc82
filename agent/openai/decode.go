package openai

import (
	"encoding/json"
	"errors"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

type decoder interface {
	// Frame reads the data of one event. done says that nothing more can come.
	Frame(data []byte) (c llm.Chunk, done bool, err error)
	// Whole reads a body that was not streamed.
	Whole(body []byte) (llm.Chunk, error)
	// Stopped reports whether the reply has its stop reason.
	Stopped() bool
	// End gives the last chunk, and the failure if the reply is not whole. done
	// says that the protocol's own end came.
	End(done bool) (llm.Chunk, error)
}

type chatDecoder struct {
	who   endpoint
	route string
	calls *assembler

	inline   thinking
	text     bool // text has come
	reasoned bool
	reason   string
	usage    *llm.Tokens
	timed    *llm.Tokens
	details  detailList
	extra    conversation.RawJSON // of the message
	signed   bool                 // a call came with fields to echo
	anyKnown bool
	foreign  int // events that are not of this protocol
}

func newChatDecoder(who endpoint, r llm.Request) *chatDecoder {
	return &chatDecoder{who: who, route: routeOf(who, r.Model), calls: newAssembler(callIDs(r.Messages))}
}

func callIDs(messages []projection.Message) map[string]bool {
	ids := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			ids[c.ID] = true
		}
	}
	return ids
}

func (d *chatDecoder) Frame(data []byte) (llm.Chunk, bool, error) {
	if isDone(data) {
		return llm.Chunk{}, true, nil
	}
	f, err := d.parse(data)
	if err != nil {
		return llm.Chunk{}, false, err
	}
	if !f.known() {
		d.foreign++
		return llm.Chunk{}, false, nil
	}
	d.anyKnown = true
	if f.runnerDied() && d.reason == "" {
		return llm.Chunk{}, false, &llm.Error{Class: llm.ServerFault, Message: "the model that " + d.who.Label + " runs ended in the middle of the reply"}
	}
	c := d.take(f)
	if d.calls.tooMany || d.details.size > maxReply {
		return c, false, llm.EndlessReply()
	}
	return c, false, d.reasonError()
}

func (d *chatDecoder) parse(data []byte) (*chatFrame, error) {
	var f chatFrame
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &f); err != nil && !errors.As(err, &odd) {
		return nil, d.who.Malformed("the stream is not valid JSON", data, err)
	}
	if len(f.Error) > 0 && string(f.Error) != "null" {
		return nil, d.who.Reported(data)
	}
	if f.XGroq != nil && f.XGroq.Error != "" {
		return nil, d.who.Reported(data)
	}
	if f.Choices == nil && !f.Usage.counts() && looksLikeError(data) {
		return nil, d.who.Reported(data)
	}
	return &f, nil
}

func (d *chatDecoder) take(f *chatFrame) llm.Chunk {
	var c llm.Chunk
	if f.Usage.counts() {
		d.usage = f.Usage.tokens()
	} else if f.XGroq != nil && f.XGroq.Usage.counts() {
		d.usage = f.XGroq.Usage.tokens()
	}
	if f.Timings != nil {
		d.timed = f.Timings.tokens()
	}
	if p := f.Progress; p != nil && p.Total > 0 {
		c.Progress = &llm.Prefill{Done: min(p.Processed, p.Total), Total: p.Total}
	}
	for i := range f.Choices {
		if ch := &f.Choices[i]; ch.Index == 0 {
			d.takeChoice(ch, &c)
		}
	}
	if c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0 && c.Progress == nil {
		c.Waiting = true
	}
	return c
}

func (d *chatDecoder) takeChoice(ch *choice, c *llm.Chunk) {
	piece := &ch.Delta
	if ch.Message != nil {
		piece = ch.Message
	}
	if ch.Finish != "" {
		d.reason = string(ch.Finish)
	}
	text, thought := d.inline.take(piece.Content.text)
	c.Text += text + string(piece.Refusal)
	c.Reasoning += piece.reasoning() + thought
	c.Calls = append(c.Calls, d.calls.add(piece.Calls)...)
	for _, x := range piece.Calls {
		d.signed = d.signed || len(x.Extra) > 0 && string(x.Extra) != "null"
	}
	d.details.add(piece.Details)
	if len(piece.Extra) > 0 && string(piece.Extra) != "null" {
		d.extra = piece.Extra
	}
	d.came(c)
}

func (d *chatDecoder) came(c *llm.Chunk) {
	d.text = d.text || c.Text != ""
	d.reasoned = d.reasoned || c.Reasoning != ""
}

func (d *chatDecoder) reasonError() error {
	switch d.reason {
	case "error": // OpenRouter, with the message in another place or none
		return &llm.Error{Class: llm.ServerFault, Message: d.who.Label + " broke off the reply"}
	case "abort": // vLLM
		return &llm.Error{Class: llm.ServerFault, Message: d.who.Label + " aborted the reply"}
	case "insufficient_system_resource": // DeepSeek
		return &llm.Error{Class: llm.Overloaded, Message: d.who.Label + " has no capacity for the rest of the reply"}
	}
	return nil
}

func (d *chatDecoder) Whole(body []byte) (llm.Chunk, error) {
	f, err := d.parse(body)
	if err != nil {
		return llm.Chunk{}, err
	}
	if len(f.Choices) == 0 {
		return llm.Chunk{}, d.who.Malformed("the answer is not a chat completion", body, nil)
	}
	d.anyKnown = true
	return d.take(f), d.reasonError()
}

func (d *chatDecoder) Stopped() bool { return d.reason != "" }

func (d *chatDecoder) End(done bool) (llm.Chunk, error) {
	c := llm.Chunk{Calls: d.calls.rest(), Usage: d.tokens()}
	c.Text, c.Reasoning = d.inline.end()
	d.came(&c)
	stop, err := d.stop(done)
	if err != nil {
		return c, err
	}
	c.Stop = stop
	c.Extras = d.extras()
	return c, nil
}

// tokens is the usage, from llama.cpp's timings if nothing better came.
func (d *chatDecoder) tokens() *llm.Tokens {
	if d.usage != nil {
		return d.usage
	}
	return d.timed
}

func (d *chatDecoder) stop(done bool) (conversation.StopReason, error) {
	calls := len(d.calls.calls) > 0
	if d.reason == "" {
		switch {
		case done && d.calls.whole():
			return conversation.StopCalls, nil
		case !d.anyKnown && d.foreign > 0:
			return "", d.who.Malformed("the stream is not of chat completions", nil, nil)
		case done && !d.text && !d.reasoned && !calls:
			return "", d.who.Empty(false)
		}
		return "", d.who.truncated(d.anyKnown)
	}
	switch strings.ToLower(d.reason) {
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return conversation.StopLength, nil
	case "model_context_window_exceeded": // Z.ai, Anthropic
		if !d.text && !d.reasoned && !calls {
			return "", d.who.NoRoom()
		}
		return conversation.StopLength, nil
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "refusal", "sensitive":
		return conversation.StopFiltered, nil
	}
	switch {
	case calls:
		return conversation.StopCalls, nil
	case !d.text:
		return "", d.who.Empty(d.reasoned)
	}
	return conversation.StopEnd, nil
}

func (d *chatDecoder) extras() map[string]conversation.RawJSON {
	list := d.details.json()
	if list == nil && d.extra == nil && !d.signed {
		return nil
	}
	out := map[string]conversation.RawJSON{}
	if list != nil {
		out["reasoning_details"] = list
	}
	if d.extra != nil {
		out["extra_content"] = d.extra
	}
	return withRoute(out, d.route)
}

// NoRoom is the error of a window that was full before a reply began.
func (w endpoint) NoRoom() *llm.Error {
	e := &llm.Error{Class: llm.Overflow}
	e.Message = w.lead(e, "")
	return e
}

// Empty is the error of a reply that says nothing.
func (w endpoint) Empty(reasoned bool) *llm.Error {
	what := w.Label + " gave an empty reply"
	if reasoned {
		what = w.Label + " reasoned, but gave no answer"
	}
	return &llm.Error{Class: llm.Empty, Message: what}
}

func (w endpoint) truncated(begun bool) *llm.Error {
	what := w.Label + " closed the connection without an answer"
	if begun {
		what = "the reply of " + w.Label + " ended in the middle"
	}
	return &llm.Error{Class: llm.Truncated, Message: what}
}
