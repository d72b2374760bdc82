package owncommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// What a command names is judged like the model's calls of run_command and read_file, by the same rules and in the same mode.
// Everything is judged before anything runs.

const (
	maxCommands    = 20 // in one file
	commandSeconds = 60 // until a command is ended
)

// Tools are the tools of the conversation.
type Tools interface {
	// NeedOf returns what a call needs before it may run, with the reason of a refusal. The error says why it cannot run.
	NeedOf(ctx context.Context, call conversation.ToolCall) (conversation.Need, string, error)
	Run(ctx context.Context, call conversation.ToolCall, progress func(string)) conversation.Outcome
}

// Maker makes messages of commands.
type Maker struct {
	Tools Tools
	Limit conversation.ArrivalCap // of an output
	// Attach returns the text of a mentioned file as it follows the message. [fs.ErrNotExist]: the file does not exist.
	Attach func(ctx context.Context, path string) (string, error)
	// Trusted reports whether the user said yes to the content of a file of the workspace.
	Trusted func(text string) bool
}

// ApprovalError is the error of a command that waits for the user's yes. Nothing has run.
type ApprovalError struct {
	Title   string
	Command string // the exact command, or "@file"
}

func (e *ApprovalError) Error() string { return e.Title + ": " + plain.Line(e.Command) }

// Message makes the message of a command. approved are the commands, and files with @, that the user said yes to. The notes tell
// what was left out.
func (m Maker) Message(ctx context.Context, c Command, args string, approved []string) (text string, notes []string, err error) {
	e := Expand(c.Body, args)
	switch {
	case len(e.Commands) > maxCommands:
		return "", nil, fmt.Errorf("/%s runs more than %d commands", c.Name, maxCommands)
	case len(e.Commands) > 0 && !m.MayApply(c):
		return "", nil, fmt.Errorf("not sent: /%s runs commands; `plimsoll config trust` allows its file", c.Name)
	}
	outputs := make([]string, len(e.Commands))
	for _, command := range e.Commands {
		if err := m.judge(ctx, command, runCall(command), "/"+c.Name+" runs a command", approved); err != nil {
			return "", nil, err
		}
	}
	for _, path := range e.Mentions {
		read := newCall("read_file", map[string]any{"path": lineRange().ReplaceAllString(path, "")})
		err := m.judge(ctx, "@"+path, read, "/"+c.Name+" sends a file", approved)
		if err != nil && !errors.Is(err, errCannotRun) { // Attach says what cannot be read
			return "", nil, err
		}
	}
	for i, command := range e.Commands {
		if outputs[i], err = m.output(ctx, command); err != nil {
			return "", nil, err
		}
	}
	text = e.Message(outputs)
	var images []conversation.Image
	for _, path := range e.Mentions {
		attached, err := m.Attach(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			notes = append(notes, fmt.Sprintf("/%s names @%s: there is no such file; it is sent as text", c.Name, plain.Line(path)))
		} else if err != nil {
			return "", nil, err
		}
		attached, added := conversation.CutImages(attached)
		text, images = text+attached, append(images, added...)
	}
	text += conversation.FormatImages(images...)
	if len(c.Ignored) > 0 {
		notes = append(notes, fmt.Sprintf("/%s: %s: without effect here", c.Name, strings.Join(c.Ignored, ", ")))
	}
	return text, notes, nil
}

// MayApply reports whether a command may do more than send text: it is the user's, or the user said yes to its content.
func (m Maker) MayApply(c Command) bool { return c.Origin == User || m.Trusted(c.Text) }

var errCannotRun = errors.New("cannot run")

// judge returns the error for what may not be used, or not yet.
func (m Maker) judge(ctx context.Context, what string, call conversation.ToolCall, title string, approved []string) error {
	need, why, err := m.Tools.NeedOf(ctx, call)
	switch {
	case err != nil:
		return fmt.Errorf("%s %w: %w", plain.Line(what), errCannotRun, err)
	case need == conversation.NeedRefusal:
		return fmt.Errorf("not sent: %s is refused: %s", plain.Line(what), why)
	case need != conversation.NeedNothing && !slices.Contains(approved, what):
		return &ApprovalError{Title: title, Command: what}
	}
	return nil
}

var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:\d+(-\d+)?$`) })

// output runs a command and returns its output, cut like a tool's result. That of a command that fails begins with how it ended.
func (m Maker) output(ctx context.Context, command string) (string, error) {
	out := m.Tools.Run(ctx, runCall(command), nil)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	text := out.Text
	if out.Status == conversation.ResultOK {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _ = m.Limit.Apply(text, "")
	return text, nil
}

func runCall(command string) conversation.ToolCall {
	return newCall("run_command", map[string]any{"command": command, "timeout": commandSeconds})
}

func newCall(tool string, arguments map[string]any) conversation.ToolCall {
	text, _ := json.Marshal(arguments) // texts and numbers always marshal
	return conversation.ToolCall{ID: "own_command", Name: tool, Arguments: string(text)}
}
