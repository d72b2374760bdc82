package agent

import (
	"context"
	"errors"
	"slices"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// ask runs f on the goroutine that owns the conversation and returns its result. It ends with ctx, and with the agent.
func ask[T any](ctx context.Context, a *Agent, f func() T) (v T, err error) {
	answer := make(chan T, 1)
	a.inbox.Put(func(context.Context) { answer <- f() })
	select {
	case v = <-answer:
		return v, ctx.Err()
	case <-ctx.Done():
		return v, context.Cause(ctx)
	case <-a.ended:
		select {
		case v = <-answer:
			return v, nil
		default:
			return v, errors.New("the conversation was left")
		}
	}
}

// StoredPrompt is the system prompt of the stored conversation, for use before Run.
func (a *Agent) StoredPrompt() core.Prompt { return a.journal.Prompt() }

// Prompt is the system prompt now. It waits for the owner of the conversation, and ends with ctx.
func (a *Agent) Prompt(ctx context.Context) (core.Prompt, error) {
	return ask(ctx, a, a.journal.Prompt)
}

// ReplacePrompt replaces the system prompt, which breaks the provider's cache. replace is called on another goroutine.
func (a *Agent) ReplacePrompt(replace func(old string) string) {
	a.inbox.Put(func(ctx context.Context) {
		if err := a.journal.ReplacePrompt(ctx, replace); err != nil {
			a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
		}
		a.display.showMeter()
	})
}

// ResultText returns the text of a call's result as the next request carries it, "" if it carries none. stored is false if the
// log has no such result yet, and if ctx ends. It waits for the owner of the conversation.
func (a *Agent) ResultText(ctx context.Context, callID string) (text string, stored bool) {
	found, err := ask(ctx, a, func() []string {
		for _, m := range slices.Backward(a.journal.View().Messages) {
			if m.CallID == callID {
				return []string{m.Text}
			}
		}
		for _, e := range a.journal.Events() {
			if r, ok := e.Body.(conversation.ToolResult); ok && r.CallID == callID {
				return []string{""}
			}
		}
		return nil
	})
	if err != nil || found == nil {
		return "", false
	}
	return found[0], true
}
