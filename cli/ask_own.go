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

// askedCommand is the custom command that a prompt names.
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
	end := strings.IndexAny(rest+" ", " \t\n")
	list, skipped := cmd.Settings.OwnCommands()
	c, ok := owncommand.Named(list, rest[:end])
	if !ok {
		if skipped != nil {
			cmd.Console.Note("commands of your own: %s", strings.ReplaceAll(skipped.Error(), "\n", "; "))
		}
		return nil
	}
	if cmd.Settings.Flags.Model != "" {
		c.Model = ""
	}
	return &askedCommand{Command: c, args: rest[end:]}
}

// message returns what is sent: the message that the command makes, then standard input. own is nil without a command.
func (own *askedCommand) message(ctx context.Context, p *turnPrinter, typed, prompt string) (string, error) {
	if own == nil {
		return p.typedMessage(ctx, typed, prompt)
	}
	maker := screen.NewMaker(p.running) // reads the files that the command mentions and runs the commands in its text
	text, notes, err := maker.Message(ctx, own.Command, own.args, nil)
	if _, ok := errors.AsType[*owncommand.ApprovalError](err); ok {
		return "", console.WithHint(fmt.Errorf("not sent: %w", err), "--approve all allows it, and so does a rule in permissions.allow")
	}
	if err != nil {
		return "", err
	}
	text, images := conversation.CutImages(text)
	text += strings.TrimPrefix(prompt, typed) + conversation.FormatImages(images...)
	// The preset that the command's file names is set, and its model answers this message.
	fieldNotes, err := screen.ApplyFields(ctx, maker, p.running, own.Command, text)
	p.printNotes(notes, fieldNotes)
	return text, err
}

// typedMessage returns what is sent for a prompt that names no custom command: the message of a server's prompt in place of
// what was typed, or else the prompt with the images that it mentions.
func (p *turnPrinter) typedMessage(ctx context.Context, typed, prompt string) (string, error) {
	if line, ok := strings.CutPrefix(typed, "/"); ok {
		name, args, _ := strings.Cut(line, " ")
		if text, isPrompt, err := p.running.Agents.Servers.PromptMessage(ctx, p.running, name, args); isPrompt {
			return text + strings.TrimPrefix(prompt, typed), err
		}
	}
	attached, notes, err := p.running.AttachImages(ctx, typed)
	p.printNotes(notes)
	return prompt + attached, err
}
