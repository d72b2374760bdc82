package cli

import (
	"context"
	"io"
	"os/exec"
)

// editorCommand is the user's editor as a tea.ExecCommand.
type editorCommand struct{ *exec.Cmd }

func newEditor(ctx context.Context, editor []string, path string) editorCommand {
	args := append(append([]string(nil), editor[1:]...), path)
	return editorCommand{exec.CommandContext(ctx, editor[0], args...)}
}

// SetStdin gives the editor the terminal's input unless it has its own.
func (e editorCommand) SetStdin(r io.Reader) { e.Stdin = r }

// SetStdout gives the editor the terminal.
func (e editorCommand) SetStdout(w io.Writer) { e.Stdout = w }

// SetStderr gives the editor the terminal's error output.
func (e editorCommand) SetStderr(w io.Writer) { e.Stderr = w }
