package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// run_command runs a shell command in the workspace. The first line of its
// answer says how it ended; when the output is so long that its end will be cut,
// the last lines stand before it.

const (
	commandSeconds    = 120
	commandMaxSeconds = 1800
	tailChars         = 1500 // of the end of a long output shown before it
)

func (b *Box) runCommand() tool {
	return tool{
		name: "run_command",
		about: "Run a shell command in the workspace and return its exit code and output (both streams). No input, no terminal, no API keys in " +
			"its environment; processes it leaves behind are ended. background: true starts one that keeps running and returns an id; " +
			"call again with id to read its new output, or with id and stop: true to end it. A long result is cut; recall gives the rest.",
		params: []params.Param{
			{Name: "command", Kind: params.Text, About: "shell command to run"},
			{Name: "timeout", Kind: params.Whole, Min: 1, Max: commandMaxSeconds, About: "seconds until it is ended, default 120; with id: seconds to wait for it to end"},
			{Name: "background", Kind: params.Flag, About: "keep it running and return an id"},
			{Name: "id", Kind: params.Text, About: "background command to read"},
			{Name: "stop", Kind: params.Flag, About: "with id: end it"},
		},
		touch: b.touchCommand,
		run:   b.runRunCommand,
	}
}

// touchCommand describes a call; reading and stopping what was started before
// touches nothing new.
func (b *Box) touchCommand(_ context.Context, args params.Values) (touch, error) {
	if err := checkCommand(args); err != nil {
		return touch{}, err
	}
	if id := args.Text("id"); id != "" {
		if _, err := b.jobs.find(id); err != nil {
			return touch{}, err
		}
		return touch{tool: "run_command", title: id}, nil
	}
	command := args.Text("command")
	parsed := readScript(command)
	b.files.weigh(parsed)
	return touch{tool: "run_command", access: accessCommand, script: parsed, title: command}, nil
}

// readScript parses a command in the language of the shell that will run it.
// cmd of Windows has no parser here: its commands are always asked about.
func readScript(command string) *script {
	switch shell := strings.ToLower(filepath.Base(shellCommand()[0])); {
	case strings.HasPrefix(shell, "bash"):
		return parseScript(command, syntax.LangBash)
	case strings.HasPrefix(shell, "sh"):
		return parseScript(command, syntax.LangPOSIX)
	}
	return &script{text: strings.TrimSpace(command), opaque: true}
}

func checkCommand(args params.Values) error {
	command, id := strings.TrimSpace(args.Text("command")), args.Text("id")
	switch {
	case command == "" && id == "":
		return errors.New("run_command needs command, or the id of a background command")
	case command != "" && id != "":
		return errors.New("run_command takes either command or id, not both")
	case args.Flag("stop") && id == "":
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
	command := args.Text("command")
	switch {
	case args.Text("id") != "":
		return b.readJob(ctx, args)
	case args.Flag("background"):
		started, err := b.jobs.start(command)
		if err != nil {
			return result{}, err
		}
		return result{text: fmt.Sprintf("started in the background as %s. Read its output with id: %q, end it with stop: true", started.id, started.id)}, nil
	}
	return b.jobs.run(ctx, command, time.Duration(args.Whole("timeout", commandSeconds))*time.Second, progress)
}

// run runs a command to its end, its timeout or a cancelled ctx.
func (j *jobs) run(ctx context.Context, command string, timeout time.Duration, progress func(string)) (result, error) {
	out := newCapture(j.ceiling, progress)
	defer out.silence()
	started := time.Now()
	p, err := startProcess(command, j.dir, j.env, out)
	if err != nil {
		return result{}, err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	timedOut := false
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.end()
	case <-timer.C:
		timedOut = true
		p.end()
	}
	p.finish()
	text, _ := out.since(0)
	status, ok := p.exit()
	switch {
	case ctx.Err() != nil:
		return result{text: j.commandText("interrupted and ended", text)}, ctx.Err()
	case timedOut:
		status, ok = fmt.Sprintf("ended after %s, its timeout. Give a longer one, or run it in the background", timeout), false
	case p.left:
		status += "; processes it left running were ended (background: true keeps them)"
	}
	line := fmt.Sprintf("%s, %s", status, time.Since(started).Round(10*time.Millisecond))
	r := result{text: j.commandText(line, text), detail: line, status: conversation.ResultOK}
	if !ok {
		r.status = conversation.ResultError
		if why := failureLine(text); why != "" {
			r.detail += "\n" + why
		}
	}
	return r, nil
}

// commandText is a first line and the output behind it; the end of an output that
// will be cut comes before it.
func (j *jobs) commandText(status, output string) string {
	output = strings.TrimRight(screenText(output), "\n")
	if output == "" {
		return status + "\n(no output)"
	}
	if utf8.RuneCountInString(status)+utf8.RuneCountInString(output) >= j.resultChars() {
		most := min(tailChars, j.resultChars()/2)
		tail := []rune(output[len(output)-min(len(output), 4*most):])
		tail = tail[max(0, len(tail)-most):]
		end := string(tail)
		if at := strings.IndexByte(end, '\n'); at >= 0 {
			end = end[at+1:]
		}
		return status + "\n[the end of the output:]\n" + end + "\n[the output from its beginning:]\n" + output
	}
	return status + "\n" + output
}

// readJob shows what a background command has put out since it was last read.
func (b *Box) readJob(ctx context.Context, args params.Values) (result, error) {
	one, err := b.jobs.find(args.Text("id"))
	if err != nil {
		return result{}, err
	}
	switch {
	case args.Flag("stop"):
		if one.process.running() {
			one.process.end()
		}
		<-one.finished
	case args.Given("timeout"):
		one.await(ctx, time.Duration(args.Whole("timeout", 0))*time.Second)
	}
	status := one.id + " is running"
	if !one.process.running() {
		<-one.finished
		how, _ := one.process.exit()
		status = one.id + " has ended: " + how
	}
	return result{text: b.jobs.commandText(status, b.jobs.news(one)), detail: status}, nil
}
