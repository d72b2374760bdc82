package shell

import (
	"context"
	"errors"
	"strings"
)

// shellBytes is how much output of a command of the user's own is kept, half
// from its beginning and half from its end.
const shellBytes = 1 << 20

// Run runs a command of the user's own, not of a model's, in dir, and returns
// what it printed, with its exit code if that is not 0. It has the user's whole
// environment, but no input and no terminal, like a command of run_command; it
// and all it started are ended with ctx. The error is that of starting it, or
// context.Canceled.
func Run(ctx context.Context, dir, command string) (string, error) {
	out := newCapture(shellBytes, nil)
	p, err := startProcess(command, dir, nil, out)
	if err != nil {
		return "", err
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.end()
	}
	p.finish()
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
