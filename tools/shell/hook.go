package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// RunHook runs a command in dir with a text on its standard input, and returns its exit status; -1 if it was ended. When ctx ends,
// the command and its processes are ended. The error is that of starting it.
func RunHook(ctx context.Context, command, dir string, env []string, input []byte, out, errs io.Writer) (int, error) {
	in, err := os.CreateTemp("", "plimsoll-hook-*") // a command need not read its input, and a pipe would wait for it
	if err != nil {
		return 0, fmt.Errorf("start the hook: %w", err)
	}
	defer in.Close()
	defer os.Remove(in.Name())
	if _, err = in.Write(input); err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	var ends [4]*os.File
	for i := 0; i < len(ends) && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	shell := Command()
	cmd := exec.Command(shell[0], append(shell[1:], command)...)
	cmd.Dir, cmd.Env = dir, env
	var g *guard
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, ends[1], ends[3]
		g, err = startGuarded(cmd)
	}
	for _, i := range []int{1, 3} {
		if ends[i] != nil {
			_ = ends[i].Close() // the command has its own copy
		}
	}
	if err != nil {
		for _, i := range []int{0, 2} {
			if ends[i] != nil {
				_ = ends[i].Close() // nothing was written
			}
		}
		return 0, fmt.Errorf("start the hook: %w", err)
	}
	errsRead := make(chan struct{})
	p := &process{cmd: cmd, guard: g, output: ends[0], exited: make(chan struct{}), drained: make(chan struct{})}
	go func() {
		defer close(p.exited)
		p.err = cmd.Wait()
	}()
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(out, ends[0]) // ends with the last writer, or when finish closes the pipe
	}()
	go func() {
		defer close(errsRead)
		_, _ = io.Copy(errs, ends[2]) // ends with the last writer, or below
	}()
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.end()
	}
	p.finish()
	timer := time.NewTimer(drainGrace)
	defer timer.Stop()
	select {
	case <-errsRead:
	case <-timer.C: // a process of another session still holds the pipe
	}
	_ = ends[2].Close() // only read from
	<-errsRead
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, p.err
}
