package tools

import (
	"context"
	"strconv"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tools/shell"
)

// A command that failed because of the sandbox can run again outside, exactly as it is, if the user approves: once, or whenever
// the conversation runs it. One in the background is asked about when it ends, and goes on under its id.

// AskUser asks the user about something that a running command wants, under an ID for CheckRules. It is not ok without an answer.
type AskUser func(ctx context.Context, id string, review conversation.Review) (answer conversation.Answer, ok bool)

// where says where a command runs without a question about the sandbox.
func (b *Box) where(command string) shell.Where {
	if b.Policy.IsOutside(command) {
		return shell.Outside
	}
	return shell.Inside
}

// mayRunOutside asks about a command that the sandbox kept from something. why is for the model, "" if nobody was asked.
func (b *Box) mayRunOutside(ctx context.Context, command, denied string) (yes bool, why string) {
	if b.options.AskOutside == nil {
		return false, ""
	}
	review := conversation.Review{Need: conversation.NeedApproval, Command: command, Passing: true,
		Title: permission.Outside + ", which kept it from " + conversation.OneLine(denied, titleChars), Offer: permission.OutsideOffer(command)}
	answer, ok := b.options.AskOutside(ctx, permission.Outside+" "+strconv.FormatInt(b.asks.Add(1), 10), review)
	switch {
	case !ok:
		return false, ""
	case answer.Grant == conversation.GrantConversation:
		b.Policy.LetOutside(command)
	case answer.Grant != conversation.GrantOnce:
		why = "The user did not allow it to run outside the sandbox"
		if answer.Text != "" {
			why += ". The user says: " + answer.Text
		}
		return false, why
	}
	return true, "In the sandbox it was kept from " + denied + ". The user approved that it runs outside:"
}

// runForeground runs a command to its end, outside the sandbox if the user approved or approves that.
func (b *Box) runForeground(ctx context.Context, command string, timeout time.Duration, progress func(string)) (result, error) {
	place := b.where(command)
	r, err := b.runIn(ctx, place, command, timeout, progress)
	switch {
	case place == shell.Outside:
		r.text = "Outside the sandbox, as the user approved for this conversation:\n" + r.text
		r.detail = "outside the sandbox · " + r.detail
	case err == nil && r.denied != "":
		yes, why := b.mayRunOutside(ctx, command, r.denied)
		if !yes {
			if why != "" {
				r.text += "\n" + why
			}
			return r, nil
		}
		events := r.events
		if r, err = b.runIn(ctx, shell.Outside, command, timeout, progress); err == nil || r.text != "" {
			r.text = why + "\n" + r.text
		}
		r.events = append(events, r.events...)
	}
	return r, err
}

// runIn runs a command to its end, and records which files it changed.
func (b *Box) runIn(ctx context.Context, place shell.Where, command string, timeout time.Duration, progress func(string)) (result, error) {
	after := b.options.Checkpoints.BeforeCommand(ctx, b.files)
	report, err := b.jobs.Run(ctx, command, place, timeout, progress)
	r, err := resultOf(report, err)
	if r.events = append(r.events, after(ctx)...); report.Moved {
		r.events = append(r.events, b.options.Checkpoints.Unknown()...)
	}
	return r, err
}
