package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"plimsoll/conversation"
)

// A reply and what was reported about it are one transaction, also when it is
// the reply to a request that failed or was stopped. Calls of a reply that did
// not end of its own accord are not run; their answers are in the same
// transaction, so that the log can be sent again whatever happens next.

// keepReply appends the answer to a request and returns the calls to run.
func (a *Agent) keepReply(ctx context.Context, r request, ans answer) ([]*call, error) {
	var bodies []conversation.Body
	for _, spent := range ans.spent {
		bodies = append(bodies, a.usage(r, spent, 0)...)
	}
	if ans.err != nil && !ans.reply.arrived() {
		_, err := a.keep(ctx, append(bodies, a.usage(r, ans.reply, 0)...)...)
		return nil, err
	}
	message, calls := a.message(r, ans)
	seq := a.nextSeq() + uint64(len(bodies))
	bodies = append(bodies, message)
	bodies = append(bodies, a.usage(r, ans.reply, seq)...)
	if why := notRun(message.Stop); why != "" {
		for _, c := range message.Calls {
			bodies = append(bodies, interruptedResult(c, why))
		}
		calls = nil
	}
	bodies = append(bodies, a.hints(r, ans.reply)...)
	if _, err := a.keep(ctx, bodies...); err != nil {
		a.pending = append(a.pending, abandoned(calls)...)
		return nil, err
	}
	return calls, nil
}

// message is the reply as it is stored, and its calls.
func (a *Agent) message(r request, ans answer) (conversation.AssistantMessage, []*call) {
	rep := ans.reply
	m := conversation.AssistantMessage{
		Text: rep.text.String(), Reasoning: rep.reasoning.String(), Model: r.model.Name(), Extras: rep.extras,
	}
	var calls []*call
	for i, p := range rep.calls {
		c := a.newCall(i, p)
		m.Calls = append(m.Calls, c.ToolCall)
		calls = append(calls, c)
	}
	var failure *Error
	switch {
	case errors.As(ans.err, &failure):
		m.Stop, m.Error = conversation.StopFailed, failure.Message
	case errors.Is(ans.err, errCancelled):
		m.Stop = conversation.StopCancelled
	case ans.err != nil:
		m.Stop = conversation.StopInterrupted
	case rep.stop == conversation.StopEnd && len(calls) > 0:
		m.Stop = conversation.StopCalls // servers exist that say "stop" with calls
	case rep.stop == conversation.StopCalls && len(calls) == 0:
		m.Stop = conversation.StopEnd
	default:
		m.Stop = rep.stop
	}
	return m, calls
}

// newCall completes a call: it gets an id where it has none or one that was
// used before, a name, and arguments that are an object.
func (a *Agent) newCall(i int, p *callPieces) *call {
	args := conversation.Clean(p.arguments.String())
	repaired, valid := conversation.RepairArguments(args)
	c := &call{
		ToolCall: conversation.ToolCall{
			ID: conversation.Clean(strings.TrimSpace(p.id)), Name: strings.TrimSpace(p.name), Arguments: repaired, Extra: p.extra,
		},
		invalid: !valid,
	}
	if c.Name == "" {
		c.Name = "unnamed" // servers refuse a history with an empty name
	}
	for n := 0; c.ID == "" || a.memory.callIDs[c.ID]; n++ {
		c.ID = fmt.Sprintf("call_%d_%d", a.nextSeq(), i+n)
	}
	a.memory.callIDs[c.ID] = true
	return c
}

// usage is what was reported about a try at a request: one event, also if
// nothing was reported, so that the request is on record; none if the request
// never reached the model. Seq is that of the reply, 0 if it is not kept.
func (a *Agent) usage(r request, rep *reply, seq uint64) []conversation.Body {
	if rep.usage == nil && rep.bodyHash == "" && !rep.arrived() {
		return nil
	}
	u := r.unreported(rep)
	u.Reply = seq
	if t := rep.usage; t != nil {
		u.Prompt, u.Cached, u.CacheWrite, u.Completion, u.Reasoning = t.Prompt, t.Cached, t.CacheWrite, t.Completion, t.Reasoning
		u.Short = a.windows.short(r, rep)
		switch {
		case t.CostUSD != nil:
			u.CostUSD, u.Priced = t.CostUSD, "reported"
		case a.opts.Cost != nil:
			u.CostUSD, u.Priced = a.opts.Cost(r.model, *t)
		}
	}
	return []conversation.Body{u}
}

// unreported is what is known of a request before anything was counted for it,
// by what arrived of the reply: enough to make it again.
func (r request) unreported(rep *reply) conversation.Usage {
	return conversation.Usage{
		For: r.purpose, Revision: r.revision, Model: r.model.Name(),
		Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: r.estimate, BodyHash: rep.bodyHash, Through: r.after, MaxTokens: r.MaxTokens, Form: rep.form,
	}
}

// hints is what is worth telling about a reply: the title that the
// conversation gets with its first one, and a prompt that was cut silently.
func (a *Agent) hints(r request, rep *reply) []conversation.Body {
	var bodies []conversation.Body
	if !a.memory.titled {
		a.memory.titled = true
		if title := DefaultTitle(a.log.Events()); title != "" {
			bodies = append(bodies, conversation.Renamed{Title: title, By: "auto"})
		}
	}
	return append(bodies, a.windows.watchCuts(r, rep)...)
}

// titleChars is the length of a title made from a message.
const titleChars = 60

// DefaultTitle is the first line of the first message, shortened. What a command of
// the user's own printed says little of what a conversation is about.
func DefaultTitle(events []conversation.Event) string {
	for _, e := range events {
		if m, ok := e.Body.(conversation.UserMessage); ok {
			if _, _, ran := conversation.RanIn(m.Text); ran {
				continue
			}
			return shorten(firstLine(m.Text), titleChars)
		}
	}
	return ""
}

// firstLine is the first line with something in it, as one line of text.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = oneLine(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine is text without control characters and with single spaces.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, conversation.Clean(text))
	return strings.Join(strings.Fields(text), " ")
}

// shorten cuts text to n characters, at a word where there is one.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}
