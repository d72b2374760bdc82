package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/shell"
)

// run_command runs a shell command in the workspace. The first line of the result
// says how it ended. If the output is so long that its end will be cut, the last
// lines are repeated before it.

const (
	commandSeconds    = 120
	commandMaxSeconds = 1800
)

func (b *Box) runCommand() tool {
	return tool{
		name: "run_command",
		about: "Run a shell command in the workspace and return its exit code and output (both streams). No input, no terminal, no API keys in " +
			"its environment; processes it leaves behind are ended. background: true starts one that keeps running and returns an id; " +
			"call again with id to read its new output, or with id and stop: true to end it. A long result is cut; recall gives the rest.",
		brief:  "Run a shell command. background: true returns an id; call with id to read its output, with stop to end it.",
		access: permission.AccessCommand,
		params: []params.Param{
			{Name: "command", Kind: params.Text, About: "shell command to run"},
			{Name: "timeout", Kind: params.Int, Min: 1, Max: commandMaxSeconds, About: "seconds until it is ended, default 120; with id: seconds to wait for it to end"},
			{Name: "background", Kind: params.Bool, About: "keep it running and return an id"},
			{Name: "id", Kind: params.Text, About: "background command to read"},
			{Name: "stop", Kind: params.Bool, About: "with id: end it"},
		},
		effect: b.commandEffect,
		run:    b.runRunCommand,
	}
}

// commandEffect describes a call. Reading or stopping a background command needs no
// approval, so its effect has no command.
func (b *Box) commandEffect(_ context.Context, args params.Values) (permission.Effect, error) {
	if err := checkCommand(args); err != nil {
		return permission.Effect{}, err
	}
	if id := args.Text("id"); id != "" {
		if err := b.jobs.Check(id); err != nil {
			return permission.Effect{}, err
		}
		return permission.Effect{Tool: "run_command", Title: id}, nil
	}
	return permission.OfCommand(commandText(args)), nil
}

// commandText returns the command as permissions check it, the user sees it and the shell
// runs it. It trims only characters that separate words in a shell.
func commandText(args params.Values) string { return strings.Trim(args.Text("command"), " \t\n") }

func checkCommand(args params.Values) error {
	command, id := commandText(args), args.Text("id")
	switch {
	case command == "" && id == "":
		return errors.New("run_command needs command, or the id of a background command")
	case command != "" && id != "":
		return errors.New("run_command takes either command or id, not both")
	case args.Bool("stop") && id == "":
		return errors.New("stop needs the id of a background command")
	case strings.ContainsRune(command, 0):
		return errors.New("a command cannot hold a NUL character")
	}
	return nil
}

func (b *Box) runRunCommand(ctx context.Context, args params.Values, progress func(string)) (result, error) {
	if err := checkCommand(args); err != nil {
		return result{}, err
	}
	command := commandText(args)
	switch {
	case args.Text("id") != "":
		wait := time.Duration(args.Int("timeout", 0)) * time.Second
		return resultOf(b.jobs.Read(ctx, args.Text("id"), args.Bool("stop"), wait))
	case args.Bool("background"):
		id, err := b.jobs.Start(command, b.where(command))
		if err != nil {
			return result{}, err
		}
		return result{events: b.options.Checkpoints.Unknown(), text: fmt.Sprintf("started in the background as %s. You are told when it ends. Read its output with id: %q, end it with stop: true", id, id)}, nil
	}
	return b.runForeground(ctx, command, time.Duration(args.Int("timeout", commandSeconds))*time.Second, progress)
}

func resultOf(r shell.Report, err error) (result, error) {
	out := result{text: r.Text, detail: r.Detail, denied: r.Denied}
	if r.Failed {
		out.status = conversation.ResultError
	}
	return out, err
}
