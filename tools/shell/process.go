// Package shell runs commands of a model and of the user, in the foreground and in the
// background. Nothing a command started outlives its call, or the program.
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

// A process is a shell command with all it starts. It is ended as a session:
// politely first, then by force. What the shell leaves running when it ends is
// ended too, so that nothing outlives a call; nor does anything outlive the
// program, for which each has a guard.

const (
	endGrace   = 2 * time.Second       // between the polite signal and the other
	endPoll    = 10 * time.Millisecond // how often a session is asked whether it is gone
	drainGrace = time.Second           // for output of processes that left the session
)

type process struct {
	cmd     *exec.Cmd
	guard   *guard
	output  *os.File      // our end of the pipe
	exited  chan struct{} // closed when the shell has ended
	drained chan struct{} // closed when all output has been read
	err     error         // how the shell ended; set before exited is closed
	left    bool          // processes were left running and ended; set by finish
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

// finish waits for the shell, ends what it left running, reads the output to its
// end, and dismisses the guard.
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

// exit says in words how the shell ended; ok if with code 0.
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
