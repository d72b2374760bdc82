package agenttest

import (
	"context"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Reply is the script of one reply: steps in order.
type Reply []Step

// Step is one step of a reply. Fields that are set act in this order: Gate, Wait, Err, Chunk.
type Step struct {
	Gate  *Gate         // the step waits until the test opens it
	Wait  time.Duration // the step sleeps so long
	Err   error         // the step yields it, and the reply ends
	Chunk *llm.Chunk    // the step yields it
}

// StreamText streams pieces of text.
func StreamText(pieces ...string) Reply {
	var r Reply
	for _, p := range pieces {
		r = append(r, Step{Chunk: &llm.Chunk{Text: p}})
	}
	return r
}

// StreamReasoning streams pieces of reasoning.
func StreamReasoning(pieces ...string) Reply {
	var r Reply
	for _, p := range pieces {
		r = append(r, Step{Chunk: &llm.Chunk{Reasoning: p}})
	}
	return r
}

// StreamCall streams a tool call, with its arguments in these pieces.
func StreamCall(index int, id, name string, arguments ...string) Reply {
	r := Reply{{Chunk: &llm.Chunk{Calls: []llm.CallDelta{{Index: index, ID: id, Name: name}}}}}
	for _, p := range arguments {
		r = append(r, Step{Chunk: &llm.Chunk{Calls: []llm.CallDelta{{Index: index, Arguments: p}}}})
	}
	return r
}

// StreamChunk streams one chunk.
func StreamChunk(c llm.Chunk) Reply { return Reply{{Chunk: &c}} }

// Stop ends the reply with a reason.
func Stop(reason conversation.StopReason) Reply {
	return Reply{{Chunk: &llm.Chunk{Stop: reason}}}
}

// ReportTokens reports the tokens of the prompt and of the reply; all other numbers are unknown.
func ReportTokens(prompt, completion int) Reply {
	return Reply{{Chunk: &llm.Chunk{Usage: &llm.Tokens{
		Prompt: prompt, Cached: -1, CacheWrite: -1, Completion: completion, Reasoning: -1,
	}}}}
}

// Fail ends the reply with an error.
func Fail(err error) Reply { return Reply{{Err: err}} }

// WaitAtGate waits until the test opens the gate.
func WaitAtGate(g *Gate) Reply { return Reply{{Gate: g}} }

// Pause sleeps.
func Pause(d time.Duration) Reply { return Reply{{Wait: d}} }

// Join returns the parts as one reply.
func Join(parts ...Reply) Reply { return slices.Concat(parts...) }

// Gate stops a script until the test opens it.
type Gate struct {
	reached, open       chan struct{}
	reachOnce, openOnce sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{reached: make(chan struct{}), open: make(chan struct{})} }

// Open lets all callers of Pass through, now and later.
func (g *Gate) Open() { g.openOnce.Do(func() { close(g.open) }) }

// Reached is closed once a caller waits at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Pass waits until the gate is open or ctx ends.
func (g *Gate) Pass(ctx context.Context) error {
	g.reachOnce.Do(func() { close(g.reached) })
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// play runs the steps of a reply and reports whether it reached the end.
func (r Reply) play(ctx context.Context, yield func(llm.Chunk, error) bool) bool {
	for _, s := range r {
		if err := s.wait(ctx); err != nil {
			yield(llm.Chunk{}, &llm.Error{Class: llm.Cancelled, Message: "stopped", Err: err})
			return false
		}
		if s.Err != nil {
			yield(llm.Chunk{}, s.Err)
			return false
		}
		if s.Chunk != nil && !yield(*s.Chunk, nil) {
			return false
		}
	}
	return true
}

// wait waits at the gate of a step, then sleeps for its time.
func (s Step) wait(ctx context.Context) error {
	if s.Gate != nil {
		if err := s.Gate.Pass(ctx); err != nil {
			return err
		}
	}
	if s.Wait > 0 {
		select {
		case <-time.After(s.Wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}
