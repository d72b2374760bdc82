package agent

import (
	"context"
	"strings"
	"sync"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Hooks run at moments of a conversation. Rules:
//
//   - A hook before a tool runs before the user is asked: nobody is asked about what a hook refuses.
//   - A message that a hook refuses returns to the composer.
//   - A compaction that a hook refuses waits for the next turn. Above the hard line it is made all the same: the conversation goes on.
//   - Hooks that only take note (after a compaction, at the end of a turn) run in the background, one after the other.
//   - A hook that fails changes nothing. Each run is an event.

// hookRunner runs the hooks of a conversation. A nil port has none.
type hookRunner struct {
	port    core.Hooks
	inbox   *core.Inbox
	journal *core.Journal

	lifetime context.Context // of runs in the background: they may end after the turn
	noting   sync.Mutex      // held by the run in the background
	running  sync.WaitGroup  // runs in the background
	refused  int             // the turn in which a compaction was refused, -1 for none
	failures map[string]bool
}

func (h *hookRunner) has(m conversation.HookMoment) bool { return h.port != nil && h.port.Has(m) }

// run runs the hooks of a moment while the inbox is served.
func (h *hookRunner) run(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
	if !h.has(in.Moment) {
		return conversation.HookOutput{}
	}
	return core.Concurrently(ctx, h.inbox, func() conversation.HookOutput { return h.port.Run(ctx, in) })
}

// note runs the hooks of a moment in the background, and records them.
func (h *hookRunner) note(in conversation.HookInput) {
	if !h.has(in.Moment) {
		return
	}
	h.running.Go(func() {
		h.noting.Lock()
		defer h.noting.Unlock()
		out := h.port.Run(h.lifetime, in)
		h.inbox.Put(func(ctx context.Context) { h.journal.AppendWhenIdle(ctx, h.events(out)...) })
	})
}

// events are the events of runs, with a notice about the first failure of each command.
func (h *hookRunner) events(out conversation.HookOutput) []conversation.Body {
	var bodies []conversation.Body
	for _, ran := range out.Ran {
		bodies = append(bodies, ran)
		if ran.Failed && !h.failures[ran.Command] {
			h.failures[ran.Command] = true
			bodies = append(bodies, conversation.Notice{Level: conversation.NoticeWarning,
				Text: "The hook " + llm.OneLine(ran.Command) + " failed, and changes nothing: " + ran.Reason})
		}
	}
	return bodies
}

// message runs the hooks of a message. It returns the message with what they added, or why they refused it.
func (h *hookRunner) message(ctx context.Context, text string) (string, []conversation.Body, *llm.Error) {
	out := h.run(ctx, conversation.HookInput{Moment: conversation.HookMessage, Message: text})
	if out.Refused {
		h.journal.Postpone(h.events(out)...)
		return text, nil, &llm.Error{Class: llm.BadRequest, Message: "a hook refused the message: " + out.Reason, Hint: "change it, or the hook"}
	}
	if out.Add != "" {
		text += "\n\n" + out.Add
	}
	return text, h.events(out), nil
}

// beforeTool settles a call that a hook refuses.
func (h *hookRunner) beforeTool(ctx context.Context, c *call) {
	if c.settled || c.hooked {
		return
	}
	c.hooked = true
	out := h.run(ctx, conversation.HookInput{Moment: conversation.HookBeforeTool, Tool: c.Name, Arguments: c.Arguments})
	c.events = append(c.events, h.events(out)...)
	if out.Refused {
		c.settle(conversation.ResultDenied, "denied: a hook of the user refused it: "+out.Reason)
	}
	if out.Add != "" {
		c.added = append(c.added, out.Add)
	}
}

// afterTool lets hooks add to the result of a call. It runs on the goroutine of the call.
func (h *hookRunner) afterTool(ctx context.Context, c *call) {
	if h.has(conversation.HookAfterTool) {
		c.afterRan = h.port.Run(ctx, conversation.HookInput{Moment: conversation.HookAfterTool, Tool: c.Name, Arguments: c.Arguments,
			Status: string(c.outcome.Status), Result: c.outcome.Text})
		if c.afterRan.Refused {
			c.added = append(c.added, "[a hook objects: "+c.afterRan.Reason+"]")
		}
		if c.afterRan.Add != "" {
			c.added = append(c.added, c.afterRan.Add)
		}
	}
	if len(c.added) > 0 {
		c.outcome.Text = strings.Join(append([]string{c.outcome.Text}, c.added...), "\n\n")
	}
}

// allowsCompaction asks the hooks before a compaction, and returns what its summary has to keep. Above the hard line nobody is asked
// twice in a turn, and a refusal does not hold.
func (h *hookRunner) allowsCompaction(ctx context.Context, reason string, manual bool) (keep []string, allowed bool) {
	if !h.has(conversation.HookBeforeCompaction) {
		return nil, true
	}
	over := h.journal.OverHardLine()
	if !manual && h.refused == h.journal.Turns() {
		return nil, over
	}
	out := h.run(ctx, conversation.HookInput{Moment: conversation.HookBeforeCompaction, Reason: reason, Before: h.journal.Reading().Used})
	bodies := h.events(out)
	if out.Refused {
		text := "A hook refused the compaction: " + out.Reason
		if over && !manual {
			text += ". It is made all the same: the window is full."
		}
		bodies = append(bodies, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
		if !manual {
			h.refused = h.journal.Turns()
		}
	}
	h.journal.AppendWhenIdle(ctx, bodies...)
	return out.Keep, !out.Refused || over && !manual
}

// noteCompaction tells the hooks about a compaction that was just stored.
func (h *hookRunner) noteCompaction(events []conversation.Event) {
	for _, e := range events {
		if origin, ok := conversation.OriginOf(e.Body); ok && e.Body.Kind().Reduces() && origin.Epoch == e.Seq {
			h.note(conversation.HookInput{Moment: conversation.HookAfterCompaction, Before: origin.Before, After: origin.After, Reason: origin.Why})
		}
	}
}
