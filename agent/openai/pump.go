package openai

import (
	"context"
	"errors"
	"io"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// pump carries one reply from the stream to whoever reads it, within limits.
type pump struct {
	client *Client
	parent context.Context // the caller's
	ctx    context.Context // ended by the watchdog too
	frames *frames
	dec    decoder
	dog    *watchdog
	yield  func(llm.Chunk, error) bool

	size int  // bytes of the reply so far
	raw  int  // bytes of the frames so far
	left bool // the reader has left the loop
}

// run yields chunks until the reply has ended, one way or another.
func (p *pump) run() {
	for !p.left {
		f, err := p.frames.next()
		if err != nil {
			p.broken(err)
			return
		}
		if p.raw += 1 + len(f.data); p.raw > p.client.maxStream {
			p.fail(endless())
			return
		}
		if over := p.frame(f.kind, f.data); over {
			return
		}
	}
}

// frame handles one frame and reports whether the reply is over.
func (p *pump) frame(kind frameKind, data []byte) (over bool) {
	switch kind {
	case frameAlive:
		return !p.emit(llm.Chunk{Waiting: true})
	case frameError:
		return p.fail(p.client.who.reported(data))
	case frameJunk:
		return p.fail(p.client.who.malformed("the answer is not a stream of events", data, nil))
	case frameBody:
		c, err := p.dec.whole(data)
		return p.handle(c, true, err)
	}
	c, done, err := p.dec.frame(data)
	if err != nil && kind == frameCut && llm.AsError(err).Class == llm.Malformed {
		err = truncated(p.client.who, true)
	}
	if p.dec.stopped() { // events still count then, keep-alives do not
		p.dog.end(afterStop)
	}
	return p.handle(c, done, err)
}

// handle passes a chunk on, then the failure or the end.
func (p *pump) handle(c llm.Chunk, done bool, err error) (over bool) {
	if (!isZero(c)) && !p.emit(c) {
		return true
	}
	if err != nil {
		return p.fail(err)
	}
	if done {
		p.finish(true)
	}
	return done
}

// emit yields a chunk and reports whether to go on.
func (p *pump) emit(c llm.Chunk) bool {
	p.size += len(c.Text) + len(c.Reasoning)
	for _, call := range c.Calls {
		p.size += len(call.Arguments) + len(call.Name) + len(call.Extra)
	}
	p.left = !p.yield(c, nil)
	if p.left {
		return false
	}
	if p.size > maxReply {
		p.fail(endless())
		return false
	}
	return true
}

func endless() *llm.Error {
	return &llm.Error{Class: llm.Malformed, NoRetry: true,
		Message: "the reply was too long and was stopped",
		Hint:    "the model may be repeating itself; ask again, or for less at once"}
}

// fail yields what is known of usage, then the failure.
func (p *pump) fail(err error) bool {
	last, _ := p.dec.end(false) // its own failure is not the one to report
	return p.failWith(last, err)
}

// failWith yields what counts of the last chunk, then the failure.
func (p *pump) failWith(last llm.Chunk, err error) bool {
	rest := llm.Chunk{Text: last.Text, Reasoning: last.Reasoning, Calls: last.Calls, Usage: last.Usage}
	if !isZero(rest) && !p.yield(rest, nil) {
		return true
	}
	p.yield(llm.Chunk{}, err)
	return true
}

// finish ends a reply whose stream came to its end.
func (p *pump) finish(done bool) {
	last, err := p.dec.end(done)
	if err != nil {
		p.failWith(last, err)
		return
	}
	if !p.yield(last, nil) {
		return
	}
	// Reading to the end lets the connection be used again.
	p.dog.end(afterDone)
	for {
		if _, err := p.frames.next(); err != nil {
			return
		}
	}
}

// broken handles the end of the stream without the protocol's own end. Behind
// a stop reason nothing is missing.
func (p *pump) broken(err error) {
	switch {
	case p.parent.Err() != nil:
		p.fail(p.client.failure(p.parent, p.ctx, err))
	case p.dec.stopped() || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		p.finish(false)
	default:
		p.fail(p.client.failure(p.parent, p.ctx, err))
	}
}

// isZero reports whether a chunk says nothing.
func isZero(c llm.Chunk) bool {
	return c.Text == "" && c.Reasoning == "" && len(c.Calls) == 0 && c.Stop == conversation.StopReason("") &&
		c.Usage == nil && len(c.Extras) == 0 && !c.Waiting && c.Progress == nil && c.BodyHash == "" && c.Form == ""
}
