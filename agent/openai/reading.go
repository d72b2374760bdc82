package openai

import (
	"context"
	"io"

	"plimsoll/agent/llm"
)

// replyReader reads the events of one reply and yields its chunks, within limits.
type replyReader struct {
	client *Client
	parent context.Context // ended by the caller
	ctx    context.Context // ended by the caller or the watchdog
	events eventReader
	dec    decoder
	dog    *watchdog
	yield  func(llm.Chunk, error) bool

	size int // bytes of the reply so far
}

// run reads until the reply ends, fails, or the caller stops.
func (r *replyReader) run() {
	for {
		e, err := r.events.next()
		if err != nil {
			r.streamEnded(err)
			return
		}
		c, done, err := r.decode(e)
		r.size += len(c.Text) + len(c.Reasoning)
		for _, call := range c.Calls {
			r.size += len(call.Arguments) + len(call.Name) + len(call.Extra)
		}
		if err == nil && r.size > maxReply {
			err = llm.EndlessReply()
		}
		switch {
		case !isZero(c) && !r.yield(c, nil):
			return
		case err != nil:
			r.fail(err)
			return
		case done:
			r.finish(true)
			return
		}
	}
}

// decode decodes one event. done means that the reply is complete.
func (r *replyReader) decode(e event) (c llm.Chunk, done bool, err error) {
	switch e.kind {
	case eventAlive:
		return llm.Chunk{Waiting: true}, false, nil
	case eventError:
		return c, false, r.client.endpoint.ReportedError(e.data)
	case eventJunk:
		return c, false, r.client.endpoint.MalformedError("the answer is not a stream of events", e.data, nil)
	case eventBody:
		c, err = r.dec.DecodeBody(e.data)
		return c, true, err
	}
	c, done, err = r.dec.DecodeEvent(e.data)
	if r.dec.HasStopReason() { // the rest must come soon, whatever keep-alives come
		r.dog.end(afterStop)
	}
	return c, done, err
}

// fail yields what was held back, and then the error.
func (r *replyReader) fail(err error) {
	last, _ := r.dec.Finish(false) // err is the error to report, not that the reply is incomplete
	r.yieldLast(last, err)
}

// yieldLast yields the last chunk without its stop reason, and then the error.
func (r *replyReader) yieldLast(last llm.Chunk, err error) {
	rest := llm.Chunk{Text: last.Text, Reasoning: last.Reasoning, Calls: last.Calls, Usage: last.Usage}
	if isZero(rest) || r.yield(rest, nil) {
		r.yield(llm.Chunk{}, err)
	}
}

// finish yields the last chunk. done means that the server marked the end.
func (r *replyReader) finish(done bool) {
	last, err := r.dec.Finish(done)
	if err != nil {
		r.yieldLast(last, err)
		return
	}
	if !r.yield(last, nil) {
		return
	}
	r.dog.end(afterDone)
	for err == nil { // only a connection that was read to its end can be used again
		_, err = r.events.next()
	}
}

// streamEnded handles a stream that ends without the protocol's end mark. After a stop reason the reply is complete.
func (r *replyReader) streamEnded(err error) {
	if r.parent.Err() == nil && (r.dec.HasStopReason() || err == io.EOF) {
		r.finish(false)
		return
	}
	r.fail(r.client.failure(r.parent, r.ctx, err))
}

func isZero(c llm.Chunk) bool {
	return c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0 && c.Stop == "" &&
		c.Usage == nil && len(c.Extras) == 0 && !c.Waiting && c.Progress == nil && c.BodyHash == "" && c.WireForm == ""
}
