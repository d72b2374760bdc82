package session

import (
	"context"
	"iter"
	"sync"

	"plimsoll/agent/llm"
)

// A local server knows its window only when the model is loaded. That is so when
// the first piece of the first reply arrives, however long the rest takes, and for
// some servers when it has ended.

// listening is a provider that calls onReply at the first piece of its first reply,
// and again when that reply has ended.
type replyObserver struct {
	llm.Provider
	onReply      func()
	begun, ended sync.Once
}

// CountTokens passes the question on.
func (l *replyObserver) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	if c, ok := l.Provider.(llm.Counter); ok {
		return c.CountTokens(ctx, r)
	}
	return 0, llm.ErrNotCounted
}

// Stream passes the reply on.
func (l *replyObserver) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		defer l.ended.Do(l.onReply)
		for c, err := range l.Provider.Stream(ctx, r) {
			if c.Text != "" || c.Reasoning != "" || len(c.Calls) > 0 {
				l.begun.Do(l.onReply)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
