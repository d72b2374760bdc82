// Package shell runs commands of the model and of the user, in the foreground and in the
// background. The processes of a command end with its call, a background command's with the program.
package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// A process is a shell command with all processes of its session. Ending it sends
// SIGTERM to the session, and after a grace period SIGKILL. Processes that still run
// when the shell ends are ended too, so that none outlives a call. A guard ends them
// if the program is killed.

const (
	endGrace   = 2 * time.Second       // between SIGTERM and SIGKILL
	endPoll    = 10 * time.Millisecond // between checks whether the session still has processes
	drainGrace = time.Second           // to wait for output of processes that left the session
)

type process struct {
	cmd     *exec.Cmd
	guard   *guard
	output  *os.File      // our end of the pipe
	exited  chan struct{} // closed when the shell has ended
	drained chan struct{} // closed when all output has been read
	err     error         // how the shell ended; set before exited is closed
	left    bool          // processes still ran after the shell and were ended; set by finish
	ended   atomic.Bool   // end was called
}

// startProcess runs command in dir; its output, both streams together, goes to
// sink. The caller must call finish.
func startProcess(command, dir string, env []string, sink io.Writer) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	shell := Command()
	cmd := exec.Command(shell[0], append(shell[1:], command)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, w, w
	guard, err := startGuarded(cmd)
	_ = w.Close() // the command has its own copy
	if err != nil {
		_ = r.Close() // nothing was written
		return nil, fmt.Errorf("start the command: %w", err)
	}
	p := &process{cmd: cmd, guard: guard, output: r, exited: make(chan struct{}), drained: make(chan struct{})}
	go func() {
		defer close(p.exited)
		p.err = cmd.Wait()
	}()
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(sink, r) // ends with the last writer, or when finish closes the pipe
	}()
	return p, nil
}

// end ends the session and returns when it has no processes or was killed.
func (p *process) end() {
	pid := p.cmd.Process.Pid
	p.ended.Store(true)
	terminateSession(pid)
	deadline := time.NewTimer(endGrace)
	defer deadline.Stop()
	poll := time.NewTicker(endPoll)
	defer poll.Stop()
	exited := p.exited
	for exited != nil || sessionAlive(pid) {
		select {
		case <-exited:
			exited = nil
		case <-poll.C:
		case <-deadline.C:
			killSession(pid)
			<-p.exited
			return
		}
	}
}

// finish waits for the shell, ends the processes it left running, waits until the
// output is read, and dismisses the guard.
func (p *process) finish() {
	<-p.exited
	if !p.ended.Load() && sessionAlive(p.cmd.Process.Pid) {
		p.left = true
		p.end()
	}
	timer := time.NewTimer(drainGrace)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C: // a process of another session still holds the pipe
	}
	_ = p.output.Close() // only read from
	<-p.drained
	p.guard.dismiss()
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// exit describes how the shell ended; ok if with exit code 0.
func (p *process) exit() (text string, ok bool) {
	var exit *exec.ExitError
	switch {
	case p.err == nil:
		return "exit code 0", true
	case errors.As(p.err, &exit) && exit.ExitCode() >= 0:
		return fmt.Sprintf("exit code %d", exit.ExitCode()), false
	}
	return "ended by " + p.err.Error(), false
}
