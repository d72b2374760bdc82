package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// This file runs calls. Every failure of a tool becomes an outcome: a wrong argument,
// a refusal, even a panic. A call runs only as it was reviewed. If the files have
// changed since then, the call may do something that the user was not shown, or may
// succeed although its review expected a failure and did not ask. Such a call runs
// only if it needs no approval now.

// Run runs a call that was allowed, as the port core.Toolbox of the agent requires.
func (b *Box) Run(ctx context.Context, call conversation.ToolCall, progress func(string)) (out conversation.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = failure(fmt.Errorf("%s broke down: %v. This is a defect of the program; try another way", call.Name, p))
		}
	}()
	if progress == nil {
		progress = func(string) {}
	}
	if ctx.Err() != nil {
		return interrupted("")
	}
	t, args, err := b.decode(call)
	if err != nil {
		return failure(err)
	}
	if err := b.checkReviewed(ctx, call, t, args); err != nil {
		return failure(err)
	}
	r, err := t.run(ctx, args, progress)
	switch {
	case err != nil:
		if out = failure(err); ctx.Err() != nil {
			out = interrupted(r.text)
		}
		out.Events = r.events
		return out
	case r.status == "":
		r.status = conversation.ResultOK
	}
	if slices.Contains([]string{"read_file", "create_file", "modify_file"}, t.name) {
		r = b.withInstructions(ctx, call, args.Text("path"), r)
	}
	return conversation.Outcome{Status: r.status, Text: r.text, Detail: r.detail, Images: r.images, Events: r.events}
}

func failure(err error) conversation.Outcome {
	return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
}

func interrupted(text string) conversation.Outcome {
	text = cmp.Or(text, "interrupted before it was done")
	return conversation.Outcome{Status: conversation.ResultInterrupted, Text: text}
}

// decode finds the tool of a call and checks its arguments.
func (b *Box) decode(call conversation.ToolCall) (tool, params.Values, error) {
	if t, arguments, isServers, err := b.findServerTool(call); err != nil {
		return tool{}, nil, err
	} else if isServers {
		return b.serverTool(t, arguments), nil, nil
	}
	if call.Name == conversation.ToolFindTools && b.options.Servers != nil {
		t := b.findTools("")
		args, err := params.Decode(call.Name, t.params, call.Arguments)
		return t, args, err
	}
	i, ok := b.index[call.Name]
	if !ok && call.Name == loadSkillName {
		return tool{}, nil, errors.New("no skill is there any more; go on without")
	}
	if !ok {
		var names []string
		for _, t := range b.tools {
			names = append(names, t.name)
		}
		return tool{}, nil, fmt.Errorf("there is no tool %q. The tools are %s", call.Name, strings.Join(names, ", "))
	}
	t := b.tools[i]
	if t.name == conversation.ToolTask {
		t.run = b.runTask(call.ID)
	}
	args, err := params.Decode(call.Name, t.params, call.Arguments)
	return t, args, err
}

// checkReviewed returns an error if the effect of a call has changed since its review
// and the call needs approval.
func (b *Box) checkReviewed(ctx context.Context, call conversation.ToolCall, t tool, args params.Values) error {
	b.mu.Lock()
	fingerprint, reviewed := b.reviewed[call.ID]
	delete(b.reviewed, call.ID)
	b.mu.Unlock()
	if !reviewed {
		return nil
	}
	now, err := t.effectOf(ctx, args)
	if err != nil {
		return err
	}
	if now.Fingerprint == fingerprint {
		return nil
	}
	if need, _ := b.Policy.Need(now); need != conversation.NeedNothing {
		return fmt.Errorf("not run: the files have changed since %s was looked at, so it would not do what it would have done then. "+
			"Look again and send the call again", call.Name)
	}
	return nil
}

// expectedFailure is recorded as the fingerprint of a call whose review expected a failure.
const expectedFailure = "\x00"
