package agent

import (
	"context"
	"fmt"
	"strconv"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// MCP servers ask the user and the model outside of the conversation's turns. Their questions wait for no turn, and no turn
// waits for them. The log has what the requests cost.

// AskUser asks the user and waits for the answer. ok is false without one: no user is present, or ctx ended. Any goroutine may
// call it.
func (a *Agent) AskUser(ctx context.Context, review conversation.Review) (answer conversation.Answer, ok bool) {
	return a.AskAbout(ctx, conversation.ToolCall{ID: "question " + strconv.FormatInt(a.asked.Add(1), 10)}, review)
}

// AskAbout is AskUser for a call that is not of this conversation. Its ID must be unlike those of the calls of the conversation.
func (a *Agent) AskAbout(ctx context.Context, c conversation.ToolCall, review conversation.Review) (answer conversation.Answer, ok bool) {
	if !a.journal.Interactive {
		return answer, false
	}
	to := make(chan conversation.Answer, 1)
	a.inbox.Put(func(context.Context) { a.questions.askFromOutside(c, review, to) })
	select {
	case answer = <-to:
		ok = true
	case <-ctx.Done():
	}
	a.inbox.Put(func(context.Context) { a.questions.end(c.ID) })
	return answer, ok
}

// AskModel sends the model in use a request that has a system prompt, messages and a largest reply, and records its usage. It is
// an error if another model than the named one is in use by now. Any goroutine may call it. The reply is not nil.
func (a *Agent) AskModel(ctx context.Context, model string, purpose conversation.Purpose, r llm.Request) (*llm.Reply, error) {
	a.sides.RLock()
	defer a.sides.RUnlock()
	out, err := ask(ctx, a, func() llm.Outgoing { return sideRequest(a.journal, purpose, r) })
	if err != nil {
		return &llm.Reply{}, err
	}
	if out.To.Name() != model {
		return &llm.Reply{}, fmt.Errorf("the model is %s by now", out.To.Name())
	}
	rep, err := out.Read(ctx)
	a.inbox.Put(func(ctx context.Context) { a.journal.AppendWhenIdle(ctx, a.windows.usageEvents(out, rep, 0)...) })
	return rep, err
}

// sideRequest addresses a request that is not part of the conversation to the model in use.
func sideRequest(j *core.Journal, purpose conversation.Purpose, r llm.Request) llm.Outgoing {
	m := j.Model()
	r.Model = m.ID
	if m.MaxOut > 0 {
		r.MaxTokens = min(r.MaxTokens, m.MaxOut)
	}
	chars := len(r.System)
	for _, message := range r.Messages {
		chars += len(message.Text)
	}
	return llm.Outgoing{Request: r, Provider: j.Provider(), To: m, Purpose: purpose, Estimate: float64(chars) / 4}
}
