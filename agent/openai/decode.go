package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// decoder turns the answer to one request into chunks.
type decoder interface {
	// DecodeEvent decodes the data of one event. done means that the reply is complete.
	DecodeEvent(data []byte) (c llm.Chunk, done bool, err error)
	// DecodeBody decodes a body that was not streamed.
	DecodeBody(body []byte) (llm.Chunk, error)
	// HasStopReason reports whether the reply has its stop reason.
	HasStopReason() bool
	// Finish returns the last chunk, and an error if the reply is not complete. done
	// means that the server marked the end of the stream, as with [DONE].
	Finish(done bool) (llm.Chunk, error)
}

type chatDecoder struct {
	endpoint  endpoint
	modelName string
	calls     *assembler

	splitter      thinkSplitter
	hasText       bool // some text came
	hasReasoning  bool // some reasoning came
	finishReason  string
	usage         *llm.Tokens
	timings       *llm.Tokens
	details       detailList
	extra         conversation.RawJSON // extra_content of the message
	signed        bool                 // a call has extra_content
	isChat        bool                 // an event of this protocol came
	foreignEvents int                  // events of other protocols
}

func newChatDecoder(e endpoint, r llm.Request) *chatDecoder {
	return &chatDecoder{endpoint: e, modelName: nameOf(e, r.Model), calls: newAssembler(r.CallIDs())}
}

func (d *chatDecoder) DecodeEvent(data []byte) (llm.Chunk, bool, error) {
	if isDone(data) {
		return llm.Chunk{}, true, nil
	}
	f, err := d.parse(data)
	if err != nil {
		return llm.Chunk{}, false, err
	}
	if !f.isChat() {
		d.foreignEvents++
		return llm.Chunk{}, false, nil
	}
	d.isChat = true
	if f.runnerDied() && d.finishReason == "" {
		return llm.Chunk{}, false, &llm.Error{Class: llm.ServerFault, Message: "the model that " + d.endpoint.Label + " runs ended in the middle of the reply"}
	}
	c := d.addFrame(f)
	if d.calls.tooMany || d.details.size > maxReply {
		return c, false, llm.EndlessReply()
	}
	return c, false, d.reasonError()
}

// parse decodes an event. It returns the error that the event reports, if it does.
func (d *chatDecoder) parse(data []byte) (*chatFrame, error) {
	var f chatFrame
	if err := decodeLoosely(data, &f); err != nil {
		return nil, d.endpoint.MalformedError("the stream is not valid JSON", data, err)
	}
	if isSet(f.Error) || f.XGroq != nil && f.XGroq.Error != "" || f.Choices == nil && !f.Usage.hasCounts() && looksLikeError(data) {
		return nil, d.endpoint.ReportedError(data)
	}
	return &f, nil
}

// decodeLoosely decodes JSON. A field of an unexpected type counts as absent.
func decodeLoosely(data []byte, into any) error {
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, into); !errors.As(err, &odd) {
		return err
	}
	return nil
}

// isSet reports whether a JSON value is there and not null.
func isSet[T ~[]byte](raw T) bool { return len(raw) > 0 && string(raw) != "null" }

// addFrame adds an event to the reply, and returns what is new in it.
func (d *chatDecoder) addFrame(f *chatFrame) llm.Chunk {
	var c llm.Chunk
	if f.Usage.hasCounts() {
		d.usage = f.Usage.tokens()
	} else if f.XGroq != nil && f.XGroq.Usage.hasCounts() {
		d.usage = f.XGroq.Usage.tokens()
	}
	if f.Timings != nil {
		d.timings = f.Timings.tokens()
	}
	if p := f.Progress; p != nil && p.Total > 0 {
		c.Progress = &llm.Prefill{Done: min(p.Processed, p.Total), Total: p.Total}
	}
	for i := range f.Choices {
		if ch := &f.Choices[i]; ch.Index == 0 {
			d.addChoice(ch, &c)
		}
	}
	if c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0 && c.Progress == nil {
		c.Waiting = true
	}
	return c
}

func (d *chatDecoder) addChoice(ch *choice, c *llm.Chunk) {
	piece := &ch.Delta
	if ch.Message != nil {
		piece = ch.Message
	}
	if ch.Finish != "" {
		d.finishReason = string(ch.Finish)
	}
	text, thought := d.splitter.add(piece.Content.text)
	c.Text += text + string(piece.Refusal)
	c.Reasoning += piece.reasoning() + thought
	c.Calls = append(c.Calls, d.calls.add(piece.Calls)...)
	for _, x := range piece.Calls {
		d.signed = d.signed || isSet(x.Extra)
	}
	d.details.add(piece.Details)
	if isSet(piece.Extra) {
		d.extra = piece.Extra
	}
	d.recordContent(c)
}

// recordContent records whether text and reasoning came.
func (d *chatDecoder) recordContent(c *llm.Chunk) {
	d.hasText = d.hasText || c.Text != ""
	d.hasReasoning = d.hasReasoning || c.Reasoning != ""
}

// reasonError returns the error that some servers report as the stop reason, nil for a real stop reason.
func (d *chatDecoder) reasonError() error {
	switch d.finishReason {
	case "error": // OpenRouter, whose message is in another field or missing
		return &llm.Error{Class: llm.ServerFault, Message: d.endpoint.Label + " broke off the reply"}
	case "abort": // vLLM
		return &llm.Error{Class: llm.ServerFault, Message: d.endpoint.Label + " aborted the reply"}
	case "insufficient_system_resource": // DeepSeek
		return &llm.Error{Class: llm.Overloaded, Message: d.endpoint.Label + " has no capacity for the rest of the reply"}
	}
	return nil
}

func (d *chatDecoder) DecodeBody(body []byte) (llm.Chunk, error) {
	f, err := d.parse(body)
	if err != nil {
		return llm.Chunk{}, err
	}
	if len(f.Choices) == 0 {
		return llm.Chunk{}, d.endpoint.MalformedError("the answer is not a chat completion", body, nil)
	}
	d.isChat = true
	return d.addFrame(f), d.reasonError()
}

func (d *chatDecoder) HasStopReason() bool { return d.finishReason != "" }

func (d *chatDecoder) Finish(done bool) (llm.Chunk, error) {
	c := llm.Chunk{Calls: d.calls.flush(), Usage: cmp.Or(d.usage, d.timings)} // llama.cpp sends timings, with or without usage
	c.Text, c.Reasoning = d.splitter.end()
	d.recordContent(&c)
	var err error
	if c.Stop, err = d.stop(done); err == nil {
		c.Extras = d.extras()
	}
	return c, err
}

// stop returns why the reply ended, or an error if it is not complete.
func (d *chatDecoder) stop(done bool) (conversation.StopReason, error) {
	calls := len(d.calls.calls) > 0
	if d.finishReason == "" {
		switch {
		case done && d.calls.areComplete():
			return conversation.StopCalls, nil
		case !d.isChat && d.foreignEvents > 0:
			return "", d.endpoint.MalformedError("the stream is not of chat completions", nil, nil)
		case done && !d.hasText && !d.hasReasoning && !calls:
			return "", d.endpoint.EmptyReplyError(false)
		}
		return "", d.endpoint.truncatedError(d.isChat)
	}
	switch strings.ToLower(d.finishReason) {
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return conversation.StopLength, nil
	case "model_context_window_exceeded": // Z.ai, Anthropic
		if !d.hasText && !d.hasReasoning && !calls {
			return "", d.endpoint.WindowFullError()
		}
		return conversation.StopLength, nil
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "refusal", "sensitive":
		return conversation.StopFiltered, nil
	}
	switch {
	case calls:
		return conversation.StopCalls, nil
	case !d.hasText:
		return "", d.endpoint.EmptyReplyError(d.hasReasoning)
	}
	return conversation.StopEnd, nil
}

// extras returns the fields that go back with the message in later requests, nil if it has none.
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
	return withModel(out, d.modelName)
}

// WindowFullError returns the error of a reply that could not begin, because the prompt filled the window.
func (w endpoint) WindowFullError() *llm.Error {
	e := &llm.Error{Class: llm.Overflow}
	e.Message = w.lead(e, "")
	return e
}

// EmptyReplyError returns the error of a reply without text and calls. reasoned means that it had reasoning.
func (w endpoint) EmptyReplyError(reasoned bool) *llm.Error {
	what := w.Label + " gave an empty reply"
	if reasoned {
		what = w.Label + " reasoned, but gave no answer"
	}
	return &llm.Error{Class: llm.Empty, Message: what}
}

// truncatedError returns the error of a stream that ended before its stop reason. begun means that part of the reply came.
func (w endpoint) truncatedError(begun bool) *llm.Error {
	what := w.Label + " closed the connection without an answer"
	if begun {
		what = "the reply of " + w.Label + " ended in the middle"
	}
	return &llm.Error{Class: llm.Truncated, Message: what}
}
