// Package shell runs commands of the model and of the user, in the foreground and in the
// background. The processes of a command end with its call, a background command's with the program.
package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
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
func startProcess(command, dir string, env []string, sink io.Writer, start Starter) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	shell := Command()
	cmd := exec.Command(shell[0], append(shell[1:], command)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, w, w
	p, err := launch(cmd, r, sink, start)
	_ = w.Close() // the command has its own copy
	if err != nil {
		_ = r.Close() // nothing was written
		return nil, fmt.Errorf("start the command: %w", err)
	}
	return p, nil
}

// launch starts cmd under a guard, and copies what it writes into output to sink.
func launch(cmd *exec.Cmd, output *os.File, sink io.Writer, start Starter) (*process, error) {
	guard, err := startGuarded(cmd, start)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, guard: guard, output: output, exited: make(chan struct{}), drained: make(chan struct{})}
	go func() {
		defer close(p.exited)
		p.err = cmd.Wait()
	}()
	go func() {
		defer close(p.drained)
		_, _ = io.Copy(sink, output) // ends with the last writer, or when finish closes the pipe
	}()
	return p, nil
}

// awaitEnd waits until the shell has ended, and ends it when ctx ends first, which it reports.
func (p *process) awaitEnd(ctx context.Context) (wasEnded bool) {
	select {
	case <-p.exited:
	case <-ctx.Done():
		wasEnded = true
		p.end()
	}
	p.finish()
	return wasEnded
}

// end ends the session and returns when it has no processes or was killed.
func (p *process) end() {
	pid := p.cmd.Process.Pid
	p.ended.Store(true)
	signalSession(pid, syscall.SIGTERM)
	deadline := time.After(endGrace)
	poll := time.NewTicker(endPoll)
	defer poll.Stop()
	exited := p.exited
	for exited != nil || sessionAlive(pid) {
		select {
		case <-exited:
			exited = nil
		case <-poll.C:
		case <-deadline:
			signalSession(pid, syscall.SIGKILL)
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
	select {
	case <-p.drained:
	case <-time.After(drainGrace): // a process of another session still holds the pipe
	}
	_ = p.output.Close() // only read from
	<-p.drained
	p.guard.dismiss()
}

func (p *process) done() <-chan struct{} { return p.exited }

func (p *process) code() int { return p.cmd.ProcessState.ExitCode() }

// exit describes how the shell ended; ok if with exit code 0.
func (p *process) exit() (text string, ok bool) {
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 { // -1 after a signal
		return fmt.Sprintf("exit code %d", code), code == 0
	}
	return "ended by " + p.err.Error(), false
}
