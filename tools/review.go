package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tools/permission"
)

// A review decides what a call needs and changes no files. The user is not asked about a
// call that cannot succeed (a wrong argument, text to replace that does not occur): it
// needs nothing, and Run returns the error.

// titleChars is the maximum length of a call's title, in characters.
const titleChars = 200

// Review returns what a call needs before it may run (approval, an answer, nothing); see core.Toolbox of the agent.
func (b *Box) Review(ctx context.Context, call conversation.ToolCall) (r conversation.Review) {
	defer func() {
		if recover() != nil { // a call that panics here must not run without approval
			r = conversation.Review{Need: conversation.NeedApproval, Title: conversation.OneLine(call.Name, titleChars)}
		}
	}()
	t, err := b.effectOf(ctx, call)
	if err != nil {
		t.Fingerprint = expectedFailure
	}
	b.mu.Lock()
	b.reviewed[call.ID] = t.Fingerprint
	b.mu.Unlock()
	if err != nil {
		i, known := b.index[call.Name]
		return conversation.Review{
			Need: conversation.NeedNothing, Title: conversation.OneLine(call.Name+" "+t.Title, titleChars),
			ReadOnly: !known || b.tools[i].readOnly,
		}
	}
	r = conversation.Review{ReadOnly: t.ReadOnly(), Title: conversation.OneLine(plain.MarkInvisible(cmp.Or(t.Tool, call.Name)+" "+t.Title), titleChars)}
	r.Need, r.Reason = b.Policy.Need(t)
	if r.Need == conversation.NeedApproval {
		if offers := b.Ask(call.ID, t, b.otherCommands(ctx, call.ID, t)); len(offers) > 0 {
			r.Offer, r.Wider = offers[0], offers[1:]
		}
	}
	switch {
	case t.Diff != nil:
		r.Diff = t.Diff()
	case t.Command() != "":
		r.Command = t.Command()
	case t.Request != nil && t.Request.HasMoreThan(r.Title):
		r.Command = t.Request.Text()
	case r.Need == conversation.NeedApproval && !strings.HasSuffix(r.Title, t.Title): // the title was cut or marked up
		r.Command = t.Title
	}
	r.Changeable = call.Name == conversation.ToolRunCommand && r.Command != ""
	if t.Question != "" && r.Need == conversation.NeedNothing {
		r.Need, r.Question, r.Options = conversation.NeedAnswer, t.Question, t.Options
	}
	return r
}

// maxPast is how many other commands of a conversation are looked at.
const maxPast = 200

// otherCommands are the commands that the conversation asked for beside a call that runs one, the newest last; else none.
func (b *Box) otherCommands(ctx context.Context, callID string, t permission.Effect) (commands []string) {
	if t.Command() == "" || b.options.Archive == nil {
		return nil
	}
	events, err := b.options.Archive.Events(ctx)
	if err != nil {
		return nil // the question is asked without
	}
	for _, e := range events {
		reply, _ := e.Body.(conversation.AssistantMessage)
		for _, c := range reply.Calls {
			if c.Name == conversation.ToolRunCommand && c.ID != callID && c.RunsCommand() {
				commands = append(commands, c.Subject())
			}
		}
	}
	return commands[max(0, len(commands)-maxPast):]
}

// NeedOf returns what a call would need now, with the reason of a refusal. Unlike Review it begins no approval. The error says
// why the call cannot run.
func (b *Box) NeedOf(ctx context.Context, call conversation.ToolCall) (conversation.Need, string, error) {
	t, err := b.effectOf(ctx, call)
	if err != nil {
		return conversation.NeedNothing, "", err
	}
	need, why := b.Policy.Need(t)
	return need, why, nil
}

// effectOf describes what a call would do. On an error only the title is set, if it is known.
func (b *Box) effectOf(ctx context.Context, call conversation.ToolCall) (permission.Effect, error) {
	t, args, err := b.decode(call)
	if err != nil {
		return permission.Effect{}, err
	}
	found, err := t.effectOf(ctx, args)
	if err != nil {
		found.Title = args.Text("path")
	}
	return found, err
}

// Allow grants the rules for a call, for this run or permanently; other grants do nothing. See agent.Toolbox.
func (b *Box) Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error {
	if g != conversation.GrantRun && g != conversation.GrantAlways {
		return nil
	}
	t, err := b.effectOf(ctx, call)
	if err != nil {
		return fmt.Errorf("allow %s: %w", call.Name, err)
	}
	return b.Grant(ctx, t, rules, g == conversation.GrantAlways)
}
