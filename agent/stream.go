package agent

import (
	"context"

	"plimsoll/conversation"
)

// One goroutine reads the provider and hands pieces over; the owner adds them
// up, shows them, and goes on draining its inbox. Whatever arrived is part of the reply,
// also when the stream then broke or was stopped. When stream returns, the
// provider and the keeper of the partial reply have ended.

// maxReply is how many bytes of one reply are taken. No window holds so much:
// what goes on after it does not end.
const maxReply = 16 << 20

// piece is what a provider yields.
type piece struct {
	chunk Chunk
	err   error
}

// stream makes one try at a request of the conversation: the reply is shown as
// it arrives, and kept beside the log. The error is an *Error, or the cause of
// ctx's end; the reply has what arrived, and is never nil.
func (q *requester) stream(ctx context.Context, r request) (*reply, error) {
	keeper := keepPartials(ctx, q.opts.Log, q.opts.Logger)
	defer keeper.stop()
	q.display.status(Status{Phase: Waiting})
	streamCtx, stop := context.WithCancel(ctx)
	defer stop()
	pieces := make(chan piece, 64)
	go read(streamCtx, r, pieces)

	rep := newReply()
	err := q.collect(ctx, pieces, func(c Chunk) {
		q.show(rep, c)
		if c.Text != "" || c.Reasoning != "" {
			keeper.offer(conversation.Partial{
				After: r.after, Model: r.model.Name(), Text: rep.text.String(), Reasoning: rep.reasoning.String(),
				Time: q.opts.Now(), Request: r.unreported(rep),
			})
		}
	}, rep)
	stop()
	for {
		p, ok, _ := receive(context.WithoutCancel(ctx), q.inbox, pieces) // ends when the reader does
		if !ok {
			break
		}
		if err != nil && p.err == nil && rep.bytes < maxReply {
			rep.add(p.chunk)
		}
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return rep, cause
	}
	return rep, err
}

// read hands over what the provider yields until it ends or ctx does.
func read(ctx context.Context, r request, out chan<- piece) {
	defer close(out)
	for c, err := range r.provider.Stream(ctx, r.Request) {
		select {
		case out <- piece{c, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// collect adds pieces to a reply until the stream ends.
func (q *requester) collect(ctx context.Context, pieces <-chan piece, add func(Chunk), rep *reply) error {
	for {
		p, ok, err := receive(ctx, q.inbox, pieces)
		switch {
		case err != nil:
			return err
		case !ok && rep.stop == "":
			return brokeOff()
		case !ok:
			return nil
		case p.err != nil:
			return AsError(p.err)
		}
		add(p.chunk)
		if rep.bytes >= maxReply {
			return endless()
		}
	}
}

// brokeOff is a stream that ends without a stop reason.
func brokeOff() *Error {
	return &Error{Class: Truncated, Message: "the reply broke off without a stop reason"}
}

// endless is a reply of more than maxReply bytes.
func endless() *Error {
	return &Error{Class: Malformed, Message: "the reply did not end and was cut", NoRetry: true}
}

// show adds a piece to the reply and lets the watcher see it.
func (q *requester) show(rep *reply, c Chunk) {
	quiet := !rep.arrived()
	changed := rep.add(c)
	if quiet && rep.arrived() {
		q.display.status(Status{Phase: Streaming})
	}
	if quiet && !rep.arrived() && c.Progress != nil {
		q.display.status(Status{Phase: Waiting, Progress: c.Progress})
	}
	if c.Text != "" || c.Reasoning != "" {
		q.updates.Put(Delta{Text: c.Text, Reasoning: c.Reasoning})
	}
	for _, i := range changed {
		call := rep.calls[i]
		q.updates.Put(CallStreaming{Index: i, Name: call.name, Chars: call.chars})
	}
}
