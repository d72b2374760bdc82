package session

import (
	"context"
	"iter"
	"sync"

	"plimsoll/agent/llm"
)

// A local server knows its window only after it has loaded the model. Most servers have when the first chunk of the first
// reply arrives, some when that reply has ended.

// replyObserver is a provider that calls onReply at the first chunk of its first reply, and again when that reply has ended.
type replyObserver struct {
	llm.Provider
	onReply      func()
	begun, ended sync.Once
}

// CountTokens asks the wrapped provider, if it can count.
func (o *replyObserver) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	if c, ok := o.Provider.(llm.Counter); ok {
		return c.CountTokens(ctx, r)
	}
	return 0, llm.ErrNotCounted
}

// Stream streams from the wrapped provider.
func (o *replyObserver) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		defer o.ended.Do(o.onReply)
		for c, err := range o.Provider.Stream(ctx, r) {
			if c.Text != "" || c.Reasoning != "" || len(c.Calls) > 0 {
				o.begun.Do(o.onReply)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
