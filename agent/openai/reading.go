package openai

import (
	"context"
	"io"

	"plimsoll/agent/llm"
)

// reading carries one reply from its events to whoever reads it, within limits.
type reading struct {
	client *Client
	parent context.Context // the caller's
	ctx    context.Context // ended by the watchdog too
	events events
	dec    decoder
	dog    *watchdog
	yield  func(llm.Chunk, error) bool

	size int // bytes of the reply so far
}

func (r *reading) run() {
	for {
		e, err := r.events.next()
		if err != nil {
			r.broken(err)
			return
		}
		c, done, err := r.read(e)
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

func (r *reading) read(e event) (c llm.Chunk, done bool, err error) {
	switch e.kind {
	case eventAlive:
		return llm.Chunk{Waiting: true}, false, nil
	case eventError:
		return c, false, r.client.who.Reported(e.data)
	case eventJunk:
		return c, false, r.client.who.Malformed("the answer is not a stream of events", e.data, nil)
	case eventBody:
		c, err = r.dec.Whole(e.data)
		return c, true, err
	}
	c, done, err = r.dec.Frame(e.data)
	if r.dec.Stopped() { // events still count then, keep-alives do not
		r.dog.end(afterStop)
	}
	return c, done, err
}

func (r *reading) fail(err error) {
	last, _ := r.dec.End(false) // its own failure is not the one to report
	r.give(last, err)
}

func (r *reading) give(last llm.Chunk, err error) {
	rest := llm.Chunk{Text: last.Text, Reasoning: last.Reasoning, Calls: last.Calls, Usage: last.Usage}
	if isZero(rest) || r.yield(rest, nil) {
		r.yield(llm.Chunk{}, err)
	}
}

func (r *reading) finish(done bool) {
	last, err := r.dec.End(done)
	if err != nil {
		r.give(last, err)
		return
	}
	if !r.yield(last, nil) {
		return
	}
	r.dog.end(afterDone)
	for err == nil { // reading to the end lets the connection be used again
		_, err = r.events.next()
	}
}

// broken handles the end of the stream without the protocol's own end. Behind a stop reason nothing is missing.
func (r *reading) broken(err error) {
	if r.parent.Err() == nil && (r.dec.Stopped() || err == io.EOF) {
		r.finish(false)
		return
	}
	r.fail(r.client.failure(r.parent, r.ctx, err))
}

func isZero(c llm.Chunk) bool {
	return c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0 && c.Stop == "" &&
		c.Usage == nil && len(c.Extras) == 0 && !c.Waiting && c.Progress == nil && c.BodyHash == "" && c.Form == ""
}
