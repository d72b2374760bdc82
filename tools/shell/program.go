package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// closeGrace is how long a program may take to end after its input was closed.
const closeGrace = time.Second

// Program is a program that talks over its standard input and output. It ends with Close and, like a command, with this
// program.
type Program struct {
	Input  io.WriteCloser
	Output io.ReadCloser
	*process
	closing func() error
}

// StartProgram starts a program with its arguments; what it writes to standard error goes to log. Errors: no such program, and
// those of start and the system.
func StartProgram(argv []string, dir string, env []string, log io.Writer, start Starter) (*Program, error) {
	name := argv[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s: no such program; install it, or write its path", argv[0])
	}
	var ends [6]*os.File // read and write ends of input, output and errors
	for i := 0; i < len(ends) && err == nil; i += 2 {
		ends[i], ends[i+1], err = os.Pipe()
	}
	cmd := exec.Command(path, argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var p *process
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[3], ends[5]
		p, err = launch(cmd, ends[4], log, start)
	}
	if err != nil {
		for _, f := range ends {
			if f != nil {
				_ = f.Close() // nothing was written
			}
		}
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	for _, i := range []int{0, 3, 5} {
		_ = ends[i].Close() // the program has its own copies
	}
	one := &Program{Input: ends[1], Output: ends[2], process: p}
	one.closing = sync.OnceValue(one.close)
	return one, nil
}

// Close closes the program's input, and ends it with all that it started if it goes on. It returns how the program ended. It
// may be called more than once.
func (p *Program) Close() error { return p.closing() }

func (p *Program) close() error {
	_ = p.Input.Close() // it may be closed already
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	p.awaitEnd(ctx)
	_ = p.Output.Close() // only read from
	if text, ok := p.exit(); !ok && !p.ended.Load() {
		return errors.New(text)
	}
	return nil
}

// PID is the id of the program's process, which leads its session.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Wait waits until the program has ended. Somebody else closes it.
func (p *Program) Wait() { <-p.exited }

// Ended waits at most d until the program has ended and its log is read, and returns how it ended.
func (p *Program) Ended(d time.Duration) (how string, ended bool) {
	late := time.After(d)
	select {
	case <-p.exited:
	case <-late:
		return "", false
	}
	select {
	case <-p.drained:
	case <-late:
	}
	how, _ = p.exit()
	return how, true
}
