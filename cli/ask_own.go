package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/owncommand"
	"plimsoll/cli/screen"
	"plimsoll/conversation"
)

// askedCommand is the command of the user's own that a prompt names.
type askedCommand struct {
	owncommand.Command
	args string
}

// ownCommand returns the command that a prompt names, or nil. Its model answers unless --model names another.
func (cmd *askCommand) ownCommand(prompt string) *askedCommand {
	rest, ok := strings.CutPrefix(prompt, "/")
	if !ok {
		return nil
	}
	end := strings.IndexAny(rest, " \t\n")
	if end < 0 {
		end = len(rest)
	}
	list, passedOver := cmd.Settings.OwnCommands()
	c, ok := owncommand.Named(list, rest[:end])
	if !ok {
		if passedOver != nil {
			cmd.Console.Note("commands of your own: %s", strings.ReplaceAll(passedOver.Error(), "\n", "; "))
		}
		return nil
	}
	if cmd.Settings.Flags.Model != "" {
		c.Model = ""
	}
	return &askedCommand{Command: c, args: rest[end:]}
}

// message returns the prompt with the message of the command, or of a server's prompt, in place of what was typed. It may be
// called on nil.
func (own *askedCommand) message(ctx context.Context, p *turnPrinter, typed, prompt string) (string, error) {
	if own == nil {
		line, isCommand := strings.CutPrefix(typed, "/")
		name, args, _ := strings.Cut(line, " ")
		if !isCommand {
			attached, notes, err := p.running.AttachImages(ctx, typed)
			p.printNotes(notes)
			return prompt + attached, err
		}
		text, isPrompt, err := p.running.Agents.Servers.PromptMessage(ctx, p.running, name, args)
		if !isPrompt {
			return prompt, nil
		}
		return text + strings.TrimPrefix(prompt, typed), err
	}
	maker := screen.NewMaker(p.running)
	text, notes, err := maker.Message(ctx, own.Command, own.args, nil)
	if _, ok := errors.AsType[*owncommand.ApprovalError](err); ok {
		return "", console.WithHint(fmt.Errorf("not sent: %w", err), "--approve all allows it, and so does a rule in permissions.allow")
	}
	if err != nil {
		return "", err
	}
	text, images := conversation.CutImages(text)
	text += strings.TrimPrefix(prompt, typed) + conversation.FormatImages(images...)
	fieldNotes, err := screen.ApplyFields(ctx, maker, p.running, own.Command, text)
	p.printNotes(notes, fieldNotes)
	return text, err
}
