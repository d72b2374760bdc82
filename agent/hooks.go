package agent

import (
	"context"
	"errors"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// The user's commands run at moments of a turn and of a compaction, on goroutines of their own, as tools do. Rules:
//
//   - A call is refused before the user is asked about it. A message that is refused is back in the composer. Where a permission
//     refuses a call, no hook is asked.
//   - A hook that fails changes nothing. It is recorded, and a notice says so once.
//   - Each run is recorded, with what it belongs to where that is recorded, too.
//   - Summaries, titles and what the user does by hand to single messages run no hooks.

// hookRunner runs hooks for the owner of the conversation.
type hookRunner struct {
	journal *core.Journal
	inbox   *core.Inbox
	display *display
	port    core.Hooks              // nil: none
	cancel  context.CancelCauseFunc // stops those that run, nil if none do
	warned  map[string]bool         // commands that failed, of which a notice was given
}

// run runs the hooks of a moment. The error is the cause of ctx's end, or of that of the hooks.
func (h *hookRunner) run(ctx context.Context, in conversation.HookInput) (conversation.HookOutput, error) {
	if h.port == nil || ctx.Err() != nil {
		return conversation.HookOutput{}, context.Cause(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.cancel = cancel
	defer func() { h.cancel = nil }()
	in.Turn = max(0, h.journal.Turns()-1)
	if in.Moment == conversation.HookMessage {
		in.Turn = h.journal.Turns()
	}
	out := core.Concurrently(ctx, h.inbox, func() conversation.HookOutput { return h.port.Run(ctx, in) })
	return out, context.Cause(ctx)
}

func (h *hookRunner) stop(cause error) {
	if h.cancel != nil {
		h.cancel(cause)
	}
}

// events are the records of hooks that ran, with a notice of the first failure of each.
func (h *hookRunner) events(ran []conversation.HookRan) []conversation.Body {
	var bodies []conversation.Body
	for _, r := range ran {
		bodies = append(bodies, r)
		if !r.Failed || r.Reason == conversation.HookStopped || h.warned[r.Command] {
			continue
		}
		h.warned[r.Command] = true
		bodies = append(bodies, conversation.Notice{Level: conversation.NoticeWarning,
			Text: "The hook " + conversation.CommandName(r.Command) + " failed, which changes nothing: " + r.Reason + ". /status counts its further failures."})
	}
	return bodies
}

// record appends the records of hooks that ran; those of a conversation without messages wait for its first message.
func (h *hookRunner) record(ctx context.Context, ran []conversation.HookRan) {
	bodies := h.events(ran)
	if len(bodies) == 0 {
		return
	}
	if h.journal.Len() == 0 {
		h.journal.Postpone(bodies...)
	} else {
		h.journal.Record(ctx, bodies...)
	}
}

// aboutMessage asks the hooks about a message. It returns the message with what they added, and their records. The error is an
// *Error if they refuse it, or the cause of ctx's end.
func (h *hookRunner) aboutMessage(ctx context.Context, text string) (conversation.UserMessage, []conversation.Body, error) {
	text, images := conversation.CutImages(text)
	m := conversation.UserMessage{Text: text, Images: images}
	if h.port == nil {
		return m, nil, nil
	}
	h.display.status(updates.Status{Phase: updates.Hooking})
	out, err := h.run(ctx, conversation.HookInput{Moment: conversation.HookMessage, Text: text})
	if err == nil && out.Refused {
		err = &llm.Error{Class: llm.BadRequest, Message: "a hook refused the message: " + out.Reason,
			Hint: "change it and send it again; /status lists your hooks"}
	}
	if err != nil {
		h.record(ctx, out.Ran)
		return m, nil, err
	}
	return m.WithHookTexts(out.Added), h.events(out.Ran), nil
}

func (h *hookRunner) atTurnEnd(ctx context.Context, t *turn, ended error) {
	if h.port == nil || !t.hasBegun {
		return
	}
	ctx, t.cancel = context.WithCancelCause(ctx) // Esc stops them
	defer t.cancel(nil)
	in := conversation.HookInput{Moment: conversation.HookTurnEnd, Reason: "done"}
	var failure *llm.Error
	switch {
	case t.wasRefused:
		in.Reason = "refused"
	case errors.As(ended, &failure) && failure.Class != llm.Cancelled:
		in.Reason = "failed"
	case ended != nil:
		in.Reason = "stopped"
	}
	out, _ := h.run(ctx, in) // what was stopped is in the records
	h.record(ctx, out.Ran)
}
