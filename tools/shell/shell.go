package shell

import (
	"context"
	"errors"
	"strings"
)

// shellBytes is how many bytes of output of a user's command are kept, half from
// the beginning and half from the end.
const shellBytes = 1 << 20

// Run runs a command that the user entered, not the model, in dir. It returns the
// output, with the exit code if that is not 0. The command has the user's whole
// environment, but no input and no terminal. When ctx ends, the command and its
// processes are ended. The error is that of starting the command, or
// context.Canceled.
func Run(ctx context.Context, dir, command string) (string, error) {
	out := newCapture(shellBytes, nil)
	p, err := startProcess(command, dir, nil, out)
	if err != nil {
		return "", err
	}
	p.awaitEnd(ctx)
	text, _ := out.since(0)
	text = strings.TrimRight(screenText(text), "\n")
	how, ok := p.exit()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return text, ctx.Err()
	case ctx.Err() != nil:
		text += "\n(ended, because it took too long)"
	case !ok:
		text += "\n(" + how + ")"
	}
	if p.left {
		text += "\n(what it left running was ended)"
	}
	return strings.TrimLeft(text, "\n"), nil
}
